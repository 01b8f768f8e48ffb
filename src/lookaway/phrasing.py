"""How what was counted is put into words: the same in tables and in reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from lookaway.metrics import METRICS
from lookaway.records import Cell, DoseKind, DosePoint, LedgerStep, MetricRef

INACTIVITY = ("camera_inactivity", "sound")
WORDS = {
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
DIGITS = {"dB": 1, "%": 1, "clips": 0, "pairs": 0, "scenes": 0, "systems": 0, "p": 3}
USUAL_DIGITS = 2
MOST_REASONS = 3  # at one step of the ledger; the commonest come first


class ReadBy(NamedTuple):
    """Who measured a metric, and what was asked."""

    instrument_key: str
    ask_key: str
    label: str  # of both; empty where nobody else measured it


def readers(metric: MetricRef, cells: Iterable[Cell]) -> list[ReadBy]:
    """Every instrument and ask in the metric's cells, by label; one without a name where there are no cells."""
    mine = [c for c in cells if (c.metric, c.variant) == (metric.name, metric.variant)]
    return told_apart({(c.instrument_key, c.ask_key): (c.instrument, c.ask) for c in mine})


def told_apart(labels: dict[tuple[str, str], tuple[str, str]]) -> list[ReadBy]:
    """Keys of instrument and ask with their labels; those that read the same get a piece of their keys."""
    told = {keys: ", ".join(filter(None, label)) for keys, label in labels.items()}
    if len(told) < 2:
        return [ReadBy(*next(iter(told), ("", "")), "")]
    twice = [label for label in told.values() if list(told.values()).count(label) > 1]
    return [
        ReadBy(*keys, f"{label} #{(keys[0] + keys[1])[:6]}" if label in twice else label)
        for keys, label in sorted(told.items(), key=lambda item: (item[1], item[0]))
    ]


class Read(Protocol):
    """Anything that says who measured it and what was asked, such as a row of the detection table."""

    @property
    def instrument(self) -> str: ...
    @property
    def instrument_key(self) -> str: ...
    @property
    def ask(self) -> str: ...
    @property
    def ask_key(self) -> str: ...


def reader_labels(rows: Iterable[Read]) -> dict[tuple[str, str], str]:
    """What tells those apart who measured one metric, by key of instrument and ask: whichever of the two differs.

    Empty for the only one.
    """
    known = {(row.instrument_key, row.ask_key): row for row in rows}
    instruments, asks = ({keys[part] for keys in known} for part in (0, 1))
    differ = {
        keys: (row.instrument if len(instruments) > 1 else "", row.ask if len(asks) > 1 else "")
        for keys, row in known.items()
    }
    return {(by.instrument_key, by.ask_key): by.label for by in told_apart(differ)}


def titled(metric: MetricRef) -> str:
    """`camera_gain`, or `camera_controllability (sound)` where there are other variants or none of ours."""
    only_ours = [m.variant for m in METRICS.all().values() if m.name == metric.name] == ["sound"]
    return metric.name if only_ours else f"{metric.name} ({metric.variant})"


def with_reader(title: str, by: str) -> str:
    return f"{title}, by {by}" if by else title


def others(cell: Cell) -> str:
    """The rows without a number, in words: `8 gated (avoided)`."""
    return ", ".join(f"{getattr(cell, name)} {words}" for name, words in WORDS.items() if getattr(cell, name))


def inactive_camera(cell: Cell | None) -> str:
    """The flag beside a system's scores: `camera inactive in 2 of 8 clips`, or nothing where it always moved."""
    if cell is None or not cell.value:
        return ""
    return f"camera inactive in {round(cell.value * cell.ok)} of {cell.ok} clips"


def stopped_here(step: LedgerStep) -> list[str]:
    """What became of clips at a step: `lost: 2× return_place above 0.08`, `unknown: 1× …`; the commonest reasons."""
    counted = {"lost": step.lost, "unknown": step.unknown}
    return [f"{outcome}: {commonest(reasons)}" for outcome, reasons in counted.items() if reasons]


def commonest(reasons: Mapping[str, int]) -> str:
    """`2× return_place above 0.08; 1× camera not recovered`, of reasons with the commonest first."""
    told = [f"{count}× {why}" for why, count in reasons.items()]
    more = sum(list(reasons.values())[MOST_REASONS:])
    return "; ".join([*told[:MOST_REASONS], *([f"{more}× something else"] if more else [])])


def point_dose(point: DosePoint) -> str:
    """`1.4`, or `1.4 to 1.7` where doses were pooled."""
    low, high = f"{point.dose_low:.3g}", f"{point.dose_high:.3g}"
    return low if low == high else f"{low} to {high}"


def digits_of(unit: str, digits: int | None = None) -> int:
    """How many stand behind the point: as asked, or as the unit is usually read."""
    return DIGITS.get(unit, USUAL_DIGITS) if digits is None else digits
