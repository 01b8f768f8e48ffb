"""Ranks, power and half-life against simulation, and what analyses of a million scores cost.

python benchmarks/power.py            # simulations, and 10,000 draws over 23 systems x 10 metrics x 25 scenes
python benchmarks/power.py million    # every analysis of the protocol diorama over a million scores, one by one
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np
from scipy.stats import ttest_1samp

import store
from lookaway.stats.half_life import half_life
from lookaway.stats.power import power, resolution
from lookaway.stats.rank_intervals import rank_intervals, tie_groups
from lookaway.stats.variance import VarianceParts, variance_parts
from lookaway.suites.diorama_dose import LADDER_WORLDS, RUNGS, ladder_s

RUNS = 1000
PARTS = VarianceParts(scene=0.02, task=0.05, seed=0.08, scenes=36, tasks=144, n=288)


def ranks_cpu_s() -> float:
    sums = np.random.default_rng(0).normal(size=(25, 23, 10))
    started = process_time()
    rank_intervals(sums, np.full_like(sums, 6.0), draws=10_000)
    return process_time() - started


def half_lives() -> str:
    doses = np.array([[ladder_s(rung, world) for rung in range(RUNGS)] for world in range(len(LADDER_WORLDS))])
    lines = [
        "| scenes | spread between scenes | spread of clips | covers the true half-life |",
        "|---:|---:|---:|---:|",
    ]
    for scenes, between, slope in ((8, 0.0, 0.0), (8, 0.3, 0.0), (8, 0.0, 0.3), (8, 0.6, 0.5), (24, 0.3, 0.3)):
        rng, asked, hits = np.random.default_rng(1), np.tile(doses, (scenes // 8, 1)), 0
        for _ in range(RUNS):
            ends = np.log(2.0) + between * rng.standard_normal(scenes)
            kept = ends[:, None] - np.log(asked) + slope * rng.logistic(size=asked.shape) / 1.7 > 0
            one = half_life(asked.ravel(), kept.ravel(), np.repeat(np.arange(scenes), RUNGS))
            hits += (one.low or 0.0) <= 2.0 <= (one.high or np.inf)
        lines.append(f"| {scenes} | {between:g} | {slope:g} | {hits / RUNS:.3f} |")
    return "\n".join(lines)


def clips(rng: np.random.Generator, scenes: int, tasks: int = 4, seeds: int = 2) -> tuple[np.ndarray, ...]:
    scene, task = np.repeat(np.arange(scenes), tasks * seeds), np.repeat(np.arange(scenes * tasks), seeds)
    values = np.sqrt(PARTS.scene) * rng.standard_normal(scenes)[scene]
    values += np.sqrt(PARTS.task) * rng.standard_normal(scenes * tasks)[task]
    return values + np.sqrt(PARTS.seed) * rng.standard_normal(len(task)), scene, task


def powers() -> str:
    lines = [
        "| scenes | floor by formula | found in | floor from measured parts, middle half |",
        "|---:|---:|---:|---:|",
    ]
    for scenes in (8, 25, 36, 154):
        rng = np.random.default_rng(2)
        floor = resolution(PARTS.of_mean(scenes, 4, 2), scenes)
        assert floor is not None
        hits, measured = 0, []
        for _ in range(RUNS):
            values, scene, task = clips(rng, scenes)
            hits += ttest_1samp(values.reshape(scenes, -1).mean(axis=1) + floor, 0.0).pvalue < 0.05
            parts = variance_parts(values, scene, task)
            measured.append(resolution(parts.of_mean(scenes, 4, 2), scenes) or 0.0)
        low, high = np.quantile(measured, (0.25, 0.75))
        lines.append(f"| {scenes} | {floor:.3f} | {hits / RUNS:.1%} | {low:.3f} to {high:.3f} |")
    return "\n".join(lines)


def orders() -> str:
    lines = ["| scenes | gap between neighbours | true rank inside | equals told apart |", "|---:|---:|---:|---:|"]
    for scenes, gap in ((8, 0.1), (25, 0.1), (36, 0.05)):
        rng, inside, parted = np.random.default_rng(3), 0, 0
        due = np.arange(6, 0, -1)
        for _ in range(RUNS):
            noise = 0.2 * rng.standard_normal((scenes, 1)) + 0.4 * rng.standard_normal((scenes, 6))
            found = rank_intervals(gap * np.arange(6) + noise, np.ones((scenes, 6)), draws=400)
            inside += int(((found.low <= due) & (due <= found.high)).sum())
            parted += len(tie_groups(noise, np.ones((scenes, 6)))) > 1
        lines.append(f"| {scenes} | {gap:g} | {inside / (6 * RUNS):.3f} | {parted / RUNS:.1%} |")
    return "\n".join(lines)


def million() -> str:
    """CPU time of each analysis by itself, what it shares with others included; and the process's peak memory."""
    from lookaway import protocols
    from lookaway.analyses import ANALYSES
    from lookaway.analyses import board as boards
    from lookaway.models import ingested
    from lookaway.outcomes import Abstain
    from lookaway.records import Score
    from lookaway.store import open_run

    tasks = {task.id: task for task in store.million_tasks()}
    systems = [ingested(f"model-{n:02d}") for n in range(store.SYSTEMS)]
    lines = ["| analysis | CPU s | peak GB so far | tables |", "|---|---:|---:|---:|"]
    with TemporaryDirectory() as folder:
        store.spent("fill", Path(folder) / "million")
        scores = open_run(Path(folder) / "million").table("scores", Score, without=boards.NOT_COUNTED)
        protocol = protocols.load("diorama")
        for name in protocol.analyses:
            (findings,) = boards.findings_of([protocol], tasks, systems, scores, boards.metric_scales())
            started = process_time()
            found = ANALYSES.get(name).function(findings)
            spent = process_time() - started
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            told = found.reason if isinstance(found, Abstain) else str(len(found))
            lines.append(f"| {name} | {spent:.1f} | {peak:.2f} | {told} |")
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:] == ["million"]:
        print(million())
    else:
        print(f"10,000 draws over 23 systems x 10 metrics x 25 scenes: {ranks_cpu_s():.2f} CPU s\n")
        print(half_lives(), powers(), orders(), sep="\n\n")
        print(f"\npower of 0.1 at 36 scenes: {power(0.1, PARTS.of_mean(36, 4, 2), 36):.2f}")
