"""How a cell reads, the same in every format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lookaway.metrics import METRICS, Metric, find
from lookaway.phrasing import DOSES, INACTIVITY, inactive_camera, readers, titled, with_reader
from lookaway.records import Board, Cell, DoseCurve, DosePoint, LedgerStep, Protocol, Step, Table
from lookaway.reports.drawing.phrases import number


def interval(cell: Cell, unit: str) -> str:
    """`[low, high]`, or nothing where no honest interval exists; `cell.method` says why."""
    if cell.low is None or cell.high is None:
        return ""
    return f"[{number(cell.low, unit)}, {number(cell.high, unit)}]"


LEDGER_NOTE = "“5 to 7” reads: five clips got so far, and of two more nobody knows, because a step was not measured."


@dataclass(frozen=True)
class LedgerRow:
    """One system's way through a protocol's ledger, as one set of instruments saw it."""

    title: str
    total: int
    steps: Sequence[LedgerStep]


def ledger_rows(steps: Iterable[LedgerStep]) -> list[LedgerRow]:
    found: dict[tuple[str, str, str], list[LedgerStep]] = {}
    for step in steps:
        found.setdefault((step.protocol, step.system, step.instruments), []).append(step)
    return [LedgerRow(with_reader(system, by), mine[0].total, mine) for (_, system, by), mine in found.items()]


def step_meanings(protocol: Protocol) -> list[tuple[str, str]]:
    """What each step of a ledger asks: `right place`, `return place is at most 0.05. Distance in the picture …`."""
    return [(step.name, _meaning(step)) for step in protocol.ledger]


def _meaning(step: Step) -> str:
    ends = (("at least", step.at_least), ("at most", step.at_most))
    bounds = " and ".join(f"{word} {end:g}" for word, end in ends if end is not None)
    metric = METRICS.all().get(str(step.metric))
    unit, doc = (f" ({metric.unit})", " " + " ".join(metric.doc.split())) if metric else ("", "")
    skipped = " Tasks that do not ask for it skip this step." if step.concerns else ""
    return f"{titled(step.metric).replace('_', ' ')} is {bounds}{unit}.{doc}{skipped}"


def point_interval(point: DosePoint) -> str:
    return "" if point.low is None or point.high is None else f"[{point.low:.2f}, {point.high:.2f}]"


def without_curve(curves: Iterable[DoseCurve]) -> dict[str, list[str]]:
    """Why there is no curve against a dose, and of which systems."""
    found: dict[str, list[str]] = {}
    for curve in curves:
        if curve.reason:
            found.setdefault(f"{DOSES[curve.dose]}: {curve.reason}", []).append(curve.system)
    return found


def reached(step: LedgerStep) -> str:
    """`5`, or `5 to 7` where nobody knows of two clips whether they got here."""
    unknown = step.unknown_before + sum(step.unknown.values())
    return f"{step.reached} to {step.reached + unknown}" if unknown else str(step.reached)


def rate(step: LedgerStep) -> str:
    """`0.62`, or `0.62 to 0.88`: the share of clips that got here, if no or if every unknown one did."""
    if step.bounds is None:
        return "–"
    low, high = (f"{end:.2f}" for end in step.bounds)
    return low if low == high else f"{low} to {high}"


def clips_way(step: Step | None, outcome: str, value: float | None, reason: str | None) -> str:
    """One clip's way through the ledger: `lost at right place: return_place 0.23 above 0.08`."""
    if step is None:
        return "reached every step"
    why = f"{step.metric.name} {value:.3g} {step.miss(value)}" if value is not None else reason or "not scored"
    return f"lost at {step.name}: {why}" if outcome == "lost" else f"unknown from {step.name} on: {why}"


def stop_sentences(step: LedgerStep) -> list[str]:
    """Why clips stopped at a step, a sentence per reason, the commonest first.

    `5 clips are lost: return place above 0.05.`
    """
    return [
        f"{count} {'clip' if count == 1 else 'clips'} {_ENDS[outcome][count > 1]}: {_MISSES.sub(_spaced, why)}."
        for outcome, reasons in (("lost", step.lost), ("unknown", step.unknown))
        for why, count in reasons.items()
    ]


_ENDS = {"lost": ("is lost", "are lost"), "unknown": ("is unknown from here on", "are unknown from here on")}
_MISSES = re.compile(r"^[a-z_]+(?= (?:above|below) [\d.-]+$)")


def _spaced(name: re.Match[str]) -> str:
    return name[0].replace("_", " ")


NOT_DRAWN = ("cells-", "ledger-", "dose-", "further-")  # shown in another way; what is further is left to the files
LONG = 30  # rows; longer than a screen


def drawn_tables(board: Board) -> list[Table]:
    """The tables of analyses that a report draws as they are."""
    return [table for table in board.tables if not table.name.startswith(NOT_DRAWN)]


@dataclass(frozen=True)
class HeadlineRow:
    """One system's headline cells, in the order of `Headline.columns`."""

    system: str
    cells: Sequence[Cell | None]
    inactive: str  # a still picture is consistent with itself: no score is read without this


@dataclass(frozen=True)
class HeadlineColumn:
    """A metric as one instrument measured it."""

    metric: Metric
    keys: tuple[str, str]  # of instrument and ask
    by: str  # who measured it; empty where nobody else did

    @property
    def title(self) -> str:
        return with_reader(titled(self.metric.ref), self.by)


@dataclass(frozen=True)
class Headline:
    protocol: str
    summary: str
    columns: Sequence[HeadlineColumn]
    rows: Sequence[HeadlineRow]


def headlines(board: Board) -> list[Headline]:
    """The tables every report opens with, one per protocol."""
    tables = []
    for protocol in board.protocols:
        name = protocol.name
        cells = [c for c in board.cells if (c.protocol, c.slice) == (name, "all")]
        wanted = [find(metric) for metric in protocol.headline if str(metric) not in board.not_measured]
        columns = [column for metric in wanted for column in _columns(metric, cells)]
        by_place = {(c.system, c.metric, c.variant, c.instrument_key, c.ask_key): c for c in cells}
        inactive = {c.system: inactive_camera(c) for c in cells if (c.metric, c.variant) == INACTIVITY}
        rows = [
            HeadlineRow(
                system,
                [by_place.get((system, c.metric.name, c.metric.variant, *c.keys)) for c in columns],
                inactive.get(system, ""),
            )
            for system in board.systems
        ]
        tables.append(Headline(name, protocol.summary, columns, rows))
    return tables


def headline_metrics(protocols: Iterable[Protocol]) -> set[tuple[str, str, str]]:
    """Protocol, metric and variant of everything in a headline that is installed here: the rest has no unit."""
    known = METRICS.all()
    return {(p.name, ref.name, ref.variant) for p in protocols for ref in p.headline if str(ref) in known}


def _columns(metric: Metric, cells: Iterable[Cell]) -> list[HeadlineColumn]:
    """A column for each instrument and ask that measured the metric; the newest version alone is read."""
    found = readers(metric.ref, cells)
    return [HeadlineColumn(metric, (by.instrument_key, by.ask_key), by.label) for by in found]
