"""`calibrate`: the graders graded."""

from __future__ import annotations

from typing import Annotated

import typer

from lookaway.cli import app
from lookaway.cli.common import (
    Budget,
    Ending,
    Judge,
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
from lookaway.errors import LookawayError
from lookaway.pipeline.stage import Options


@app.command()
@stage_command
def calibrate(
    world: Annotated[str, typer.Option(help="A suite of the known world, such as diorama-mini.")],
    out: OutRun,
    options: Options,
    ending: Ending,
    faults: Annotated[
        str | None, typer.Option(help="Only these faults, stress models and baselines, separated by commas.")
    ] = None,
    metrics: Annotated[str | None, typer.Option(help="Only these metrics, separated by commas.")] = None,
    protocols: Protocols = None,
    judge: Judge = None,
    budget: Budget = None,
    retry: Retry = None,
    tasks: Annotated[int | None, typer.Option(min=2, help="At most this many tasks.")] = None,
    per_fault: Annotated[int | None, typer.Option(min=1, help="Clips at the middle of each fault's ladder.")] = None,
    per_rung: Annotated[int | None, typer.Option(min=1, help="Clips at each other severity.")] = None,
    per_harmless: Annotated[int | None, typer.Option(min=2, help="Clips per harmless variation.")] = None,
    per_stress: Annotated[int | None, typer.Option(min=1, help="Clips per stress model.")] = None,
    per_baseline: Annotated[int | None, typer.Option(min=1, help="Clips per baseline.")] = None,
    settings: Settings = None,
) -> None:
    """Grade the metrics, and judges, on faults that are known.

    Measures how well every metric, or those of some protocols, notices every known fault, and how often it cries wolf;
    and how often a judge is right in each thing that it is asked.
    """
    from lookaway.calibration import judge_page
    from lookaway.calibration.detection_table import terminal
    from lookaway.calibration.judge_tables import judge_tables
    from lookaway.calibration.report import graded, write, write_judged
    from lookaway.calibration.walk import Wish
    from lookaway.calibration.walk import calibrate as walk
    from lookaway.cli.progress import progress
    from lookaway.outcomes import Abstain
    from lookaway.store import make_run

    quotas = {
        "fault": per_fault,
        "rung": per_rung,
        "harmless": per_harmless,
        "stress": per_stress,
        "baseline": per_baseline,
    }
    wish = Wish(
        suite=world,
        faults=parse_list(faults) if faults is not None else None,
        metrics=parse_list(metrics) if metrics is not None else None,
        tasks=tasks,
        quotas={name: quota for name, quota in quotas.items() if quota is not None},
        judges=judge or [],
        settings=parse_settings(settings or []),
        protocols=parse_list(protocols) if protocols is not None else (),
    )
    run = make_run(out)
    options = with_judging(options, retry, budget)
    plan, reports = walk(run, wish, options, progress(), lambda line: typer.echo(line, err=True))
    if options.dry_run:
        typer.echo("clips are chosen once their tasks are built, so a first dry run ends with the tasks", err=True)
        ending(reports)
        return
    table, warnings = graded(run, plan)
    if isinstance(table, Abstain):
        raise LookawayError(f"{out}: no detection table: {table.reason}")
    written = [str(path) for path in write(run, table, warnings)]
    judged = judge_tables(run, plan) if plan.judges else []
    if judged:
        written += [str(path) for path in write_judged(run, judged)]
    if not ending.as_json:
        console().print(terminal(table, warnings))
        for judge_table in judged:
            console().print(judge_page.terminal(judge_table))
        for path in written:
            typer.echo(path)
    ending(reports, written=written, warnings=warnings)
