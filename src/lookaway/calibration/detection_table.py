"""The detection table in a terminal, a summary of at most 100 columns, and what it shares with the page.

Where several instruments read one metric, each has lines of its own, and a column says which.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lookaway.phrasing import reader_labels, with_reader
from lookaway.records import Detection, DetectionTable

Reading = tuple[str, str, str, str]  # a metric as one instrument read it: name, variant, instrument and ask by key
Readers = Mapping[Reading, str]  # who that is, in words; empty where nobody else read the metric
Line = tuple[Detection, list[str]]  # cells of a table, and a row of the reading that they are about


def reading(row: Detection) -> Reading:
    return row.metric, row.variant, row.instrument_key, row.ask_key


def readers_of(table: DetectionTable) -> Readers:
    found: dict[Reading, str] = {}
    for (metric, variant), rows in groupby(table.rows, key=lambda row: (row.metric, row.variant)):
        found |= {(metric, variant, *keys): label for keys, label in reader_labels(rows).items()}
    return found


def with_instruments(
    heads: Sequence[str], lines: Sequence[Line], readers: Readers
) -> tuple[list[str], list[list[str]]]:
    """The table with a column for the instrument behind that of the metric, where some metric has several."""
    told = [readers[reading(row)] for row, _ in lines]
    if not any(told):
        return [*heads], [cells for _, cells in lines]
    after = heads.index("metric") + 1
    wide = [[*cells[:after], by, *cells[after:]] for (_, cells), by in zip(lines, told, strict=True)]
    return [*heads[:after], "instrument", *heads[after:]], wide


def by_reading(rows: Iterable[Detection]) -> list[list[Detection]]:
    return [list(mine) for _, mine in groupby(rows, key=reading)]


def metric_name(row: Detection) -> str:
    return row.metric if row.variant == "sound" else f"{row.metric} ({row.variant})"


def ladders(rows: Iterable[Detection]) -> list[tuple[Detection, ...]]:
    """Rows of one metric, instrument and fault together, from mild to severe."""
    return [tuple(rung) for _, rung in groupby(rows, key=lambda row: (reading(row), row.kind, row.fault))]


def middle(ladder: Sequence[Detection]) -> Detection:
    return ladder[len(ladder) // 2]


def declared(table: DetectionTable) -> list[tuple[Detection, ...]]:
    """The ladder of each fault under its declared metric, by name of the fault."""
    return sorted(ladders(row for row in table.rows if row.declared), key=lambda ladder: ladder[0].fault)


def summary(table: DetectionTable) -> str:
    """What was run, in one line."""
    return (
        f"{table.suite} version {table.version}: {table.n_clips} clips of {len(table.tasks)} tasks, "
        f"{table.n_harmless} of them harmless variations"
    )


def share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


def rate(row: Detection) -> str:
    """`93 % [81, 98]`, or as much of it as there is."""
    if row.hit_rate is None or row.hit_low is None or row.hit_high is None:
        return share(row.hit_rate)
    return f"{share(row.hit_rate)} [{100 * row.hit_low:.0f}, {100 * row.hit_high:.0f}]"


def severity(row: Detection) -> str:
    return "" if row.severity is None else f"{row.severity:g}"


# ---------------------------------------------------------------- terminal


def terminal(table: DetectionTable, warnings: Sequence[str] = ()) -> RenderableType:
    """Each fault under its declared metric, then alarms without a fault, then what could not be said."""
    readers = readers_of(table)
    parts: list[RenderableType] = [Text(summary(table), style="bold")]
    if any(row.n for ladder in declared(table) for row in ladder):
        parts.append(_declared(table, readers))
        parts.append(
            Text("none: clips without a number, counted as misses; unseen: hardly differ from the truth, not counted")
        )
    parts.append(_calm(table, readers))
    rows = [row for row in table.rows if row.n == 0 and row.kind == "truth"]
    silent = {f"{with_reader(row.metric, readers[reading(row)])}: {row.reason}" for row in rows}
    parts += [Text(f"not measured: {line}", style="dim") for line in sorted(silent)]
    parts += [Text(f"warning: {line}", style="yellow") for line in warnings]
    return Group(*parts)


def _declared(table: DetectionTable, readers: Readers) -> Table:
    lines = []
    for ladder in declared(table):
        row = middle(ladder)
        cells = [
            row.fault,
            row.metric,
            str(row.n),
            rate(row),
            "–" if row.auc is None else f"{row.auc:.2f}",
            " ".join("–" if r.hit_rate is None else f"{100 * r.hit_rate:.0f}" for r in ladder),
            str(row.n_abstained + row.n_gated),
            str(row.n_unobservable),
        ]
        lines.append((row, cells))
    heads = ("fault", "metric", "n", "hits [95 %]", "AUC", "ladder, %", "none", "unseen")
    title = "each fault under the metric that must notice it, at the middle of its ladder"
    return _drawn(title, *with_instruments(heads, lines, readers))


def _calm(table: DetectionTable, readers: Readers) -> Table:
    lines = []
    for rows in by_reading(table.rows):
        alarm = next((row.false_alarm_rate for row in rows if row.false_alarm_rate is not None), None)
        if alarm is not None:
            harmless = str(max(row.n_harmless for row in rows))
            lines.append((rows[0], [metric_name(rows[0]), harmless, share(alarm), _worst_stress(rows)]))
    heads = ("metric", "harmless clips", "false alarms", "worst stress")
    return _drawn("alarms without a fault", *with_instruments(heads, lines, readers))


def _drawn(title: str, heads: Sequence[str], lines: Iterable[Sequence[str]]) -> Table:
    """Names to the left, where they may be folded; numbers to the right."""
    shown = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in heads:
        is_name = name in ("fault", "metric", "instrument")
        shown.add_column(
            name,
            justify="left" if is_name else "right",
            no_wrap=not is_name,
            overflow="fold" if is_name else "ellipsis",
        )
    for line in lines:
        shown.add_row(*line)
    return shown


def _worst_stress(rows: Iterable[Detection]) -> str:
    rates = [(row.hit_rate, row.fault) for row in rows if row.kind == "stress" and row.hit_rate is not None]
    if not rates:
        return "–"
    worst, name = max(rates)
    return f"{name} {share(worst)}" if worst else share(worst)
