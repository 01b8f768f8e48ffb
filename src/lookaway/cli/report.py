"""`report`: a run on pages."""

from __future__ import annotations

import typer

from lookaway.cli import app
from lookaway.cli.common import JsonFlag, RunFolder, print_json


@app.command()
def report(run: RunFolder, as_json: JsonFlag = False) -> None:
    """Write the report of a run: HTML, Markdown, JSON and CSV.

    report.html, report.md, board.json, board.csv, tables.csv and tables.tex go into the run folder.
    """
    from lookaway.calibration.report import refresh
    from lookaway.pipeline import make_board, plans, write_reports
    from lookaway.store import open_run

    folder = open_run(run)
    plan = plans.load(folder)
    made = [*refresh(folder, plan), *write_reports(folder, plan, make_board(folder, plan))]
    written = [str(path) for path in made]
    if as_json:
        print_json(written)
    else:
        for path in written:
            typer.echo(path)
