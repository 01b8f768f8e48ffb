"""Two systems on the same tasks and seeds: which clips pair, why others do not, and which of two numbers is worse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.pairs import QUESTION, metric_readings, reason_of
from lookaway.analyses.populations import counted_rows
from lookaway.metrics import Better
from lookaway.records import Task
from lookaway.stats.intervals import Floats

CASE = ["task", "seed"]
SYSTEM_PAIRING = "same task, seed, round, instrument and ask"


class PairCoverage(NamedTuple):
    """Of how many tasks and clips an arm has scores, how many pair with the other's, and why the rest do not."""

    tasks: int
    clips: int
    paired_tasks: int
    paired_clips: int
    alone: dict[str, int]  # reason to clips of this arm that have no counterpart


def system_readings(findings: Findings) -> pl.DataFrame:
    """The newest scores of the protocol's own tasks, twins and branches left out."""
    readings = metric_readings(findings.scores, findings.protocol).filter(pl.col("branch") == "")
    return counted_rows(readings, findings)


def coverage(readings: pl.DataFrame, arm: str, other: str) -> PairCoverage:
    """How far the clips of an arm have counterparts in the other."""
    mine, theirs = (_cases(readings, one) for one in (arm, other))
    both = mine.join(theirs, on=CASE, how="semi")
    alone = mine.join(theirs, on=CASE, how="anti")
    no_task = alone.join(theirs.select("task").unique(), on="task", how="anti").height
    reasons = {f"task not made by {other}": no_task, f"seed not made by {other}": alone.height - no_task}
    kept = {why: n for why, n in reasons.items() if n}
    return PairCoverage(mine["task"].n_unique(), mine.height, both["task"].n_unique(), both.height, kept)


def _cases(readings: pl.DataFrame, arm: str) -> pl.DataFrame:
    return readings.filter(pl.col("system") == arm).select(CASE).unique().sort(CASE)


def paired_systems(readings: pl.DataFrame, tasks: Mapping[str, Task], first: str, second: str) -> pl.DataFrame:
    """One row per task, seed, round and question that both systems were asked, as `pairs.paired` has them."""
    both = _cases(readings, first).join(_cases(readings, second), on=CASE, how="semi")
    one, other = (_side(readings, both, name, side) for name, side in ((first, "first"), (second, "second")))
    found = one.join(other, on=[*CASE, "round", *QUESTION], how="full", coalesce=True)
    scenes = {name: task.scene for name, task in tasks.items()}
    return found.with_columns(
        reason_of("first"), reason_of("second"), scene=pl.col("task").replace_strict(scenes, return_dtype=pl.String)
    ).sort(*QUESTION, *CASE, "round")


def _side(readings: pl.DataFrame, cases: pl.DataFrame, system: str, name: str) -> pl.DataFrame:
    mine = readings.filter(pl.col("system") == system).join(cases, on=CASE, how="semi")
    named = mine.select(
        *(*CASE, "round", *QUESTION), pl.col("value").alias(name), pl.col("reason").alias(f"{name}_reason")
    )
    place = [*CASE, "round", *QUESTION]
    return named.sort(name, f"{name}_reason").unique(place, keep="first", maintain_order=True)


def badness(values: Floats, better: Better) -> Floats:
    """Values turned so that more is worse: 0.8 of what should be high is -0.8, a clock of 1.3 is 0.3."""
    match better:
        case "higher":
            return -values
        case "lower":
            return values
        case "one":
            return np.abs(values - 1)


def measured_from_best(pairs: pl.DataFrame, better: Better) -> pl.DataFrame:
    """The pairs as they are contrasted: what is best at 1 by its distance from 1, all else as it is."""
    if better != "one":
        return pairs
    return pairs.with_columns((pl.col(side) - 1).abs() for side in ("first", "second"))


def with_worsening(pairs: pl.DataFrame, better: Better) -> pl.DataFrame:
    """Pairs with two numbers, and by how much the first is worse than the second."""
    whole = pairs.drop_nulls(["first", "second"])
    first, second = (badness(whole[side].to_numpy().astype(np.float64), better) for side in ("first", "second"))
    return whole.with_columns(worsening=pl.Series(first - second, dtype=pl.Float64))
