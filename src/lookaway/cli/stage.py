"""`stage`: the walk, one stage at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lookaway.cli import app, group
from lookaway.cli.common import (
    Budget,
    Ending,
    JsonFlag,
    Judge,
    Models,
    Protocols,
    Retry,
    RunFolder,
    Settings,
    console,
    parse_list,
    parse_settings,
    print_json,
    stage_command,
    with_judging,
)
from lookaway.cli.suite import print_tasks, say_unposed
from lookaway.cli.tree import say_moved
from lookaway.pipeline.stage import Options

stage = group("stage", "One stage of a run at a time; `run` walks them all.")


@stage.command()
@stage_command
def tasks(
    run: RunFolder,
    options: Options,
    ending: Ending,
    suite: Annotated[str | None, typer.Option(help="A suite's name or folder; an existing run has one.")] = None,
) -> None:
    """Build the tasks of a suite: first frames, prompts, the truth."""
    _build_tasks(run, suite, options, ending)


@app.command("tasks", hidden=True)
@stage_command
def listed_or_built_tasks(
    suite: Annotated[str, typer.Argument(help="A suite's name or folder.")],
    options: Options,
    ending: Ending,
    out: Annotated[Path | None, typer.Option(help="Also build the tasks into this run folder.")] = None,
) -> None:
    """List the tasks of a suite; with --out, build them."""
    if out is None:
        say_moved("tasks", "suite tasks")
        print_tasks(suite, ending.as_json)
    else:
        say_moved("tasks SUITE --out RUN", "stage tasks RUN --suite SUITE")
        _build_tasks(out, suite, options, ending)


@stage.command()
@stage_command
def controls(run: RunFolder, options: Options, ending: Ending, models: Models = None) -> None:
    """Say each task in the inputs that each model takes."""
    from lookaway.models import system

    systems = [system(name) for name in parse_list(models)] if models is not None else []
    _stage("controls", run, options, ending, systems=systems)


@stage.command()
@stage_command
def generate(run: RunFolder, options: Options, ending: Ending) -> None:
    """Make the videos of the models in the plan."""
    _stage("generate", run, options, ending)


@stage.command()
@stage_command
def observe(
    run: RunFolder, options: Options, ending: Ending, protocols: Protocols = None, settings: Settings = None
) -> None:
    """Decode each video once and show it to every observer needed."""
    _stage("observe", run, options, ending, protocols, settings=parse_settings(settings or []))


@stage.command()
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
    """Ask a judge, such as a vision-language model, about the videos."""
    options = with_judging(options, retry, budget)
    chosen = None if _asks_something(run) else "questions"
    _stage("judge", run, options, ending, chosen, judges=judge or [], settings=parse_settings(settings or []))


def _asks_something(run: Path) -> bool:
    """Whether a protocol of the run asks anything; if none does, the tasks' own questions are put."""
    from lookaway.pipeline import plans
    from lookaway.store import make_run

    return any(protocol.asks for protocol in plans.load(make_run(run)).protocols)


@stage.command()
@stage_command
def score(run: RunFolder, options: Options, ending: Ending, protocols: Protocols = None) -> None:
    """Measure every metric over what was seen and answered."""
    _stage("score", run, options, ending, protocols)


@stage.command()
def analyse(run: RunFolder, as_json: JsonFlag = False) -> None:
    """Count the scores into cells and print the board."""
    from lookaway.pipeline import make_board, plans
    from lookaway.reports.terminal import show
    from lookaway.store import open_run

    folder = open_run(run)
    board = make_board(folder, plans.load(folder))
    if as_json:
        print_json(board.model_dump(mode="json"))
    else:
        show(board, console())


def _build_tasks(run: Path, suite: str | None, options: Options, ending: Ending) -> None:
    from lookaway.cli.progress import progress
    from lookaway.pipeline import STAGES, plans
    from lookaway.pipeline.stage import check_selected, run_stage
    from lookaway.pipeline.tasks import suite_place
    from lookaway.store import make_run

    folder = make_run(run)
    suite = suite or suite_place(plans.load(folder))
    say_unposed(suite)
    plan = plans.extend(folder, suite, keep=not options.dry_run)
    report = run_stage(STAGES["tasks"], folder, plan, options, progress())
    check_selected(report, options)
    ending([report])


def _stage(name: str, run: Path, options: Options, ending: Ending, protocols: str | None = None, **added: Any) -> None:
    """Run one stage of a planned run, after adding to its plan what was asked for."""
    from lookaway.cli.progress import progress
    from lookaway.pipeline import plans, walk_one
    from lookaway.store import make_run

    folder = make_run(run)
    chosen = parse_list(protocols) if protocols is not None else ()
    plan = plans.amend(folder, chosen=chosen, keep=not options.dry_run, **added)
    ending([walk_one(name, folder, plan, options, progress())])
