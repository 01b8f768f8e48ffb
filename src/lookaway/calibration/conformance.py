"""A fault must not beat the truth: what the detection table rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from lookaway.calibration.clip_scores import CLIP, by_reader
from lookaway.calibration.systems import Rung
from lookaway.calibration.thresholds import badness
from lookaway.metrics import Metric
from lookaway.phrasing import reader_labels, with_reader
from lookaway.records import Task
from lookaway.stats.intervals import scene_mean


class Beaten(NamedTuple):
    """A metric that likes a system better than the truth, by `gain` in its own unit."""

    metric: str
    system: str
    gain: float
    low: float
    n: int
    by: str = ""  # label of who measured; empty where nobody else did

    def __str__(self) -> str:
        metric = f"{with_reader(self.metric, self.by)}," if self.by else self.metric
        return f"{metric} likes {self.system} better than the truth, by {self.gain:.3g} on {self.n} clips"


def beats_truth(
    scores: pl.DataFrame, rungs: Mapping[str, Rung], tasks: Iterable[Task], metrics: Sequence[Metric]
) -> list[Beaten]:
    """Faults and baselines that look better than the truth of the same tasks, beyond noise.

    Noise is declared as: the 95 % interval of the paired difference over scenes holds 0, or the gain is within the
    metric's margin.
    """
    scenes = pl.DataFrame(
        [(t.id, t.scene) for t in tasks], schema={"task": pl.String, "scene": pl.String}, orient="row"
    )
    truths = [name for name, rung in rungs.items() if rung.kind == "truth"]
    found = []
    for metric in metrics:
        mine = (pl.col("metric") == metric.name) & (pl.col("variant") == metric.variant)
        ok = scores.filter(mine & (pl.col("version") == metric.version) & (pl.col("status") == "ok"))
        readings = by_reader(ok)
        labels = reader_labels(by for by, _ in readings)
        for by, part in readings:
            pairs = _with_truth(part, truths).join(scenes, on="task")
            for name, rung in rungs.items():
                if rung.kind in ("fault", "baseline"):
                    of_system, label = pairs.filter(pl.col("system") == name), labels[by.instrument_key, by.ask_key]
                    found += _beaten(metric, name, of_system, label)
    return found


def _with_truth(scores: pl.DataFrame, truths: Sequence[str]) -> pl.DataFrame:
    """Each clip's score once, beside that of the true clip of the same task."""
    once = scores.unique(CLIP, keep="first", maintain_order=True)
    true = once.filter(pl.col("system").is_in(truths)).unique("task", keep="first", maintain_order=True)
    return once.join(true.select("task", true="value"), on="task")


def _beaten(metric: Metric, system: str, pairs: pl.DataFrame, by: str) -> list[Beaten]:
    if not pairs.height:
        return []
    worse, true = (badness(pairs[column].to_numpy(), metric) for column in ("value", "true"))
    scenes, place = np.unique(pairs["scene"].to_numpy().astype(str), return_inverse=True)
    sums = np.bincount(place, true - worse, len(scenes)).astype(np.float64)
    gain = scene_mean(sums, np.bincount(place, minlength=len(scenes)).astype(np.float64))
    if len(scenes) < 2 or gain.value <= metric.margin:
        return []
    low = gain.value if gain.low is None else gain.low  # no spread at all: the gain itself
    return [Beaten(metric.name, system, gain.value, low, pairs.height, by)] if low > 0 else []
