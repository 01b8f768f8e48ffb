"""The report as it prints in a terminal, at most 100 columns wide."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lookaway.records import Board, Cell
from lookaway.reports.words import Headline, arrow, headlines, interval, lost_here, number, others, titled


def board_tables(board: Board) -> RenderableType:
    """Headline tables, the ledger, and what was not measured."""
    parts: list[RenderableType] = [_headline(h) for h in headlines(board)]
    if board.ledger:
        parts += [_ledger(board), *_stops(board)]
    parts += [Text(f"not measured: {metric}: {why}", style="dim") for metric, why in board.not_measured.items()]
    return Group(*parts)


def show(board: Board, console: Console) -> None:
    console.print(board_tables(board))


def _headline(headline: Headline) -> Table:
    table = Table(title=f"{headline.protocol}: {headline.summary}", title_justify="left", width=100, show_lines=True)
    table.add_column("system", style="bold")
    for metric in headline.metrics:
        table.add_column(f"{titled(metric).replace('_', ' ')} {arrow(metric.better)}\n{metric.unit}", justify="right")
    for row in headline.rows:
        units = [m.unit for m in headline.metrics]
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


def _ledger(board: Board) -> Table:
    names = list(dict.fromkeys(step.step for step in board.ledger))
    table = Table(title="how far the clips got", title_justify="left", padding=0)
    table.add_column("system", style="bold", overflow="fold")
    for name in ["clips", *names]:
        table.add_column(name, justify="right", min_width=max(map(len, name.split())))
    for system in dict.fromkeys(step.system for step in board.ledger):
        mine = [step for step in board.ledger if step.system == system]
        table.add_row(system, str(mine[0].total), *(str(s.reached) for s in mine))
    return table


def _stops(board: Board) -> list[RenderableType]:
    """Where the others stopped, one line per system and step."""
    return [
        Padding(Text(f"{step.system} lost at {step.step}: {lost_here(step)}", style="dim"), (0, 0, 0, 2))
        for step in board.ledger
        if step.lost
    ]
