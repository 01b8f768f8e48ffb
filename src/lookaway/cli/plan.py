"""`plan`: what would run, over how many cases, for how long."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from lookaway.cli import app
from lookaway.cli.common import JsonFlag, parse_list, print_json


@app.command()
def plan(
    suite: Annotated[str, typer.Option(help="A suite's name or folder.")],
    models: Annotated[str, typer.Option(help="Model names or card files, separated by commas.")],
    protocols: Annotated[str, typer.Option(help="Protocols, separated by commas.")] = "diorama",
    seeds: Annotated[int, typer.Option(min=1, help="Videos per task and model.")] = 1,
    workers: Annotated[int, typer.Option(min=1, help="Processes on this machine.")] = 1,
    as_json: JsonFlag = False,
) -> None:
    """Say what a run would do, how long it takes and what it costs.

    Every number has its denominator, and time and cost are estimates; nothing is run.
    """
    from lookaway.pipeline.estimate import estimate

    rows = estimate(suite, parse_list(models), parse_list(protocols), seeds, workers)
    if as_json:
        print_json(rows)
        return
    typer.echo(f"suite {suite}: {rows['tasks']} tasks in {rows['scenes']} scenes, {rows['frames']} frames in all")
    could = f"{rows['with_opportunity']} of {rows['tasks']} tasks (by camera and cover script)"
    typer.echo(f"could pose the return test: {could}")
    if rows["resolution"] is not None:
        typer.echo(f"tells apart two models that differ by about {rows['resolution']:.2f} in a right-or-wrong score")
    for why, count in rows["without_opportunity"].items():
        typer.echo(f"  {count} cannot: {why}")
    typer.echo(f"cases: {rows['tasks']} tasks x {rows['systems']} models x {seeds} per task = {rows['cases']}")
    typer.echo(f"scores: {rows['cases']} cases x {len(rows['metrics'])} metrics = {rows['scores']}")
    for metric in rows["metrics"]:
        typer.echo(f"  {metric['protocol']}: {metric['metric']} over {metric['denominator']} clips")
    for metric, why in rows["not_measured"].items():
        typer.echo(f"  not measured: {metric}: {why}")
    without = f", without {', '.join(rows['without'])}, whose rate is unknown" if rows["without"] else ""
    typer.echo(
        f"estimated time: {rows['seconds']:.0f} s with --workers {workers}, by rates measured "
        f"on a 2-core machine ({os.cpu_count()} cores here){without}; estimated cost: {rows['cost_usd']:.2f} USD"
    )
