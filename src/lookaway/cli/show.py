"""`show`: walk back from a case to its pixels, printing each step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from lookaway.cli import app
from lookaway.cli.common import JsonFlag, RunFolder, console, print_json


@app.command()
def show(
    case: Annotated[str, typer.Argument(help="task/system/seed", metavar="CASE")],
    run: RunFolder,
    metric: Annotated[str | None, typer.Option(help="Only this metric.")] = None,
    strip: Annotated[Path | None, typer.Option(help="Write a filmstrip of clip and truth to this PNG.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Print a case's way: task, request, clip, what was seen, scores."""
    from lookaway.pipeline.trace import trace, write_strip
    from lookaway.store import open_run

    folder = open_run(run)
    steps = trace(folder, case, metric)
    if strip is not None:
        write_strip(folder, case, strip)
    if as_json:
        print_json(steps)
        return
    screen = console()
    for name, rows in steps.items():
        _print(screen, name, rows)
    if strip is not None:
        screen.print(f"filmstrip: {strip}", highlight=False, soft_wrap=True)


def _print(screen: Console, name: str, rows: list[dict[str, str]]) -> None:
    screen.rule(name, align="left", style="dim")
    for row in rows:
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for key, value in row.items():
            table.add_row(f"[dim]{key}[/dim]", value)
        screen.print(table)
