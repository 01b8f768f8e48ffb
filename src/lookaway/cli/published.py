"""`published`: what a paper printed, and whether it agrees with itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookaway.cli import app
from lookaway.cli.common import JsonFlag, console, print_json
from lookaway.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from lookaway.published import Paper
    from lookaway.records import Table


class Drawing(StrEnum):
    """In which form tables are printed."""

    terminal = "terminal"
    markdown = "markdown"
    latex = "latex"
    csv = "csv"


@app.command()
def published(
    protocol: Annotated[str, typer.Argument(help="Such as wrbench, memobench or stevo.", metavar="PROTOCOL")],
    table: Annotated[
        list[str] | None, typer.Option(help="Only this table, such as table2; several may be given.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="List what agrees and what contradicts itself.")] = False,
    release: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder of files that the authors released.")
    ] = None,
    format: Annotated[Drawing, typer.Option(help="How tables are printed.")] = Drawing.terminal,
    as_json: JsonFlag = False,
) -> None:
    """Print the tables of a protocol's paper, or check them.

    Numbers are as printed; no video is looked at. What the authors released is theirs and not shipped: --release names
    its folder. --check compares with it, and else says which file a line needs; some tables are counted in it.
    """
    from lookaway.published import FROM_RELEASE, read_paper

    if check and table:
        raise UsageError("--check is about the whole paper; leave --table out")
    paper = read_paper(protocol)
    if release is not None and not check and protocol not in FROM_RELEASE:
        raise UsageError(
            f"no table of {protocol} is made from its release: --release is for --check; add it, or leave it out"
        )
    if check:
        _check(paper, release, format, as_json)
    else:
        _print(paper, table or [], release, format, as_json)


def _print(paper: Paper, only: Sequence[str], release: Path | None, format: Drawing, as_json: bool) -> None:
    from lookaway.published import absent_tables, published_tables

    known = {table.name: table for table in published_tables(paper, release)}
    for name in only:
        if name not in known:
            raise UnknownName("printed table", name, known)
    tables = _marked(paper, [known[name] for name in (dict.fromkeys(only) or known)])
    absent = absent_tables(paper, list(known.values()))
    if as_json:
        shown = [one.model_dump() for one in absent]
        print_json({"tables": [t.model_dump(mode="json") for t in tables], "absent": shown})
        return
    _draw(tables, format)
    if format is Drawing.terminal and not only:
        for one in absent:
            console().print(f"not here: {one.label}, {one.title}: {one.why}", style="dim")


def _marked(paper: Paper, tables: Sequence[Table]) -> list[Table]:
    """With best and second where the paper marks them; it lets sparse rows compete."""
    from lookaway.reports.drawing.marks import with_marks

    within = {table.name: table.best for table in paper.layouts.printed if table.best != "none"}
    return [with_marks(t, within[t.name], sparse_compete=True) if t.name in within else t for t in tables]


def _check(paper: Paper, release: Path | None, format: Drawing, as_json: bool) -> None:
    from lookaway.published import CHECKS
    from lookaway.published.lines import check_table
    from lookaway.reports.check_text import check_text

    lines = CHECKS[paper.layouts.name](paper, release)
    if as_json:
        print_json([asdict(line) for line in lines])
    elif format is Drawing.terminal:
        typer.echo(check_text(lines), nl=False)
    else:
        _draw([check_table(lines, paper.layouts.name)], format)


def _draw(tables: Sequence[Table], format: Drawing) -> None:
    from lookaway.reports.drawing.csv import csv_table
    from lookaway.reports.drawing.latex import latex_table
    from lookaway.reports.drawing.markdown import markdown_table
    from lookaway.reports.drawing.terminal import terminal_table

    if format is Drawing.terminal:
        for table in tables:
            console().print(terminal_table(table), "")
    elif format is Drawing.csv:
        first, *others = map(csv_table, tables)
        typer.echo("".join([first, *(text.partition("\r\n")[2] for text in others)]), nl=False)
    else:
        draw = markdown_table if format is Drawing.markdown else latex_table
        typer.echo("\n".join(map(draw, tables)), nl=False)
