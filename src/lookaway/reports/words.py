"""How a cell reads, the same in every format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lookaway.metrics import METRICS, Metric, find
from lookaway.records import Board, Cell, DoseCurve, DoseKind, DosePoint, LedgerStep, Step
from lookaway.reports.drawing.phrases import arrow as arrow
from lookaway.reports.drawing.phrases import number as number

COUNTS = {
    "avoided": "gated (avoided)",
    "no_opportunity": "gated (no opportunity)",
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


def lost_here(step: LedgerStep) -> str:
    """Why clips stopped at a step, in words: `2× return_place above 0.08`; the commonest reasons."""
    reasons = [f"{count}× {why}" for why, count in step.lost.items()]
    more = sum(list(step.lost.values())[MOST_REASONS:])
    return "; ".join([*reasons[:MOST_REASONS], *([f"{more}× something else"] if more else [])])


def lost_clip(step: Step | None, value: float | None, reason: str | None) -> str:
    """One clip's way through the ledger: `lost at right place: return_place 0.23 above 0.08`."""
    if step is None:
        return "reached every step"
    why = f"{step.metric} {value:.3g} {step.miss}" if value is not None else reason or "not scored"
    return f"lost at {step.name}: {why}"


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
    """One system's headline cells, in the order of `Headline.metrics`."""

    system: str
    cells: Sequence[Cell | None]
    inactive: str  # a still picture is consistent with itself: no score is read without this


@dataclass(frozen=True)
class Headline:
    protocol: str
    summary: str
    metrics: Sequence[Metric]
    rows: Sequence[HeadlineRow]


def headlines(board: Board) -> list[Headline]:
    """The tables every report opens with, one per protocol."""
    tables = []
    for protocol in board.protocols:
        name = protocol.name
        metrics = [find(metric) for metric in protocol.headline if metric not in board.not_measured]
        by_place = {(c.system, c.metric, c.variant): c for c in board.cells if (c.protocol, c.slice) == (name, "all")}
        rows = [
            HeadlineRow(
                system,
                [by_place.get((system, m.name, m.variant)) for m in metrics],
                inactive_camera(by_place.get((system, *INACTIVITY))),
            )
            for system in board.systems
        ]
        tables.append(Headline(name, protocol.summary, metrics, rows))
    return tables
