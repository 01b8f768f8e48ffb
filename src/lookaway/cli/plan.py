"""`plan`: what would run, over how many cases, for how long."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from lookaway.cli import app
from lookaway.cli.common import JsonFlag, Models, parse_list, print_json
from lookaway.errors import UsageError

if TYPE_CHECKING:
    from lookaway.pipeline.pool_hours import ClipCost, Device, PoolHours


@app.command()
def plan(
    suite: Annotated[str, typer.Option(help="A suite's name or folder.")],
    models: Models = None,
    probe: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Film one task per look with this model, and tell what came.")
    ] = None,
    protocols: Annotated[str, typer.Option(help="Protocols, separated by commas.")] = "diorama",
    seeds: Annotated[int, typer.Option(min=1, help="Videos per task and model.")] = 1,
    workers: Annotated[int, typer.Option(min=1, help="Processes on this machine.")] = 1,
    pool: Annotated[
        str | None, typer.Option(metavar="cpu=N[,gpu=N]", help="Also say how many hours this pool takes.")
    ] = None,
    clips: Annotated[int | None, typer.Option(min=1, help="For so many clips of this kind; else the plan's.")] = None,
    rate: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=SECONDS", help="What you measured for one clip: an observer, a model, a judge."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Say what a run would do, how long it takes and what it costs.

    Every number has its denominator, and time and cost are estimates; nothing is run, but for what --probe films.
    """
    from lookaway.pipeline.estimate import estimate
    from lookaway.pipeline.pool_hours import parse_pool, pool_hours, with_rates

    if probe is not None:
        print_probe(suite, probe, as_json)
        if models is None:
            return
    if models is None:
        raise UsageError("give --models or --probe; `lookaway model list` lists models")
    rows = estimate(suite, parse_list(models), parse_list(protocols), seeds, workers)
    costs = with_rates(rows.pop("clip_costs"), parse_rates(rate or []))
    taken = pool_hours(costs, parse_pool(pool), clips or rows["cases"]) if pool is not None else None
    if as_json:
        print_json(rows | ({"pool": {**asdict(taken), "hours": taken.hours}} if taken is not None else {}))
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
    if taken is not None:
        print_hours(taken, costs, parse_pool(pool or ""))


def print_hours(taken: PoolHours, costs: Sequence[ClipCost], pool: Mapping[Device, int]) -> None:
    """What each part of the pool has to do, and how long all of it takes."""
    for device, hours in taken.hours_of.items():
        mine = [cost for cost in costs if cost.seconds and (cost.device if cost.device in pool else "cpu") == device]
        parts = ", ".join(f"{cost.name} {cost.seconds:.2g}" for cost in mine) or "nothing"
        per_clip = f"{taken.seconds_per_clip[device]:.3g} s a clip ({parts})"
        typer.echo(f"{pool[device]:,} {device.upper()}s: {per_clip}, {hours:,.1f} hours")
    unknown = f", without {', '.join(taken.unknown)}: measure them and give --rate" if taken.unknown else ""
    typer.echo(f"{taken.clips:,} clips on this pool: {taken.hours:,.1f} hours{unknown}")


def parse_rates(pairs: Sequence[str]) -> dict[str, float]:
    rates = {}
    for pair in pairs:
        name, _, text = pair.partition("=")
        try:
            rates[name] = float(text)
        except ValueError:
            rates[name] = -1.0
        if not name or not 0 <= rates[name] < math.inf:
            raise UsageError(f"--rate '{pair}' must read NAME=SECONDS of one clip, such as patch_features=0.8")
    return rates


def print_probe(suite: str, model: str, as_json: bool) -> None:
    """What the model makes of each look of a suite, filmed into a folder that does not stay."""
    import tempfile

    from lookaway.cli.progress import progress
    from lookaway.pipeline.probe import probe
    from lookaway.store import make_run

    with tempfile.TemporaryDirectory(prefix="lookaway-probe-") as folder:
        found = probe(make_run(folder), suite, model, progress())
    if as_json:
        print_json([look._asdict() for look in found])
        return
    for look in found:
        rate = "no frames" if look.frames is None else f"{look.frames} of {look.frames_asked} frames"
        fps = "" if look.fps is None else f" at {look.fps:g} of {look.fps_asked:g} fps"
        press = f", {look.frames_per_press} frames a press" if look.frames_per_press else ""
        gain = "" if look.gain is None else f", gain {look.gain:+.2f}"
        why = f": {look.why}" if look.why else ""
        typer.echo(f"{look.look}: {look.verdict}{why} ({rate}{fps}{press}{gain}; {look.task}, {look.tasks} tasks)")
    posed, tasks = sum(look.tasks for look in found if look.verdict == "posed"), sum(look.tasks for look in found)
    typer.echo(f"{model} can be asked {posed} of {tasks} tasks of {suite}; what it avoids is no memory that it lost")
