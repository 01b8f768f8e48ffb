"""One metric of all systems side by side: clips as rows, systems as columns, a higher number always better."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookaway.analyses import Findings
from lookaway.analyses.dimensions import DimensionReading
from lookaway.analyses.summaries import rows_of
from lookaway.metrics import METRICS
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.variance import VarianceParts, variance_parts

CLIP = ["task", "seed", "round", "scene"]


class SystemMatrix(NamedTuple):
    """Values (clips, systems), not a number where there is none; the truth itself competes with nobody."""

    labels: tuple[str, ...]
    values: Floats
    tasks: NDArray[np.str_]
    scenes: NDArray[np.str_]

    def by_scene(self) -> tuple[Floats, Floats]:
        """Each scene's sum and number of rows, arrays of scenes by systems."""
        names, place = np.unique(self.scenes, return_inverse=True)
        known = ~np.isnan(self.values)
        sums, counts = np.zeros((2, len(names), len(self.labels)))
        np.add.at(sums, place, np.where(known, self.values, 0.0))
        np.add.at(counts, place, known)
        return sums, counts

    def order(self) -> list[int]:
        """Columns from best to worst mean."""
        return [int(place) for place in np.argsort(-np.nanmean(self.values, axis=0), kind="stable")]

    def differences(self, first: int, second: int) -> tuple[Floats, NDArray[np.str_], NDArray[np.str_]]:
        """Of the clips that both have: first minus second, scenes and tasks."""
        gap = self.values[:, first] - self.values[:, second]
        both = ~np.isnan(gap)
        return gap[both], self.scenes[both], self.tasks[both]

    def pair_parts(self) -> VarianceParts | None:
        """Where differences of neighbours in the order vary, on average; of a single system, twice its own parts."""
        if len(self.labels) == 1:
            known = ~np.isnan(self.values[:, 0])
            own = variance_parts(self.values[known, 0], self.scenes[known], self.tasks[known])
            return own._replace(scene=2 * own.scene, task=2 * own.task, seed=2 * own.seed)
        pairs = [self.differences(first, second) for first, second in pairwise(self.order())]
        parts = [variance_parts(*pair) for pair in pairs if len(pair[0])]
        if not parts:
            return None
        scene, task, seed = (float(np.mean([getattr(one, name) for one in parts])) for name in _PARTS)
        widest = max(parts, key=lambda one: one.n)
        return widest._replace(scene=scene, task=task, seed=seed)


_PARTS = ("scene", "task", "seed")


def system_matrix(reading: DimensionReading, findings: Findings) -> SystemMatrix | None:
    """The matrix of a reading; None where no system that competes has a number."""
    rivals = [system.label for system in findings.systems if not system.is_ceiling]
    rows = rows_of(reading, findings).filter(pl.col("system").is_in(rivals)).drop_nulls("value")
    if rows.is_empty():
        return None
    measured = set(rows["system"].unique())
    labels = [label for label in rivals if label in measured]
    wide = rows.pivot("system", index=CLIP, values="value", aggregate_function="first").sort(CLIP)
    values = wide.select(labels).fill_null(float("nan")).to_numpy()
    return SystemMatrix(tuple(labels), goodness(values, reading), wide["task"].to_numpy(), wide["scene"].to_numpy())


def goodness(values: Floats, reading: DimensionReading) -> Floats:
    """The values, turned so that more is better: distance from 1 counts against a metric that is best at 1."""
    metric = METRICS.all().get(str(reading.ref))
    better = metric.better if metric else "higher"
    if better == "one":
        return np.asarray(-np.abs(values - 1))
    return np.asarray(-values) if better == "lower" else values
