"""How many scenes or seeds would separate two systems of a run, from how their difference varies."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from lookaway.analyses import Findings
from lookaway.analyses.headline import headline_readings
from lookaway.analyses.narrowed import headline_findings
from lookaway.analyses.system_matrix import SystemMatrix, system_matrix
from lookaway.phrasing import titled, with_reader
from lookaway.stats.power import power, resolution, scenes_needed, seeds_needed
from lookaway.stats.variance import variance_parts


class PowerLine(NamedTuple):
    """Two systems in one metric: what was seen, how sure that is, and what it takes to be sure of `effect`.

    `more` numbers are None where no number suffices, or where a run with one seed a task cannot tell.
    """

    protocol: str
    metric: str
    first: str
    second: str
    difference: float  # first minus second, in what the metric calls better
    effect: float  # asked for, or the difference itself
    scenes: int
    tasks: int
    clips: int
    correlation: float  # of two tasks of a scene
    of_scenes: float  # share of the variance
    of_tasks: float
    of_seeds: float | None  # None: one seed a task
    floor: float | None  # the smallest difference found at 80 %
    power: float  # the chance to find the effect with what there is
    scenes_needed: int | None
    seeds_needed: int | None


def power_lines(
    findings: Findings, metric: str | None = None, between: tuple[str, str] | None = None, effect: float | None = None
) -> Iterator[PowerLine]:
    """Every metric of the headline, or one; the two systems that are named, or all neighbours in its order."""
    findings = findings.once(headline_findings)
    for reading in headline_readings(findings):
        if metric not in (None, reading.ref.name, str(reading.ref)):
            continue
        matrix = system_matrix(reading, findings)
        title = with_reader(titled(reading.ref), reading.by.label)
        for first, second in _pairs(matrix, between) if matrix is not None else ():
            assert matrix is not None
            line = _line(matrix, first, second, effect)
            if line is not None:
                yield line._replace(protocol=findings.protocol.name, metric=title)


def _pairs(matrix: SystemMatrix, between: tuple[str, str] | None) -> list[tuple[int, int]]:
    if between is None:
        return list(pairwise(matrix.order()))
    if not set(between) <= set(matrix.labels):
        return []
    return [(matrix.labels.index(between[0]), matrix.labels.index(between[1]))]


def _line(matrix: SystemMatrix, first: int, second: int, effect: float | None) -> PowerLine | None:
    values, scenes, tasks = matrix.differences(first, second)
    if not len(values):
        return None
    parts = variance_parts(values, scenes, tasks)
    difference = float(values.mean())
    size = abs(difference) if effect is None else effect
    per_scene, seeds = parts.tasks / parts.scenes, parts.n / parts.tasks
    of_mean = parts.of_mean(parts.scenes, per_scene, seeds)
    total = parts.total or 1.0
    return PowerLine(
        protocol="",
        metric="",
        first=matrix.labels[first],
        second=matrix.labels[second],
        difference=difference,
        effect=size,
        scenes=parts.scenes,
        tasks=parts.tasks,
        clips=parts.n,
        correlation=parts.correlation,
        of_scenes=parts.scene / total,
        of_tasks=parts.task / total,
        of_seeds=parts.seed / total if parts.tells_seeds else None,
        floor=resolution(of_mean, parts.scenes),
        power=power(size, of_mean, parts.scenes),
        scenes_needed=scenes_needed(size, parts, per_scene, seeds) if size and parts.scenes > 1 else None,
        seeds_needed=seeds_needed(size, parts, parts.scenes, per_scene) if size else None,
    )
