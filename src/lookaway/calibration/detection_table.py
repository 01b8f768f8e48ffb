"""The detection table for people: Markdown for a file, a summary of at most 100 columns for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lookaway.observers.difference import GREY_LEVELS
from lookaway.records import Detection, DetectionTable
from lookaway.reports.escaping import in_markdown

NOTICED = 0.95  # hit rate from which a metric notices a fault
BLIND = 0.10  # hit rate up to which it is blind to it: hardly more than chance alarms


def ladders(rows: Iterable[Detection]) -> list[tuple[Detection, ...]]:
    """Rows of one metric and fault together, from mild to severe."""
    return [tuple(rung) for _, rung in groupby(rows, key=lambda row: (row.metric, row.variant, row.kind, row.fault))]


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
    parts: list[RenderableType] = [Text(summary(table), style="bold")]
    if any(row.n for ladder in declared(table) for row in ladder):
        parts.append(_declared(table))
        parts.append(
            Text("none: clips without a number, counted as misses; unseen: hardly differ from the truth, not counted")
        )
    parts.append(_calm(table))
    silent = {f"{row.metric}: {row.reason}" for row in table.rows if row.n == 0 and row.kind == "truth"}
    parts += [Text(f"not measured: {line}", style="dim") for line in sorted(silent)]
    parts += [Text(f"warning: {line}", style="yellow") for line in warnings]
    return Group(*parts)


def _declared(table: DetectionTable) -> Table:
    title = "each fault under the metric that must notice it, at the middle of its ladder"
    shown = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in ("fault", "metric"):
        shown.add_column(name)
    for name in ("n", "hits [95 %]", "AUC", "ladder, %", "none", "unseen"):
        shown.add_column(name, justify="right", no_wrap=True)
    for ladder in declared(table):
        row = middle(ladder)
        shown.add_row(
            row.fault,
            row.metric,
            str(row.n),
            rate(row),
            "–" if row.auc is None else f"{row.auc:.2f}",
            " ".join("–" if r.hit_rate is None else f"{100 * r.hit_rate:.0f}" for r in ladder),
            str(row.n_abstained + row.n_gated),
            str(row.n_unobservable),
        )
    return shown


def _calm(table: DetectionTable) -> Table:
    shown = Table(title="alarms without a fault", title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    shown.add_column("metric")
    for name in ("harmless clips", "false alarms", "worst stress"):
        shown.add_column(name, justify="right")
    for rows in _by_metric(table.rows):
        alarm = next((row.false_alarm_rate for row in rows if row.false_alarm_rate is not None), None)
        if alarm is not None:
            shown.add_row(_name(rows[0]), str(max(row.n_harmless for row in rows)), share(alarm), _worst_stress(rows))
    return shown


def _worst_stress(rows: Iterable[Detection]) -> str:
    rates = [(row.hit_rate, row.fault) for row in rows if row.kind == "stress" and row.hit_rate is not None]
    if not rates:
        return "–"
    worst, name = max(rates)
    return f"{name} {share(worst)}" if worst else share(worst)


def _by_metric(rows: Iterable[Detection]) -> list[list[Detection]]:
    return [list(mine) for _, mine in groupby(rows, key=lambda row: (row.metric, row.variant))]


def _name(row: Detection) -> str:
    return row.metric if row.variant == "sound" else f"{row.metric} ({row.variant})"


# ---------------------------------------------------------------- Markdown


def markdown(table: DetectionTable, warnings: Sequence[str] = ()) -> str:
    """The whole table as a page."""
    parts = [
        "# Detection",
        f"{in_markdown(summary(table))}.",
        _how_to_read(table),
        "## Each fault under the metric that must notice it",
        _declared_page(table),
        "## What each metric notices",
        "At the middle severity: noticed from 95 % hits, blind up to 10 %, gated when no clip gets as far as a number.",
        _notices_page(table),
        "## Alarms without a fault",
        "Share of clips that alarm, of those with a number. The stress set is published, not tuned away.",
        _matrix(table, ("truth", "harmless"), lambda row: share(row.hit_rate)),
        _matrix(table, ("stress",), lambda row: share(row.hit_rate)),
        "## Baselines",
        "Share of clips that alarm, and of how many; a clip without a number counts as missed.",
        _matrix(table, ("baseline",), _caught),
        "## Not measured",
        _silent_page(table),
    ]
    if warnings:
        parts += ["## Warnings", "\n".join(f"- {in_markdown(line)}" for line in warnings)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _how_to_read(table: DetectionTable) -> str:
    first, second = (in_markdown(", ".join(half)) for half in table.halves)
    return (
        "A clip alarms when its badness exceeds a threshold: the badness that at most "
        f"{share(table.false_alarms)} of harmless clips exceed, or the margin that the metric declares, whichever is "
        "larger. Thresholds set on one half of the layouts judge the clips of the other half, both ways: "
        f"{first} against {second}. A fault without a number is a miss. A fault whose clip differs from the truth, by "
        f"more than {GREY_LEVELS} grey levels, in less than {share(table.unobservable_below)} of the subject's first "
        "area, taking any two frames in a row, is unobservable and not counted. Intervals are 95 %, over scenes. AUC "
        "is the chance that a faulty clip looks worse than a harmless one."
    )


def _declared_page(table: DetectionTable) -> str:
    rows = []
    for ladder in declared(table):
        for row in ladder:
            mark = " (middle)" if row is middle(ladder) and len(ladder) > 1 else ""
            rows.append(
                [
                    row.fault,
                    severity(row) + mark,
                    row.metric,
                    str(row.n),
                    rate(row),
                    "–" if row.auc is None else f"{row.auc:.3f}",
                    "–" if row.threshold is None else f"{row.threshold:.3g}",
                    str(row.n_abstained),
                    str(row.n_gated),
                    str(row.n_unobservable),
                    row.reason,
                ]
            )
    heads = ["fault", "severity", "metric", "n", "hits", "AUC", "threshold", "abstained", "gated", "unobservable", ""]
    return _page(heads, rows)


def _notices_page(table: DetectionTable) -> str:
    rows = []
    for mine in _by_metric(row for row in table.rows if row.kind == "fault"):
        named: dict[str, list[str]] = {"noticed": [], "partly": [], "blind": [], "gated": []}
        for ladder in ladders(mine):
            if (verdict := _verdict(middle(ladder))) is not None:
                named[verdict].append(ladder[0].fault)
        if any(named.values()):
            alarm = next((row.false_alarm_rate for row in mine if row.false_alarm_rate is not None), None)
            rows.append([_name(mine[0]), share(alarm), *(", ".join(faults) for faults in named.values())])
    return _page(["metric", "false alarms", "noticed", "partly", "blind to", "gated"], rows)


def _verdict(row: Detection) -> str | None:
    if row.hit_rate is None:
        return None
    if row.n_gated == row.n:
        return "gated"
    return "noticed" if row.hit_rate >= NOTICED else "blind" if row.hit_rate <= BLIND else "partly"


def _caught(row: Detection) -> str:
    gated = f", {row.n_gated} gated" if row.n_gated else ""
    return "–" if row.hit_rate is None else f"{share(row.hit_rate)} of {row.n}{gated}"


def _matrix(table: DetectionTable, kinds: Sequence[str], said: Callable[[Detection], str]) -> str:
    """One row per metric, one column per model of these kinds."""
    rows = [row for row in table.rows if row.kind in kinds]
    names = list(dict.fromkeys((row.fault, row.severity) for row in rows))
    heads = [f"{fault} {level:g}" if level is not None else fault for fault, level in names]
    lines = []
    for mine in _by_metric(rows):
        if any(row.hit_rate is not None for row in mine):
            cells = {(row.fault, row.severity): said(row) for row in mine}
            lines.append([_name(mine[0]), *(cells.get(name, "–") for name in names)])
    return _page(["metric", *heads], lines)


def _silent_page(table: DetectionTable) -> str:
    rows = [mine[0] for mine in _by_metric(table.rows) if not any(row.n for row in mine)]
    return "\n".join(f"- {in_markdown(f'{_name(row)}: {row.reason}')}" for row in rows)


def _page(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return "Nothing to show."
    lines = [[in_markdown(cell) for cell in line] for line in (heads, *rows)]
    lines.insert(1, ["---"] * len(heads))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
