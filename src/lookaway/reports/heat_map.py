"""The detection table as a heat map: which metric notices which fault, at which severity."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from lookaway.phrasing import reader_labels, with_reader
from lookaway.records import Detection, DetectionKind, DetectionTable
from lookaway.reports.pages import page_style, render

MARKED_SHARE = 0.1  # of a cell's clips; fewer without a number are told only where one points at the cell
HIT, ALARM = (31, 95, 168), (179, 55, 47)  # full colour, red-green-blue: wanted hits, unwanted alarms
LIGHT_TEXT_ABOVE = 0.85  # of the full colour: white stands out from there on, black up to there
SECTIONS: dict[DetectionKind, tuple[str, str]] = {
    "fault": ("Faults", "share of clips caught; the outlined metric is the one that must catch it"),
    "baseline": ("Baselines", "share of clips caught: videos that never looked away, or never had a world"),
    "harmless": ("Harmless variations", "false alarms: share of clips that alarm although nothing is wrong"),
    "stress": ("Stress", "share of clips that alarm on a bad recording of the truth; published, not tuned away"),
    "truth": ("Truth", "false alarms on the true clip itself"),
}
WANTED: tuple[DetectionKind, ...] = ("fault", "baseline")

HeatColumn = tuple[str, str, str, str]  # metric, variant, and who read it: instrument and ask, by key


@dataclass(frozen=True)
class Square:
    """One cell of the map; without a text there is no number."""

    text: str
    colour: str
    light: bool
    marks: str
    title: str
    declared: bool


@dataclass(frozen=True)
class SeverityRow:
    """One severity of a fault."""

    severity: str
    squares: list[Square | None]


@dataclass(frozen=True)
class Fault:
    name: str
    rungs: list[SeverityRow]


@dataclass(frozen=True)
class Section:
    title: str
    about: str
    faults: list[Fault]


def heat_map_html(table: DetectionTable) -> Markup:
    """The map as a piece of a page: one scrolling box with its legend, nothing outside of it needed."""
    columns = _columns(table.rows)
    sections = [
        Section(title, about, _faults([row for row in table.rows if row.kind == kind], columns))
        for kind, (title, about) in SECTIONS.items()
        if any(row.kind == kind for row in table.rows)
    ]
    names = _column_names(table.rows)
    heads = [names[column] for column in columns]
    layouts = [", ".join(half) for half in table.halves]
    scale = [(f"{share:.0%}", _colour(share, HIT), _colour(share, ALARM)) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    return render("heat_map.jinja", table=table, heads=heads, sections=sections, layouts=layouts, scale=scale)


def _columns(rows: Sequence[Detection]) -> list[HeatColumn]:
    """Every metric that has a clip to tell of; all where none has."""
    tried = dict.fromkeys(_column(row) for row in rows if row.n or row.n_unobservable)
    return list(tried or dict.fromkeys(_column(row) for row in rows))


def _column(row: Detection) -> HeatColumn:
    return row.metric, row.variant, row.instrument_key, row.ask_key


def _column_names(rows: Sequence[Detection]) -> dict[HeatColumn, str]:
    """The metric; its variant where there are several, and who read it where several did."""
    by_metric: dict[tuple[str, str], list[Detection]] = {}
    for row in rows:
        by_metric.setdefault((row.metric, row.variant), []).append(row)
    names = [metric for metric, _ in by_metric]
    found: dict[HeatColumn, str] = {}
    for (metric, variant), mine in by_metric.items():
        title = metric if names.count(metric) == 1 else f"{metric} ({variant})"
        found |= {(metric, variant, *by): with_reader(title, label) for by, label in reader_labels(mine).items()}
    return found


def heat_map_page(table: DetectionTable) -> str:
    """The map as a page of its own."""
    style, words = page_style(), [_title(row) for row in table.rows]
    return str(render("heat_map_page.jinja", table=table, heat_map=heat_map_html(table), words=words, style=style))


def _faults(rows: Iterable[Detection], columns: list[HeatColumn]) -> list[Fault]:
    """Rows in the table's order, the rungs of a fault together, mild to severe as they come."""
    by_fault: dict[str, list[Detection]] = {}
    for row in rows:
        by_fault.setdefault(row.fault, []).append(row)
    return [Fault(name, _rungs(mine, columns)) for name, mine in by_fault.items()]


def _rungs(rows: list[Detection], columns: list[HeatColumn]) -> list[SeverityRow]:
    order = {severity: number for number, severity in enumerate(dict.fromkeys(row.severity for row in rows))}
    made = []
    for severity, rung in groupby(sorted(rows, key=lambda r: order[r.severity]), key=lambda r: r.severity):
        by_column = {_column(row): row for row in rung}
        squares = [_square(by_column[c]) if c in by_column else None for c in columns]
        made.append(SeverityRow("" if severity is None else f"{severity:g}", squares))
    return made


def _square(row: Detection) -> Square:
    share = row.hit_rate
    return Square(
        text="" if share is None else f"{100 * share:.0f}",
        colour="" if share is None else _colour(share, HIT if row.kind in WANTED else ALARM),
        light=share is not None and share > LIGHT_TEXT_ABOVE,
        marks=_marks(row),
        title=_title(row),
        declared=row.declared,
    )


def _marks(row: Detection) -> str:
    """A letter per way of having no number, where it concerns more than a few clips."""
    counts = {"g": (row.n_gated, row.n), "a": (row.n_abstained, row.n)}
    counts["u"] = (row.n_unobservable, row.n + row.n_unobservable)
    return "".join(letter for letter, (count, n) in counts.items() if n and count / n > MARKED_SHARE)


def _title(row: Detection) -> str:
    severity = "" if row.severity is None else f" at {row.severity:g}"
    words = [f"{row.metric} on {row.fault}{severity}" + (", declared" if row.declared else "")]
    if row.hit_rate is not None:
        span = "" if row.hit_low is None or row.hit_high is None else f" [{row.hit_low:.2f}, {row.hit_high:.2f}]"
        words.append(f"{'caught' if row.kind in WANTED else 'alarms'} {row.hit_rate:.2f}{span}")
    words.append(f"n={row.n}")
    counts = {"gated": row.n_gated, "abstained": row.n_abstained, "unobservable (not in n)": row.n_unobservable}
    words += [f"{count} {name}" for name, count in counts.items() if count]
    numbers = {"AUC": row.auc, "threshold": row.threshold, "false alarms": row.false_alarm_rate}
    words += [f"{name} {value:.3g}" for name, value in numbers.items() if value is not None]
    return "; ".join(filter(None, [", ".join(words), row.reason]))


def _colour(share: float, full: tuple[int, int, int]) -> str:
    """From white at nothing to the full colour at everything."""
    return "#" + "".join(f"{round(255 + (part - 255) * share):02x}" for part in full)
