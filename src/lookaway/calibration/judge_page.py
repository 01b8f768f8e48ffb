"""A judge's checks as a table for people."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lookaway.records import JudgeCheck, JudgeTable
from lookaway.reports.escaping import in_markdown

HEADS = ("check", "best", "is", "95 %", "answered", "unanswered")
NOTHING = "no better than always saying the same: whatever else this judge says means nothing"


def terminal(table: JudgeTable) -> RenderableType:
    shown = Table(title=title(table), title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in HEADS:
        shown.add_column(name, justify="left" if name in HEADS[:2] else "right")
    for check in (table.right, *table.checks):
        shown.add_row(*_cells(check))
    return Group(shown, *(Text(line, style="yellow") for line in notes(table)))


def markdown(table: JudgeTable) -> str:
    settings = ", ".join(f"{name}={value}" for name, value in table.settings.items()) or "none"
    rows = [HEADS, ("---",) * len(HEADS)]
    rows += [tuple(map(in_markdown, _cells(check))) for check in (table.right, *table.checks)]
    lines = [f"# {in_markdown(title(table))}", "", f"Settings: {in_markdown(settings)}.", ""]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, *(f"\n{in_markdown(line)}" for line in notes(table))]) + "\n"


def title(table: JudgeTable) -> str:
    clips = f"{table.true_clips} true and {table.faulty_clips} faulty clips"
    return f"judge {table.judge} on {table.suite} {table.version}, asked again about {clips}"


def notes(table: JudgeTable) -> list[str]:
    """The floors, whether they are beaten, and why numbers are missing."""
    lines = []
    if table.always_yes is not None and table.always_no is not None:
        lines.append(f"always yes would be right {table.always_yes:.0%} of the time, always no {table.always_no:.0%}")
    if not table.beats_floors:
        lines.append(NOTHING)
    return lines + [f"{check.name}: {check.reason}" for check in (table.right, *table.checks) if check.reason]


def _cells(check: JudgeCheck) -> tuple[str, ...]:
    value = "–" if check.value is None else f"{check.value:.2f}"
    interval = "–" if check.low is None or check.high is None else f"{check.low:.2f} to {check.high:.2f}"
    return check.name, check.best, value, interval, str(check.answered), str(check.unanswered)
