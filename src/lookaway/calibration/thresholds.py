"""When a metric alarms. Pure.

Badness is how far a value lies on the wrong side of the best one. A clip alarms when its badness exceeds a threshold:
the badness that at most 5 % of the harmless clips exceed, or the margin that the metric declared, whichever is larger.
Layouts are split in two halves, every second one by name. The harmless clips of one half set the threshold for the
clips of the other and the other way round, so that no clip is judged by a threshold from layouts it belongs to.

Silence never helps a metric: a fault without a number is a miss and ranks below every harmless clip, while a harmless
clip without a number leaves the denominator of the false alarms.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookaway.metrics import Metric
from lookaway.outcomes import Abstain
from lookaway.records import Task

FALSE_ALARMS = 0.05
MIN_HARMLESS = 4  # clips with a number in each half, below which no threshold is set; margins hold beside it
DECIMALS = 9  # badness is compared to this many: 1 - 0.95 is not above a margin of 0.05

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]


def halves(layouts: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Every second layout by name, and the others."""
    ordered = sorted(set(layouts))
    return tuple(ordered[::2]), tuple(ordered[1::2])


def layout_of(task: Task) -> str:
    """Tasks of one layout look alike; outside the known world, those of one scene."""
    return task.world.layout if task.world is not None else task.scene


def badness(values: Floats, metric: Metric, usual: float = 0.0) -> Floats:
    """How far values lie from the best: the end of the metric's range, or 1.

    Without a range the best is 0 where lower is better, and what is `usual` for harmless clips where higher is.
    """
    match metric.better:
        case "one":
            away = np.abs(values - 1)
        case "lower":
            away = values - (metric.range[0] if metric.range is not None else 0.0)
        case "higher":
            away = (metric.range[1] if metric.range is not None else usual) - values
    return np.asarray(np.round(away, DECIMALS), np.float64)


def threshold(harmless: Floats, margin: float) -> float:
    """The smallest badness that at most 5 % of harmless clips exceed, never below the margin."""
    allowed = int(FALSE_ALARMS * len(harmless))
    return max(float(np.sort(harmless)[len(harmless) - 1 - allowed]), margin)


def auc(bad: Floats, harmless: Floats) -> float:
    """Chance that a faulty clip looks worse than a harmless one, ties counting half; -inf ranks below everything."""
    ordered = np.sort(harmless)
    below, upto = np.searchsorted(ordered, bad, "left"), np.searchsorted(ordered, bad, "right")
    return float((below + upto).mean() / (2 * len(harmless)))


@dataclass(frozen=True)
class MetricScores:
    """One metric's scores, one entry per clip inside its population."""

    system: NDArray[np.str_]
    scene: NDArray[np.str_]
    half: Ints
    value: Floats  # nan where there is no number
    gated: Flags
    unobservable: Flags
    harmless: Flags

    @property
    def ok(self) -> Flags:
        return ~np.isnan(self.value)


@dataclass(frozen=True)
class Alarms:
    """Where a metric's thresholds lie, and which clips exceed the one that the other half set."""

    threshold: float
    alarmed: Flags


def alarms(sheet: MetricScores, metric: Metric) -> Alarms | Abstain:
    """Two-fold: each clip against the threshold from the layouts of the other half."""
    calm = [sheet.value[sheet.harmless & sheet.ok & (sheet.half == half)] for half in (0, 1)]
    if min(map(len, calm)) < MIN_HARMLESS:
        counts = " and ".join(str(len(values)) for values in calm)
        return Abstain(f"too few harmless clips with a number: {counts} in the two halves, {MIN_HARMLESS} needed")
    alarmed = np.zeros(len(sheet.value), bool)
    limits = []
    for half, values in enumerate(calm):
        usual = float(np.median(values))
        limit = threshold(badness(values, metric, usual), metric.margin)
        judged = sheet.ok & (sheet.half != half)
        alarmed[judged] = badness(sheet.value[judged], metric, usual) > limit
        limits.append(limit)
    return Alarms(float(np.mean(limits)), alarmed)
