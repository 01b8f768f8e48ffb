"""How often the nightly check cries wolf, and how soon it finds a drop; simulated, with a fixed test beside it.

python benchmarks/sequential.py [--run RUN --protocol NAME --metric NAME FIRST SECOND]

With --run, the spread and the correlation within scenes are measured from two systems of that run first.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookaway.stats.paired import sign_flip
from lookaway.stats.sequential import LEVEL, evidence_above_zero

Floats = NDArray[np.float64]

TASKS, SCENES, NIGHTS, RUNS = 154, 36, 30, 1000
SPAN = 1.0  # no worsening is larger


@dataclass(frozen=True)
class World:
    """How paired worsenings vary: `spread` in all, a share `within` of its square common to the tasks of a scene.

    Of what a scene has in common a share `lasting` comes back every night; the rest is drawn anew.
    """

    spread: float
    within: float
    lasting: float = 0.0


def nights(world: World, drop: float, rng: np.random.Generator, count: int = NIGHTS) -> Iterator[Floats]:
    """The mean worsening of every scene, night after night; symmetric about the drop, never beyond the span."""
    sizes = np.full(SCENES, TASKS // SCENES)
    sizes[: TASKS % SCENES] += 1
    common = world.spread**2 * world.within
    own = rng.normal(0, np.sqrt(common * world.lasting), SCENES)
    own -= own.mean()  # the suite's scenes are these: their mean is the drop exactly
    for _ in range(count):
        scene = own + rng.normal(0, np.sqrt(common * (1 - world.lasting)), SCENES)
        noise = rng.normal(0, world.spread * np.sqrt(1 - world.within), (SCENES, sizes.max()))
        tasks = np.clip(drop + scene[:, None] + noise, drop - (SPAN - drop), SPAN)
        mask = np.arange(sizes.max()) < sizes[:, None]
        yield np.asarray((tasks * mask).sum(1) / sizes)


def fixed_power(world: World, drop: float, runs: int, rng: np.random.Generator, nights_: int = 1) -> float:
    """How often the two-sided sign-flip test of `lookaway compare` finds the drop, looking once."""
    scenes = np.arange(SCENES)
    found = 0
    for _ in range(runs):
        pooled = np.mean(list(nights(world, drop, rng, nights_)), axis=0)
        found += sign_flip(pooled, scenes).p < LEVEL and pooled.mean() > 0
    return found / runs


def drop_for(world: World, power: float, rng: np.random.Generator) -> float:
    """The drop that the fixed test finds with that power after one night, by bisection."""
    low, high = 0.0, 0.5
    for _ in range(9):
        middle = (low + high) / 2
        low, high = (middle, high) if fixed_power(world, middle, 400, rng) < power else (low, middle)
    return (low + high) / 2


def alarms(world: World, drop: float, runs: int, rng: np.random.Generator) -> Floats:
    """Scenes that had come when the check first alarmed, looked at after each; infinite where it never did."""
    found = np.full(runs, np.inf)
    for run in range(runs):
        alarm = evidence_above_zero(list(nights(world, drop, rng)), SPAN).alarm_at
        found[run] = np.inf if alarm is None else alarm
    return found


def measured(run: str, protocol: str, metric: str, first: str, second: str) -> World:
    """Spread of the paired differences of a real run and their correlation within scenes."""
    from lookaway.pipeline import counted_scores, plans
    from lookaway.pipeline.tasks import built_tasks
    from lookaway.store import open_run

    folder = open_run(run)
    plan = plans.load(folder)
    scores, tasks = counted_scores(folder, plan), built_tasks(folder, plan)
    values: dict[str, dict[tuple[str, int, int], float]] = {first: {}, second: {}}
    for row in scores.iter_rows(named=True):
        own = row["system"] in values and (row["protocol"], row["metric"]) == (protocol, metric)
        if own and row["value"] is not None and row["branch"] == "":
            values[row["system"]][row["task"], row["seed"], row["round"]] = row["value"]
    both = sorted(values[first].keys() & values[second].keys())
    differences = np.array([values[first][one] - values[second][one] for one in both])
    scenes = np.array([tasks[task].scene for task, _, _ in both])
    spread, within, names = float(differences.std(ddof=1)), intraclass(differences, scenes), len(set(scenes))
    print(f"measured: {metric}, {first} minus {second}: {len(both)} pairs in {names} scenes, ", end="")
    print(f"mean {differences.mean():+.3f}, spread {spread:.3f}, correlation within scenes {within:+.3f}")
    return World(spread, max(within, 0.0))


def intraclass(values: Floats, scenes: NDArray[np.str_]) -> float:
    """The correlation of two values of one scene: (between - inside) / (between + (k - 1) inside), mean squares."""
    names, place = np.unique(scenes, return_inverse=True)
    counts = np.bincount(place).astype(float)
    means = np.bincount(place, values) / counts
    inside = ((values - means[place]) ** 2).sum() / (len(values) - len(names))
    between = (counts * (means - values.mean()) ** 2).sum() / (len(names) - 1)
    size = (len(values) - (counts**2).sum() / len(values)) / (len(names) - 1)
    return float((between - inside) / (between + (size - 1) * inside))


def told(found: Floats) -> str:
    """`first night 83 %, ever 100 %, median 36 scenes`."""
    first, ever, middle = (found <= SCENES).mean(), np.isfinite(found).mean(), float(np.median(found))
    scenes = f"{middle:.0f} scenes, {middle / SCENES:.1f} nights" if np.isfinite(middle) else f"over {NIGHTS} nights"
    return f"by the end of the first night {first:.1%}, within {NIGHTS} nights {ever:.1%}, median {scenes}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run")
    parser.add_argument("--protocol", default="diorama")
    parser.add_argument("--metric", default="return_identity")
    parser.add_argument("systems", nargs="*")
    asked = parser.parse_args()
    rng = np.random.default_rng(21)
    worlds = [World(0.35, 0.1), World(0.35, 0.3), World(0.35, 0.3, lasting=1.0), World(0.5, 0.5)]
    if asked.run:
        worlds.insert(0, measured(asked.run, asked.protocol, asked.metric, *asked.systems))
    for world in worlds:
        print(f"\nspread {world.spread:.2f}, correlation within scenes {world.within:.2f}, lasting {world.lasting:g}")
        print(f"  A/A, {RUNS} sequences of {NIGHTS} nights, looked at after every scene: ", end="")
        print(f"{np.isfinite(alarms(world, 0.0, RUNS, rng)).mean():.1%} ever alarm (stated: at most {LEVEL:.0%})")
        drop = drop_for(world, 0.8, rng)
        for size in (drop, 0.2):
            power = fixed_power(world, size, RUNS, rng)
            print(f"  a drop of {100 * size:.1f} points: {told(alarms(world, size, RUNS, rng))}")
            print(f"    a fixed two-sided test that looks once, after the first night: {power:.1%}")


if __name__ == "__main__":
    main()
