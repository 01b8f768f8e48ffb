"""How a cell reads, the same in every format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lookaway.metrics import METRICS, Metric, find
from lookaway.records import Board, Cell, DoseCurve, DoseKind, DosePoint, LedgerStep, Protocol, Step
from lookaway.reports.drawing.phrases import arrow as arrow
from lookaway.reports.drawing.phrases import number as number

COUNTS = {
    "avoided": "gated (avoided)",
    "no_opportunity": "gated (no opportunity)",
    "not_judgeable": "gated (not judgeable)",
    "abstained": "abstained",
    "no_output": "no output",
    "failed": "failed",
    "not_applicable": "not applicable",
}

DOSES: dict[DoseKind, str] = {
    "hidden_s": "hidden time (s)",
    "context": "hidden time (context windows)",
    "rotation_deg": "rotation (deg)",
}
INACTIVITY = ("camera_inactivity", "sound")
MOST_REASONS = 3  # at one step of the ledger; the commonest come first


def titled(metric: Metric) -> str:
    """`camera_gain`, or `camera_controllability (sound)` where there are other variants or none of ours."""
    only_ours = [m.variant for m in METRICS.all().values() if m.name == metric.name] == ["sound"]
    return metric.name if only_ours else f"{metric.name} ({metric.variant})"


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
    return [
        LedgerRow(f"{system}, by {by}" if by else system, mine[0].total, mine)
        for (_, system, by), mine in found.items()
    ]


def point_interval(point: DosePoint) -> str:
    return "" if point.low is None or point.high is None else f"[{point.low:.2f}, {point.high:.2f}]"


def point_dose(point: DosePoint) -> str:
    """`1.4`, or `1.4 to 1.7` where doses were pooled."""
    low, high = f"{point.dose_low:.3g}", f"{point.dose_high:.3g}"
    return low if low == high else f"{low} to {high}"


def without_curve(curves: Iterable[DoseCurve]) -> dict[str, list[str]]:
    """Why there is no curve against a dose, and of which systems."""
    found: dict[str, list[str]] = {}
    for curve in curves:
        if curve.reason:
            found.setdefault(f"{DOSES[curve.dose]}: {curve.reason}", []).append(curve.system)
    return found


def stopped_here(step: LedgerStep) -> list[str]:
    """What became of clips at a step: `lost: 2× return_place above 0.08`, `unknown: 1× …`; the commonest reasons."""
    counted = {"lost": step.lost, "unknown": step.unknown}
    return [f"{outcome}: {in_words(reasons)}" for outcome, reasons in counted.items() if reasons]


def in_words(reasons: Mapping[str, int]) -> str:
    """`2× return_place above 0.08; 1× camera not recovered`; the commonest reasons."""
    told = [f"{count}× {why}" for why, count in reasons.items()]
    more = sum(list(reasons.values())[MOST_REASONS:])
    return "; ".join([*told[:MOST_REASONS], *([f"{more}× something else"] if more else [])])


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
    why = f"{step.metric.name} {value:.3g} {step.miss}" if value is not None else reason or "not scored"
    return f"lost at {step.name}: {why}" if outcome == "lost" else f"unknown from {step.name} on: {why}"


def others(cell: Cell) -> str:
    """The rows without a number, in words: `8 gated (avoided)`."""
    parts = [f"{getattr(cell, name)} {words}" for name, words in COUNTS.items() if getattr(cell, name)]
    return ", ".join(parts)


def inactive_camera(cell: Cell | None) -> str:
    """The flag beside a system's scores: `camera inactive in 2 of 8 clips`, or nothing where it always moved."""
    if cell is None or not cell.value:
        return ""
    return f"camera inactive in {round(cell.value * cell.ok)} of {cell.ok} clips"


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
        return f"{titled(self.metric)}, by {self.by}" if self.by else titled(self.metric)


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
    mine = [c for c in cells if (c.metric, c.variant) == (metric.name, metric.variant)]
    told = {(c.instrument_key, c.ask_key): ", ".join(filter(None, [c.instrument, c.ask])) for c in mine}
    if len(told) < 2:
        return [HeadlineColumn(metric, next(iter(told), ("", "")), "")]
    twice = [label for label in told.values() if list(told.values()).count(label) > 1]
    return [
        HeadlineColumn(metric, keys, f"{label} #{(keys[0] + keys[1])[:6]}" if label in twice else label)
        for keys, label in sorted(told.items(), key=lambda item: (item[1], item[0]))
    ]
