"""The detection table as a page of Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lookaway.calibration.detection_table import (
    Line,
    Readers,
    by_reading,
    declared,
    ladders,
    metric_name,
    middle,
    rate,
    readers_of,
    reading,
    severity,
    share,
    summary,
    with_instruments,
)
from lookaway.observers.difference import GREY_LEVELS
from lookaway.phrasing import with_reader
from lookaway.records import Detection, DetectionTable
from lookaway.reports.escaping import in_markdown

NOTICED = 0.95  # hit rate from which a metric notices a fault
BLIND = 0.10  # hit rate up to which it is blind to it: hardly more than chance alarms


def markdown(table: DetectionTable, warnings: Sequence[str] = ()) -> str:
    """The whole table as a page."""
    readers = readers_of(table)
    parts = [
        "# Detection",
        f"{in_markdown(summary(table))}.",
        _how_to_read(table),
        "## Each fault under the metric that must notice it",
        _declared_page(table, readers),
        "## What each metric notices",
        "At the middle severity: noticed from 95 % hits, blind up to 10 %, gated when no clip gets as far as a number.",
        _notices_page(table, readers),
        "## Alarms without a fault",
        "Share of clips that alarm, of those with a number. The stress set is published, not tuned away.",
        _matrix(table, readers, ("truth", "harmless"), lambda row: share(row.hit_rate)),
        _matrix(table, readers, ("stress",), lambda row: share(row.hit_rate)),
        "## Baselines",
        "Share of clips that alarm, and of how many; a clip without a number counts as missed.",
        _matrix(table, readers, ("baseline",), _caught),
        "## Not measured",
        _silent_page(table, readers),
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


def _declared_page(table: DetectionTable, readers: Readers) -> str:
    lines: list[Line] = []
    for ladder in declared(table):
        for row in ladder:
            mark = " (middle)" if row is middle(ladder) and len(ladder) > 1 else ""
            cells = [
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
            lines.append((row, cells))
    heads = ["fault", "severity", "metric", "n", "hits", "AUC", "threshold", "abstained", "gated", "unobservable", ""]
    return _page(*with_instruments(heads, lines, readers))


def _notices_page(table: DetectionTable, readers: Readers) -> str:
    lines: list[Line] = []
    for mine in by_reading(row for row in table.rows if row.kind == "fault"):
        named: dict[str, list[str]] = {"noticed": [], "partly": [], "blind": [], "gated": []}
        for ladder in ladders(mine):
            if (verdict := _verdict(middle(ladder))) is not None:
                named[verdict].append(ladder[0].fault)
        if any(named.values()):
            alarm = next((row.false_alarm_rate for row in mine if row.false_alarm_rate is not None), None)
            cells = [metric_name(mine[0]), share(alarm), *(", ".join(faults) for faults in named.values())]
            lines.append((mine[0], cells))
    heads = ["metric", "false alarms", "noticed", "partly", "blind to", "gated"]
    return _page(*with_instruments(heads, lines, readers))


def _verdict(row: Detection) -> str | None:
    if row.hit_rate is None:
        return None
    if row.n_gated == row.n:
        return "gated"
    return "noticed" if row.hit_rate >= NOTICED else "blind" if row.hit_rate <= BLIND else "partly"


def _caught(row: Detection) -> str:
    gated = f", {row.n_gated} gated" if row.n_gated else ""
    return "–" if row.hit_rate is None else f"{share(row.hit_rate)} of {row.n}{gated}"


def _matrix(table: DetectionTable, readers: Readers, kinds: Sequence[str], said: Callable[[Detection], str]) -> str:
    """One row per metric and instrument, one column per model of these kinds."""
    rows = [row for row in table.rows if row.kind in kinds]
    names = list(dict.fromkeys((row.fault, row.severity) for row in rows))
    heads = [f"{fault} {level:g}" if level is not None else fault for fault, level in names]
    lines: list[Line] = []
    for mine in by_reading(rows):
        if any(row.hit_rate is not None for row in mine):
            cells = {(row.fault, row.severity): said(row) for row in mine}
            lines.append((mine[0], [metric_name(mine[0]), *(cells.get(name, "–") for name in names)]))
    return _page(*with_instruments(["metric", *heads], lines, readers))


def _silent_page(table: DetectionTable, readers: Readers) -> str:
    rows = [mine[0] for mine in by_reading(table.rows) if not any(row.n for row in mine)]
    named = [(with_reader(metric_name(row), readers[reading(row)]), row.reason) for row in rows]
    return "\n".join(f"- {in_markdown(f'{name}: {reason}')}" for name, reason in named)


def _page(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return "Nothing to show."
    lines = [[in_markdown(cell) for cell in line] for line in (heads, *rows)]
    lines.insert(1, ["---"] * len(heads))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
