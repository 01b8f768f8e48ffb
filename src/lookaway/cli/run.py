"""`run`: the whole walk."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, Any

import typer

from lookaway.cli import app
from lookaway.cli.common import (
    Bank,
    Budget,
    Ending,
    Judge,
    Models,
    OutRun,
    Protocols,
    Retry,
    Settings,
    console,
    parse_list,
    parse_settings,
    stage_command,
    with_judging,
)
from lookaway.cli.suite import say_unposed
from lookaway.errors import UsageError
from lookaway.pipeline.stage import Options
from lookaway.records import Board, MetricRef, Plan
from lookaway.store import Run, make_run


@app.command()
@stage_command
def run(
    out: OutRun,
    options: Options,
    ending: Ending,
    suite: Annotated[str | None, typer.Option(help="A suite's name or folder.")] = None,
    models: Models = None,
    protocols: Protocols = None,
    judge: Judge = None,
    judge_only: Annotated[bool, typer.Option("--judge-only", help="Judge the clips that exist, and no more.")] = False,
    budget: Budget = None,
    retry: Retry = None,
    seeds: Annotated[int, typer.Option(min=1, help="Videos per task and model.")] = 1,
    branches: Annotated[
        str | None, typer.Option(help="Other ways on, such as watching,without-prefix: arms of a contrast.")
    ] = None,
    settings: Settings = None,
    bank: Bank = None,
) -> None:
    """Measure models on a suite, from the tasks to the report.

    What is done already is skipped, so the same command goes on where an earlier one ended.
    """
    from lookaway.models import system
    from lookaway.pipeline import plans
    from lookaway.pipeline.tasks import suite_place

    folder = make_run(out)
    exists = (out / "run.json").exists()
    if suite is None:
        if not exists:
            raise UsageError(f"{out}: no run here yet; start one with --suite and --models")
        suite = suite_place(plans.load(folder))
    if models is None and not exists:
        raise UsageError("give --models, such as --models truth,frozen; `lookaway model list` lists them")
    systems = [system(name) for name in parse_list(models)] if models is not None else []
    chosen = parse_list(protocols) if protocols is not None else () if exists else None
    extend = functools.partial(
        plans.extend,
        folder,
        suite,
        systems,
        range(seeds),
        chosen,
        judge or [],
        parse_settings(settings or []),
        branches=parse_list(branches) if branches is not None else (),
        banks=bank,
    )
    options = with_judging(options, retry, budget)
    say_unposed(suite)
    if judge_only:
        _judge(folder, extend(keep=not options.dry_run), options, ending)
    else:
        start_run(folder, extend, options, ending)


def _judge(folder: Run, plan: Plan, options: Options, ending: Ending) -> None:
    from lookaway.cli.progress import progress
    from lookaway.pipeline import walk_one

    ending([walk_one("judge", folder, plan, options, progress())])


def start_run(folder: Run, extend: Callable[..., Plan], options: Options, ending: Ending) -> None:
    """Write the plan down once it is known that it can be walked, then walk it."""
    from lookaway.pipeline import check_plan

    check_plan(folder, extend(keep=False), options)
    finish_run(folder, extend(keep=not options.dry_run), options, ending)


def finish_run(folder: Run, plan: Plan, options: Options, ending: Ending) -> None:
    """Walk what is left of a planned run, print its board, write its reports."""
    from lookaway.calibration.report import refresh
    from lookaway.cli.progress import progress
    from lookaway.pipeline import make_board, walk, write_reports
    from lookaway.reports.terminal import show
    from lookaway.store import snapshot

    course = progress()
    reports = walk(folder, plan, options, course)
    if options.dry_run:
        typer.echo("later stages show only what is known before the earlier ones ran; see `lookaway plan`", err=True)
        ending(reports)
        return
    folder = snapshot(folder)
    board = make_board(folder, plan)
    if not ending.as_json:
        show(board, console())
    written = [str(path) for path in (*refresh(folder, plan), *write_reports(folder, plan, board, course))]
    if not ending.as_json:
        for path in written:
            typer.echo(path)
    ending(reports, written=written, headline=headline_rows(board))


def headline_rows(board: Board) -> list[dict[str, Any]]:
    """The cells that every report opens with; `n` of `of` clips have a number, and `value` is null where none has."""
    named = [(protocol.name, metric) for protocol in board.protocols for metric in protocol.headline]
    return [
        {
            "protocol": protocol,
            "system": cell.system,
            "metric": cell.metric,
            "variant": cell.variant,
            "instrument": cell.instrument,
            "ask": cell.ask,
            "value": cell.value,
            "low": cell.low,
            "high": cell.high,
            "n": cell.ok,
            "of": cell.n,
        }
        for protocol, metric in named
        for cell in board.cells
        if (cell.protocol, cell.slice) == (protocol, "all")
        and metric.may_be(MetricRef(name=cell.metric, variant=cell.variant))
    ]
