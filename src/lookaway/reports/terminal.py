"""The report as it prints in a terminal, at most 100 columns wide."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lookaway.phrasing import others, stopped_here, with_reader
from lookaway.records import Board, Cell
from lookaway.reports.drawing.phrases import arrow, number
from lookaway.reports.drawing.terminal import fits, terminal_table
from lookaway.reports.escaping import in_one_line
from lookaway.reports.words import LONG, Headline, drawn_tables, headlines, interval, ledger_rows, reached

NAME_WIDTH = 16  # what a system's name keeps of a line, however many columns there are


def board_tables(board: Board) -> RenderableType:
    """Headline tables, the ledger, tables of analyses that fit a screen, and what was not measured."""
    parts: list[RenderableType] = [_headline(h) for h in headlines(board)]
    parts += [
        Text(with_reader(one.system, one.instruments), style="bold").append(f" {one.sentence}", style="not bold")
        for one in board.words
    ]
    if board.ledger:
        parts += [_ledger(board, name) for name in dict.fromkeys(step.protocol for step in board.ledger)]
        parts += _stops(board)
    parts += _analysed(board)
    parts += [Text(f"not analysed: {what}: {why}", style="dim") for what, why in board.not_analysed.items()]
    parts += [Text(f"deviation: {what}: {why}", style="dim") for what, why in board.deviations.items()]
    parts += [Text(f"not measured: {metric}: {why}", style="dim") for metric, why in board.not_measured.items()]
    return Group(*parts)


def show(board: Board, console: Console) -> None:
    console.print(board_tables(board))


def _analysed(board: Board) -> list[RenderableType]:
    """The tables of analyses that fit a screen together, and the titles of the others."""
    shown: list[RenderableType] = []
    left_out: dict[str, None] = {}
    rows = 0
    for table in drawn_tables(board):
        if fits(table) and rows + len(table.rows) <= LONG:
            rows += len(table.rows)
            shown.append(terminal_table(table))
        else:
            left_out[in_one_line(table.title)] = None
    if left_out:
        shown.append(Text(f"in the reports, too large for here: {'; '.join(left_out)}", style="dim"))
    return shown


def _headline(headline: Headline) -> Table:
    table = Table(title=f"{headline.protocol}: {headline.summary}", title_justify="left", width=100, show_lines=True)
    longest = max((len(row.system) for row in headline.rows), default=0)
    table.add_column("system", style="bold", overflow="fold", min_width=min(longest, NAME_WIDTH))
    for column in headline.columns:
        head = f"{column.title.replace('_', ' ')} {arrow(column.metric.better)}\n{column.metric.unit}"
        table.add_column(head, justify="right")
    for row in headline.rows:
        units = [column.metric.unit for column in headline.columns]
        system = Text(row.system).append(f"\n{row.inactive}" if row.inactive else "", style="yellow")
        table.add_row(system, *(_cell(c, u) for c, u in zip(row.cells, units, strict=True)))
    return table


def _cell(cell: Cell | None, unit: str) -> Text:
    if cell is None:
        return Text("–", style="dim")
    text = Text()
    if cell.ok:
        text.append(number(cell.value, unit), style="bold")
        text.append(f"\n{interval(cell, unit) or cell.method}\nn={cell.ok} of {cell.n}", style="dim")
    if others(cell):
        text.append(("\n" if cell.ok else "") + others(cell), style="yellow")
    return text


def _ledger(board: Board, protocol: str) -> Table:
    ours = [step for step in board.ledger if step.protocol == protocol]
    names = list(dict.fromkeys(step.step for step in ours))
    many = len({step.protocol for step in board.ledger}) > 1
    title = f"how far the clips got ({protocol})" if many else "how far the clips got"
    table = Table(title=title, title_justify="left", padding=0)
    table.add_column("system", style="bold", overflow="fold")
    for name in ["clips", *names]:
        table.add_column(name, justify="right", min_width=max(map(len, name.split())))
    for row in ledger_rows(ours):
        table.add_row(row.title, str(row.total), *map(reached, row.steps))
    return table


def _stops(board: Board) -> list[RenderableType]:
    """Where the others stopped, one line per system and step."""
    return [
        Padding(Text(f"{row.title} at {step.step}: {'; '.join(stopped_here(step))}", style="dim"), (0, 0, 0, 2))
        for row in ledger_rows(board.ledger)
        for step in row.steps
        if stopped_here(step)
    ]
