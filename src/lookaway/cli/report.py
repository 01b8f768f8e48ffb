"""`report`: a run on pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookaway.cli import app
from lookaway.cli.common import JsonFlag, RunFolder, print_json


@app.command()
def report(
    run: RunFolder,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also a folder to pass on: a page per task, all videos.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Write the report of a run: HTML, Markdown, JSON and CSV.

    report.html, report.md, board.json, board.csv, tables.csv and tables.tex go into the run folder.
    """
    from lookaway.calibration.report import refresh
    from lookaway.cli.progress import progress
    from lookaway.pipeline import make_board, plans, write_report_folder, write_reports
    from lookaway.store import open_run

    known = open_run(run)
    plan = plans.load(known)
    board = make_board(known, plan)
    made = [*refresh(known, plan), *write_reports(known, plan, board, progress())]
    if folder is not None:
        made.append(write_report_folder(known, plan, board, folder, progress()))
    written = [str(path) for path in made]
    if as_json:
        print_json(written)
    else:
        for path in written:
            typer.echo(path)
