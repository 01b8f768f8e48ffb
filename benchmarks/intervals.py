"""How often 95 % intervals hold the truth, in simulation: ours beside those that it is made of and those it is not.

Six rows a scene, alike within it. Printed as a Markdown table; with 4,000 draws one standard error is 0.0035.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import process_time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookaway.stats.bootstrap_t import t_ends, t_quantile
from lookaway.stats.intervals import scene_mean, scene_rate

SCENES, ROWS, DRAWS, RESAMPLES = (8, 25, 50), 6, 4000, 999
WAYS = ("naive", "percentile", "t", "bootstrap-t", "ours")
OWN = 1 / 3  # share of rows that do not repeat their scene: rows of a scene correlate by (1 - OWN)², 0.44

Floats = NDArray[np.float64]
Interval = tuple[float | None, float | None]
Values = Callable[[np.random.Generator, tuple[int, ...]], Floats]


class Kind(NamedTuple):
    """Where values come from, their true mean, and how many rows of a scene are missing at most."""

    values: Values
    truth: float
    missing: int = 0
    is_rate: bool = False


def at_ceiling(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return np.where(rng.random(shape) < 0.6, 1.0, rng.random(shape))


KINDS = {
    "symmetric": Kind(lambda rng, shape: rng.normal(size=shape), 0.0),
    "symmetric, rows missing": Kind(lambda rng, shape: rng.normal(size=shape), 0.0, missing=5),
    "near a ceiling": Kind(lambda rng, shape: rng.beta(4, 0.5, shape), 8 / 9),
    "near a ceiling, rows missing": Kind(lambda rng, shape: rng.beta(4, 0.5, shape), 8 / 9, missing=5),
    "60 % at the ceiling": Kind(at_ceiling, 0.8),
    "heavy tails": Kind(lambda rng, shape: rng.standard_t(3, shape), 0.0),
    "rate 0.85": Kind(lambda rng, shape: (rng.random(shape) < 0.85).astype(np.float64), 0.85, is_rate=True),
    "rate 0.85, rows missing": Kind(
        lambda rng, shape: (rng.random(shape) < 0.85).astype(np.float64), 0.85, missing=5, is_rate=True
    ),
}


def measure() -> dict[str, float]:
    """Share of intervals that hold the truth: means 0.93 to 0.97, rates 0.93 to 0.99."""
    return {
        f"{name}, {scenes} scenes".replace(" ", "_").replace(",", ""): coverage(name, scenes, ways=["ours"])["ours"]
        for name in KINDS
        for scenes in SCENES
    }


def coverage(name: str, scenes: int, draws: int = DRAWS, ways: Sequence[str] = WAYS) -> dict[str, float]:
    """For each way of making an interval, the share of those that hold the truth; none at all holds nothing."""
    kind, rng = KINDS[name], np.random.default_rng([scenes, list(KINDS).index(name)])
    held, resampling = dict.fromkeys(ways, 0), np.random.default_rng(scenes)
    for _ in range(draws):
        rows, there = sample(kind, scenes, rng)
        for way in ways:
            low, high = interval(way, rows, there, kind.is_rate, resampling)
            held[way] += low is not None and high is not None and low <= kind.truth <= high
    return {way: times / draws for way, times in held.items()}


def sample(kind: Kind, scenes: int, rng: np.random.Generator) -> tuple[Floats, NDArray[np.bool_]]:
    """Values of every scene's rows, and which rows are there: 1 to 6 of a scene where rows are missing."""
    shared, own = kind.values(rng, (scenes, 1)), kind.values(rng, (scenes, ROWS))
    rows = np.where(rng.random((scenes, ROWS)) < OWN, own, shared)
    return rows, np.arange(ROWS) < ROWS - rng.integers(0, kind.missing + 1, (scenes, 1))


def interval(way: str, rows: Floats, there: NDArray[np.bool_], is_rate: bool, rng: np.random.Generator) -> Interval:
    sums, counts = (rows * there).sum(axis=1), there.sum(axis=1).astype(np.float64)
    match way:
        case "naive":
            return naive(rows[there])
        case "percentile":
            return percentile(sums, counts, rng)
        case "ours":
            found = scene_rate(sums, counts) if is_rate else scene_mean(sums, counts)
            return found.low, found.high
    return over_scenes(sums, counts, is_drawn=way == "bootstrap-t")


def naive(rows: Floats) -> Interval:
    half = 1.96 * rows.std(ddof=1) / np.sqrt(len(rows))
    return rows.mean() - half, rows.mean() + half


def percentile(sums: Floats, counts: Floats, rng: np.random.Generator) -> Interval:
    drawn = rng.integers(0, len(sums), (RESAMPLES, len(sums)))
    low, high = np.quantile(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1), (0.025, 0.975))
    return low, high


def over_scenes(sums: Floats, counts: Floats, is_drawn: bool) -> Interval:
    scenes, mean = len(sums), sums.sum() / counts.sum()
    residuals = sums - mean * counts
    error = np.sqrt(scenes / (scenes - 1) * (residuals**2).sum()) / counts.sum()
    if error < 1e-12:
        return None, None
    t = t_quantile(scenes - 1)
    left, right = t_ends(residuals, counts) if is_drawn else (-t, t)
    return mean - right * error, mean - left * error


def microseconds(scenes: int, times: int = 2000) -> float:
    """CPU time of one mean's interval, its draws already made."""
    rows, there = sample(KINDS["near a ceiling, rows missing"], scenes, np.random.default_rng(scenes))
    sums, counts = (rows * there).sum(axis=1), there.sum(axis=1).astype(np.float64)
    scene_mean(sums, counts)
    started = process_time()
    for _ in range(times):
        scene_mean(sums, counts)
    return (process_time() - started) / times * 1e6


def table() -> str:
    lines = [f"| data | scenes | {' | '.join(WAYS)} |", "|---" * (len(WAYS) + 2) + "|"]
    for name in KINDS:
        for scenes in SCENES:
            shares = " | ".join(f"{share:.3f}" for share in coverage(name, scenes).values())
            lines.append(f"| {name} | {scenes} | {shares} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
    for scenes in (*SCENES, 125):
        print(f"\none interval of {scenes} scenes: {microseconds(scenes):.0f} µs")
