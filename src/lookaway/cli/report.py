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
    cases: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Show at most N clips, 1,000 unless said; 0: all.", show_default=False),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Write the report of a run: HTML, Markdown, JSON and CSV.

    report.html, report.md, board.json, board.csv, tables.csv and tables.tex go into the run folder. Every clip counts
    in their numbers, also those that a report of a large run does not show.
    """
    from lookaway.calibration.report import refresh
    from lookaway.cli.progress import progress
    from lookaway.pipeline import make_board, plans, write_report_folder, write_reports
    from lookaway.pipeline.shown_cases import MOST_SHOWN
    from lookaway.store import open_run, snapshot

    known, most = snapshot(open_run(run)), MOST_SHOWN if cases is None else cases
    plan = plans.load(known)
    board = make_board(known, plan)
    made = [*refresh(known, plan), *write_reports(known, plan, board, progress(), most)]
    if folder is not None:
        made.append(write_report_folder(known, plan, board, folder, progress(), most))
    written = [str(path) for path in made]
    if as_json:
        print_json(written)
    else:
        for path in written:
            typer.echo(path)
