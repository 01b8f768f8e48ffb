"""`controls`, `generate`, `observe`, `judge`, `score`, `aggregate`, `report`, `compact`: one stage at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lookaway.cli import app
from lookaway.cli.common import (
    Budget,
    Ending,
    JsonFlag,
    Judge,
    Retry,
    RunFolder,
    console,
    parse_list,
    parse_settings,
    print_json,
    stage_command,
    with_judging,
)
from lookaway.errors import UsageError
from lookaway.pipeline.stage import Options
from lookaway.records import PlannedJudge, Setting

Models = Annotated[str | None, typer.Option(help="Model names or card files, separated by commas.")]
Protocols = Annotated[str | None, typer.Option(help="Protocols, separated by commas.")]
Settings = Annotated[list[str] | None, typer.Option("--set", metavar="PLUGIN.NAME=VALUE", help="A plugin's setting.")]


@app.command()
@stage_command
def controls(run: RunFolder, options: Options, ending: Ending, models: Models = None) -> None:
    """Say each task in each model's language."""
    from lookaway.models import system

    systems = [system(name) for name in parse_list(models)] if models is not None else []
    _stage("controls", run, options, ending, systems=systems)


@app.command()
@stage_command
def generate(run: RunFolder, options: Options, ending: Ending) -> None:
    """Make the videos."""
    _stage("generate", run, options, ending)


@app.command()
@stage_command
def observe(
    run: RunFolder, options: Options, ending: Ending, protocols: Protocols = None, settings: Settings = None
) -> None:
    """Decode each clip once and show it to every observer its metrics need."""
    _stage("observe", run, options, ending, protocols, settings=parse_settings(settings or []))


@app.command()
@stage_command
def judge(
    run: RunFolder,
    options: Options,
    ending: Ending,
    judge: Judge = None,
    settings: Settings = None,
    budget: Budget = None,
    retry: Retry = None,
) -> None:
    """Put each task's questions to a judge."""
    options = with_judging(options, retry, budget)
    given = parse_settings(settings or [])
    chosen = "questions" if _asks_questions(run, judge or [], given) else None
    _stage("judge", run, options, ending, chosen, judges=judge or [], settings=given)


def _asks_questions(run: Path, judges: list[str], given: dict[str, Setting]) -> bool:
    """Whether the tasks' own questions are put, so that the protocol that reads their answers belongs to the run."""
    from lookaway.pipeline import plans
    from lookaway.pipeline.questions import QUESTION, prompt_names
    from lookaway.store import Run

    plan = plans.load(Run(run))
    names = [judge.plugin for judge in map(PlannedJudge.parse, judges)] or [judge.plugin for judge in plan.judges]
    settings = plan.settings | given
    return any(QUESTION in prompt_names(str(settings.get(f"{name}.prompts", QUESTION))) for name in names)


@app.command()
@stage_command
def score(run: RunFolder, options: Options, ending: Ending, protocols: Protocols = None) -> None:
    """Measure: gates, then metrics, over what was seen."""
    _stage("score", run, options, ending, protocols)


@app.command()
def aggregate(run: RunFolder, as_json: JsonFlag = False) -> None:
    """Count scores into cells and print the board."""
    from lookaway.pipeline import make_board, plans
    from lookaway.reports.terminal import show
    from lookaway.store import open_run

    folder = open_run(run)
    board = make_board(folder, plans.load(folder))
    if as_json:
        print_json(board.model_dump(mode="json"))
    else:
        show(board, console())


@app.command()
def report(run: RunFolder, as_json: JsonFlag = False) -> None:
    """Write report.html, report.md, board.json and board.csv into the run folder."""
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


@app.command()
def compact(run: RunFolder) -> None:
    """Merge the score logs of a finished run into one Parquet file."""
    from lookaway.records import Score
    from lookaway.store import open_run

    folder = open_run(run)
    if not folder.log_folder("scores").is_dir():
        raise UsageError(f"{run}: no scores to compact yet; run: lookaway run --out {run}")
    typer.echo(folder.compact("scores", Score))


def _stage(name: str, run: Path, options: Options, ending: Ending, protocols: str | None = None, **added: Any) -> None:
    """Run one stage of a planned run, after adding to its plan what was asked for."""
    from lookaway.cli.progress import progress
    from lookaway.pipeline import plans, walk_one
    from lookaway.store import Run

    folder = Run(run)
    chosen = parse_list(protocols) if protocols is not None else ()
    plan = plans.amend(folder, chosen=chosen, keep=not options.dry_run, **added)
    ending([walk_one(name, folder, plan, options, progress())])
