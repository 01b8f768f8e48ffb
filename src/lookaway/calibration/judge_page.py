"""A judge's checks as a table for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lookaway.records import AskGrade, JudgeCheck, JudgeTable
from lookaway.reports.escaping import in_markdown

HEADS = ("check", "best", "is", "95 %", "answered", "unanswered")
ASK_HEADS = ("ask", "role", "n", "yes", "right", "wrong [95 %]", "cannot tell", "unread", "no reply", "open")
NOTHING = "no better than always saying the same: whatever else this judge says means nothing"
ASKS_NOTE = (
    "n: clip by clip and row by row, where the known world has a right answer; yes: of n, that one; wrong: of those "
    "that say yes or no; unread: replies that cannot be read; open: not of n, for nothing is exactly right or the "
    "frames do not show it."
)


def terminal(table: JudgeTable) -> RenderableType:
    parts: list[RenderableType] = []
    if table.right is not None:
        parts.append(_drawn(title(table), HEADS, [_cells(check) for check in (table.right, *table.checks)]))
        parts += [Text(line, style="yellow") for line in notes(table)]
    if table.asks:
        named = "each thing that it is asked" if parts else title(table)
        parts += [_drawn(named, ASK_HEADS, map(_ask_cells, table.asks)), Text(ASKS_NOTE)]
    return Group(*parts, *(Text(line, style="yellow") for line in ask_notes(table)))


def _drawn(called: str, heads: Sequence[str], lines: Iterable[Sequence[str]]) -> Table:
    shown = Table(title=called, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for number, name in enumerate(heads):
        shown.add_column(name, justify="left" if number < 2 else "right", no_wrap=name in ("ask", "wrong [95 %]"))
    for line in lines:
        shown.add_row(*line)
    return shown


def markdown(table: JudgeTable) -> str:
    settings = ", ".join(f"{name}={value}" for name, value in table.settings.items()) or "none"
    parts = [f"# {in_markdown(title(table))}", f"Settings: {in_markdown(settings)}."]
    if table.right is not None:
        parts.append(_page(HEADS, [_cells(check) for check in (table.right, *table.checks)]))
    parts += [in_markdown(line) for line in notes(table)]
    if table.asks:
        lines = [(*_ask_cells(ask), ask.label) for ask in table.asks]
        parts += ["## Each ask", ASKS_NOTE, _page((*ASK_HEADS, "asked"), lines)]
    return "\n\n".join([*parts, *(in_markdown(line) for line in ask_notes(table))]) + "\n"


def _page(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rows = [heads, ("---",) * len(heads), *(tuple(map(in_markdown, line)) for line in lines)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def title(table: JudgeTable) -> str:
    named = f"judge {table.judge} on {table.suite} {table.version}"
    if table.right is None:
        return named
    return f"{named}, asked again about {table.true_clips} true and {table.faulty_clips} faulty clips"


def notes(table: JudgeTable) -> list[str]:
    """The floors, whether they are beaten, and why numbers are missing."""
    if table.right is None:
        return []
    lines = []
    if table.always_yes is not None and table.always_no is not None:
        lines.append(f"always yes would be right {table.always_yes:.0%} of the time, always no {table.always_no:.0%}")
    if not table.beats_floors:
        lines.append(NOTHING)
    return lines + [f"{check.name}: {check.reason}" for check in (table.right, *table.checks) if check.reason]


def ask_notes(table: JudgeTable) -> list[str]:
    """Why an ask's error or its interval is missing."""
    return [f"{ask.ask}: {ask.reason}" for ask in table.asks if ask.reason]


def _ask_cells(ask: AskGrade) -> tuple[str, ...]:
    wrong = "–" if ask.error is None else f"{ask.error:.2f}"
    wrong += "" if ask.low is None or ask.high is None else f" [{ask.low:.2f}, {ask.high:.2f}]"
    counts = (ask.n, ask.n_yes, ask.right, ask.abstained, ask.invalid, ask.failed, ask.unknown)
    n, yes, right, *others = map(str, counts)
    return ask.ask, ask.role, n, yes, right, wrong, *others


def _cells(check: JudgeCheck) -> tuple[str, ...]:
    value = "–" if check.value is None else f"{check.value:.2f}"
    interval = "–" if check.low is None or check.high is None else f"{check.low:.2f} to {check.high:.2f}"
    return check.name, check.best, value, interval, str(check.answered), str(check.unanswered)
