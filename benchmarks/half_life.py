"""Memory half-life of reference models whose memory ends at a known second, from a run of the dose ladder.

    lookaway run --suite diorama-dose --protocols benchmarks/half_life.toml --only "*s" --out RUN \
        --models truth,short-memory@0.75,short-memory@1,short-memory@1.5,short-memory@3,faded-memory@0.5
    lookaway run --suite diorama-dose --only "*_2*s" --out RUN \
        --models retrieval-memory,blurred,brighter,noisy,compressed
    python benchmarks/half_life.py RUN

Scenes are drawn again from the run's scores, 500 times; nothing is rendered for it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.half_life import kept_rows, kept_step
from lookaway.analyses.headline import readings_of
from lookaway.analyses.unseen_fade import unseen_fade
from lookaway.outcomes import Abstain
from lookaway.pipeline import plans, run_findings
from lookaway.reports.drawing.markdown import markdown_table
from lookaway.stats.half_life import half_life
from lookaway.store import open_run

DRAWS = 500


def memories(rows: pl.DataFrame) -> str:
    lines = [
        "| model | k, s | half-life, s | off by | interval, s | clips, scenes | covers k in |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for system in sorted(set(rows["system"])):
        name, _, text = system.partition("@")
        if name not in ("short-memory", "faded-memory"):
            continue
        mine = rows.filter(pl.col("system") == system).drop_nulls("kept")
        doses, kept = mine["hidden_s"].to_numpy(), mine["kept"].to_numpy() == 1
        scenes = mine["scene"].to_numpy()
        found, k = half_life(doses, kept, scenes), float(text)
        value = "censored" if found.value is None else f"{found.value:.3f}"
        ends = f"{found.low or 0:.3f} to {found.high or np.inf:.3f}"
        sharp = name == "short-memory"
        off = f"{found.value / k - 1:+.1%}" if sharp and found.value is not None else ""
        covers = f"{coverage(doses, kept, scenes, k):.1%}" if sharp else ""
        lines.append(f"| {name} | {k:g} | {value} | {off} | {ends} | {found.n}, {found.scenes} | {covers} |")
    return "\n".join(lines)


def coverage(doses: np.ndarray, kept: np.ndarray, scenes: np.ndarray, k: float) -> float:
    """How often the interval of drawn scenes holds k."""
    rng, names, hits = np.random.default_rng(0), np.unique(scenes), 0
    for _ in range(DRAWS):
        drawn = rng.choice(names, len(names))
        places = [np.flatnonzero(scenes == name) for name in drawn]
        rows, again = np.concatenate(places), np.repeat(np.arange(len(drawn)), [len(place) for place in places])
        found = half_life(doses[rows], kept[rows], again)
        hits += (found.low or 0.0) <= k <= (found.high or np.inf)
    return hits / DRAWS


def by_scene(findings: Findings) -> str:
    """Static return of the pasted view over that of the truth, and its clock, scene by scene."""
    scenes = {task.id: task.scene for task in findings.tasks.values()}
    scores = findings.scores.with_columns(scene=pl.col("task").replace_strict(scenes))
    both = scores.filter(pl.col("metric").is_in(["return_identity", "world_clock"])).drop_nulls("value")
    pasted = both.filter(pl.col("system") == "retrieval-memory")
    true = both.filter((pl.col("system") == "truth") & pl.col("task").is_in(pasted["task"].implode()))
    lines = ["| scene | static return over truth's | world clock | n |", "|---|---:|---:|---:|"]
    for scene in sorted(set(pasted["scene"])):
        here, there = (part.filter(pl.col("scene") == scene) for part in (pasted, true))
        looks, due = (_values(part, "return_identity") for part in (here, there))
        clocks = _values(here, "world_clock")
        clock = f"{clocks.mean():+.3f}, at most {clocks.max():+.3f}" if len(clocks) else "not read"
        lines.append(f"| {scene} | {looks.mean() / due.mean():.3f} | {clock} | {len(looks)}, {len(clocks)} |")
    return "\n".join(lines)


def _values(rows: pl.DataFrame, metric: str) -> np.ndarray:
    return rows.filter(pl.col("metric") == metric)["value"].to_numpy()


def main(root: Path) -> None:
    run = open_run(root)
    (findings,) = run_findings(run, plans.load(run))
    step = kept_step(findings)
    assert step is not None
    (reading,) = readings_of([step.metric], findings)
    print(memories(kept_rows(reading, step, findings)))
    if "retrieval-memory" in set(findings.scores["system"]):
        print(f"\n{by_scene(findings)}")
    fades = unseen_fade(findings)
    print(f"\n{fades.reason}" if isinstance(fades, Abstain) else f"\n{markdown_table(fades[0])}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
