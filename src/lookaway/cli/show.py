"""`show`: walk back from a case to its pixels, printing each step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookaway.cli import app
from lookaway.cli.common import JsonFlag, RunFolder, print_json
from lookaway.cli.tree import say_moved


@app.command()
def show(
    run: RunFolder,
    case: Annotated[str, typer.Argument(help="task/system/seed", metavar="CASE")],
    metric: Annotated[str | None, typer.Option(help="Only this metric.")] = None,
    strip: Annotated[
        Path | None, typer.Option(help="Write a filmstrip of clip and truth, each with its own phases, to this PNG.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Print all that is known of one case, from its task to its scores."""
    from lookaway.pipeline.case_strip import write_strip
    from lookaway.pipeline.trace import trace
    from lookaway.store import open_run

    run, case = _run_first(run, case)
    folder = open_run(run)
    steps = trace(folder, case, metric)
    if as_json:
        if strip is not None:
            write_strip(folder, case, strip)
        print_json(steps)
        return
    for name, rows in steps.items():
        typer.echo(f"── {name}")
        for row in rows:
            for key, value in row.items():
                typer.echo(f"   {key:<12} {value}")
    if strip is not None:
        typer.echo(f"filmstrip, {write_strip(folder, case, strip)}: {strip}")


def _run_first(run: Path, case: str) -> tuple[Path, str]:
    """Both in their order, also when they are given as until 0.4: the case first."""
    if run.is_dir() or not Path(case).is_dir():
        return run, case
    say_moved("show CASE RUN", "show RUN CASE")
    return Path(case), str(run)
