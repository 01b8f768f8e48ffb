"""`compare`: which system remembers better, and is it sure?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookaway.cli import EXIT_FAILURES, app
from lookaway.cli.common import JsonFlag, console, print_json

if TYPE_CHECKING:
    from lookaway.pipeline.comparing import Compared
    from lookaway.records import SystemComparison


@app.command()
def compare(
    arms: Annotated[
        list[str],
        typer.Argument(metavar="RUN[:SYSTEM]...", help="Runs, or single systems of them; the first is held against."),
    ],
    aa: Annotated[
        bool, typer.Option("--aa", help="The same checkpoint twice, or seeds of one: exit with 1 if it alarms.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Also write comparison.html, comparison.md and comparison.json here."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Compare systems on the tasks that both were asked.

    Differences of the headline with intervals over scenes, exact tests and Holm's correction; where clips are lost that
    were not before; the worst pairs; checkpoints as a curve; and a sentence to print.
    """
    from lookaway.pipeline.arms import named_parts
    from lookaway.pipeline.comparing import compare as compared_parts

    found = compared_parts([part for some in named_parts(arms) for part in some], aa)
    written = [] if out is None else [str(path) for path in _written(found, out)]
    if as_json:
        print_json(found.record.model_dump(mode="json") | {"written": written})
    else:
        _show(found.record)
        for path in written:
            typer.echo(path)
    if aa and found.record.alarms:
        raise typer.Exit(EXIT_FAILURES)


def _written(found: Compared, out: Path) -> list[Path]:
    from lookaway.reports.comparison import comparison_html, comparison_markdown
    from lookaway.store import write_whole

    out.mkdir(parents=True, exist_ok=True)
    montages = found.montages()
    files = {
        "comparison.html": comparison_html(found.record, montages),
        "comparison.md": comparison_markdown(found.record, montages),
        "comparison.json": found.record.model_dump_json(indent=1) + "\n",
    }
    return [write_whole(out / name, content) for name, content in files.items()]


def _show(record: SystemComparison) -> None:
    from lookaway.reports.comparison import arms_told
    from lookaway.reports.drawing.terminal import terminal_table

    for arm, told in arms_told(record):
        typer.echo(f"{arm.name}: {told}")
    for table in record.tables:
        console().print(terminal_table(table))
    for what, why in record.left_out.items():
        typer.echo(f"left out: {what}: {why}")
    for told in record.sentences:
        typer.echo(told)
