"""Sides of a system, each a few metrics: clips' scores on a side, and pairs of systems that two sides order oppositely.

A clip's score on a side is the mean over its metrics of how many standard deviations it lies from the mean of all clips
of all systems, up being better; a clip without all of the side's metrics has none.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.named_metrics import CLIP, NamedMetric, clip_values
from lookaway.outcomes import Abstain
from lookaway.records import Task
from lookaway.stats.paired import Difference, Significance, paired_difference, sign_flip


class Side(NamedTuple):
    key: str
    title: str
    metrics: tuple[NamedMetric, ...]


class SideScores(NamedTuple):
    rows: pl.DataFrame  # one per clip: task, system, seed, scene, value
    told: str  # by which metrics, and which are absent


class OpposedPair(NamedTuple):
    """Two systems of which the first leads on one side, the second on the other."""

    systems: tuple[str, str]
    first: Difference  # first minus second system, on the first side: above 0
    second: Difference  # on the second side: below 0
    p: float  # of the less certain of the two


def side_scores(side: Side, findings: Findings, keep: Callable[[Task], bool] | None = None) -> SideScores | Abstain:
    """Every clip's score on a side, from those of its metrics that have numbers."""
    kept = [name for name, task in findings.tasks.items() if keep is None or keep(task)]
    parts: list[pl.DataFrame] = []
    named, absent = [], []
    for metric in side.metrics:
        found = clip_values(findings, metric.name)
        rows = None if isinstance(found, Abstain) else found.rows.filter(pl.col("task").is_in(kept))
        spread = rows["value"].std() if rows is not None and rows.height > 1 else None
        if isinstance(found, Abstain) or rows is None or not isinstance(spread, float) or spread <= 1e-12:
            absent.append(found.reason if isinstance(found, Abstain) else f"{found.ref}: no spread between clips")
            continue
        sign = 1.0 if metric.better == "higher" else -1.0
        scaled = sign * (pl.col("value") - pl.col("value").mean()) / pl.col("value").std()
        parts.append(rows.with_columns(scaled.alias(f"value{len(parts)}")).drop("value"))
        named.append(str(found.ref))
    if not parts:
        return Abstain(f"{side.title}: {'; '.join(absent)}")
    told = f"{side.title}: {', '.join(named)}" + (f" (absent: {'; '.join(absent)})" if absent else "")
    return SideScores(_joined(parts), told)


def _joined(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.join(part, on=CLIP, how="inner")
    mean = pl.mean_horizontal([f"value{n}" for n in range(len(parts))])
    return whole.select(*CLIP, mean.alias("value")).sort(CLIP)


def opposed_pairs(first: pl.DataFrame, second: pl.DataFrame, systems: Sequence[str]) -> tuple[list[OpposedPair], int]:
    """Pairs that the two sides order oppositely, the surest first, and how many pairs were compared.

    Both differences must be real for a pair to be opposed, so its p is the larger of the two.
    """
    parts = [rows.partition_by("system", as_dict=True, include_key=False) for rows in (first, second)]
    found, compared = [], 0
    for one, other in itertools.combinations(systems, 2):
        on_first, on_second = (_shared(of[(one,)], of[(other,)]) for of in parts)
        compared += bool(on_first.height and on_second.height)
        if _mean(on_first) * _mean(on_second) >= 0:
            continue
        tested = [_difference(rows) for rows in (on_first, on_second)]
        (a, p), (b, q) = tested
        if a is not None and b is not None:
            ahead = a.value > 0
            pair = (one, other) if ahead else (other, one)
            found.append(OpposedPair(pair, a if ahead else _turned(a), b if ahead else _turned(b), max(p, q)))
    return sorted(found, key=lambda pair: (pair.p, pair.systems)), compared


def _shared(one: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """Differences on the same task and seed."""
    pairs = one.join(other, on=["task", "seed", "scene"], suffix="_other").sort("task", "seed")
    return pairs.select("scene", difference=pl.col("value") - pl.col("value_other"))


def _mean(rows: pl.DataFrame) -> float:
    return float(np.sort(rows["difference"].to_numpy()).mean()) if rows.height else 0.0


def _difference(rows: pl.DataFrame) -> tuple[Difference | None, float]:
    """The mean difference and the p of its test; None where nothing can be said."""
    differences, scenes = rows["difference"].to_numpy(), rows["scene"].to_numpy()
    found, tested = paired_difference(differences, scenes), sign_flip(differences, scenes)
    if not isinstance(found, Difference) or not isinstance(tested, Significance):
        return None, 1.0
    return found, tested.p


def _turned(one: Difference) -> Difference:
    low, high = (None, None) if one.low is None or one.high is None else (-one.high, -one.low)
    return one._replace(value=-one.value, low=low, high=high)
