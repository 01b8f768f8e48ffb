"""What sealed runs say, made comparable: which of them share a table, and what stands in it."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.board import findings_of, metric_scales
from lookaway.analyses.cells import cells
from lookaway.errors import UsageError
from lookaway.metrics import METRICS, Better
from lookaway.pipeline import counted_scores, plans
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import Cell, MetricRef, Protocol, Seal, SealedSystem, Task
from lookaway.sharing.archives import unpack
from lookaway.stats.bootstrap_t import Floats
from lookaway.store import open_run


@dataclass(frozen=True)
class Reading:
    """A headline metric by whoever read it: what two numbers must agree in to stand in one column."""

    metric: str
    variant: str
    version: int
    instrument: str
    instrument_key: str
    ask_key: str

    @property
    def ref(self) -> MetricRef:
        return MetricRef(name=self.metric, variant=self.variant)

    @property
    def better(self) -> Better | None:
        """None of a metric that is not installed here."""
        known = METRICS.all().get(str(self.ref))
        return known.better if known is not None else None


@dataclass(frozen=True)
class LeaderboardRow:
    """A system of a sealed run under one protocol."""

    bundle: str
    seal: Seal
    system: SealedSystem
    cells: dict[Reading, Cell]
    by_task: dict[Reading, dict[str, float]]  # mean of the ok values of each task

    @property
    def label(self) -> str:
        return self.system.label

    @property
    def is_partial(self) -> bool:
        return self.system.clips < self.system.planned

    @property
    def is_reference(self) -> bool:
        """A degenerate baseline or a model of the known world: it shows what numbers mean, and competes with none."""
        return self.system.kind in ("baseline", "known-world")


@dataclass
class ComparableRuns:
    """Rows that may be compared: the same suite, tasks and truths, protocol, and readings of its headline."""

    suite: str
    suite_version: str
    protocol: Protocol
    readings: tuple[Reading, ...]
    hashes: dict[str, str]  # of task and truth, by id
    scenes: dict[str, str]  # by task
    rows: list[LeaderboardRow]

    def takes(self, other: ComparableRuns, protocol_hash: str, own_hash: str) -> bool:
        same = (self.suite, self.suite_version, set(self.readings)) == (
            other.suite,
            other.suite_version,
            set(other.readings),
        )
        common = self.hashes.keys() & other.hashes.keys()
        agree = all(self.hashes[task] == other.hashes[task] for task in common)
        return same and protocol_hash == own_hash and bool(common) and agree


def comparable_runs(paths: Sequence[Path]) -> tuple[list[ComparableRuns], dict[str, Seal]]:
    """The comparable groups of sealed runs, in the order given; and every seal by its bundle."""
    found: list[tuple[str, ComparableRuns]] = []
    seals: dict[str, Seal] = {}
    for path in paths:
        with tempfile.TemporaryDirectory(prefix="lookaway-site-") as folder:
            seal, bundle = unpack(path, Path(folder), blobs=False)
            if bundle in seals:
                continue
            seals[bundle] = seal
            for one in _of_run(Path(folder), seal, bundle):
                _join(found, seal.protocols[one.protocol.name], one)
    return [standing for _, standing in found], seals


def _join(found: list[tuple[str, ComparableRuns]], protocol_hash: str, one: ComparableRuns) -> None:
    for own_hash, known in found:
        if known.takes(one, protocol_hash, own_hash):
            known.rows += [row for row in one.rows if not _is_there(row, known)]
            known.hashes |= one.hashes
            known.scenes |= one.scenes
            return
    found.append((protocol_hash, one))


def _is_there(row: LeaderboardRow, standing: ComparableRuns) -> bool:
    """A reference model that an earlier seal has brought: the first one stands, so the keeper's own is given first."""
    namesakes = [known for known in standing.rows if known.label == row.label]
    if namesakes and row.is_reference and namesakes[0].is_reference:
        return True
    if namesakes:
        raise UsageError(
            f"two seals, {namesakes[0].bundle[:12]} and {row.bundle[:12]}, have a row '{row.label}' on "
            f"{standing.suite}; leave one out, or name the systems apart"
        )
    return False


def _of_run(folder: Path, seal: Seal, bundle: str) -> list[ComparableRuns]:
    run = open_run(folder)
    plan = plans.load(run)
    tasks = built_tasks(run, plan)
    findings = findings_of(plan.protocols, tasks, plan.systems, counted_scores(run, plan), metric_scales())
    return [standing for one in findings if (standing := _of_protocol(one, tasks, seal, bundle)).readings]


def _of_protocol(findings: Findings, tasks: dict[str, Task], seal: Seal, bundle: str) -> ComparableRuns:
    headline = {str(ref): place for place, ref in enumerate(findings.protocol.headline)}
    counted = [cell for cell in findings.once(cells) if cell.slice == "all" and _place(cell, headline) is not None]
    by_system: dict[str, dict[Reading, Cell]] = {}
    for cell in sorted(counted, key=lambda cell: _place(cell, headline) or 0):
        by_system.setdefault(cell.system, {})[_reading(cell)] = cell
    readings = tuple(dict.fromkeys(reading for known in by_system.values() for reading in known))
    rows = [
        LeaderboardRow(
            bundle,
            seal,
            system,
            by_system[system.label],
            {reading: _by_task(findings, reading, system.label) for reading in by_system[system.label]},
        )
        for system in seal.systems
        if system.label in by_system
    ]
    scenes = {name: task.scene for name, task in tasks.items()}
    return ComparableRuns(seal.suite, seal.suite_version, findings.protocol, readings, dict(seal.tasks), scenes, rows)


def _place(cell: Cell, headline: dict[str, int]) -> int | None:
    return headline.get(f"{cell.metric}:{cell.variant}", headline.get(cell.metric))


def _reading(cell: Cell) -> Reading:
    return Reading(cell.metric, cell.variant, cell.version, cell.instrument, cell.instrument_key, cell.ask_key)


def _by_task(findings: Findings, reading: Reading, system: str) -> dict[str, float]:
    population = findings.protocol.population_of(reading.metric, reading.variant)
    counted = [name for name, task in findings.tasks.items() if population.counts_task(task)]
    mine = findings.scores.filter(
        (pl.col("protocol") == findings.protocol.name)
        & (pl.col("system") == system)
        & (pl.col("branch") == "")
        & (pl.col("metric") == reading.metric)
        & (pl.col("variant") == reading.variant)
        & (pl.col("version") == reading.version)
        & (pl.col("instrument_key") == reading.instrument_key)
        & (pl.col("ask_key") == reading.ask_key)
        & (pl.col("status") == "ok")
        & pl.col("task").is_in(counted)
    )
    means = mine.group_by("task").agg(pl.col("value").mean()).sort("task")
    return dict(zip(means["task"].to_list(), means["value"].to_list(), strict=True))


def badness(row: LeaderboardRow, reading: Reading, tasks: Sequence[str]) -> Floats:
    """By task, lower is better; NaN where there is no number."""
    known = row.by_task.get(reading, {})
    values = np.array([known.get(task, np.nan) for task in tasks])
    match reading.better:
        case "higher":
            return -values
        case "one":
            return np.asarray(np.abs(values - 1), np.float64)
        case _:
            return values
