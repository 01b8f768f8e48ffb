"""`calibrate`: the graders graded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from lookaway.cli import app
from lookaway.cli.common import (
    Bank,
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
from lookaway.errors import LookawayError, UsageError
from lookaway.pipeline.stage import Options

OF_CLIPS = ("box", "subject", "hfov", "known")
OF_WORLDS = (
    *("faults", "metrics", "bank", "tasks"),
    *("per_fault", "per_rung", "per_harmless", "per_stress", "per_baseline"),
)


@app.command()
@stage_command
def calibrate(
    out: OutRun,
    options: Options,
    ending: Ending,
    world: Annotated[str | None, typer.Option(help="A suite of the known world, such as diorama-mini.")] = None,
    clips: Annotated[
        list[Path] | None, typer.Option(metavar="FOLDER", help="Your own videos instead of a known world.")
    ] = None,
    box: Annotated[
        list[str] | None,
        typer.Option(metavar="[NAME=]L,T,R,B", help="The subject in your videos' first frames, as shares of them."),
    ] = None,
    subject: Annotated[str | None, typer.Option(help="What to call the subject of your videos.")] = None,
    hfov: Annotated[float | None, typer.Option(min=1, max=170, help="The lens of your videos, degrees across.")] = None,
    known: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="A calibration of protocol real to put beside your videos'.")
    ] = None,
    faults: Annotated[
        str | None, typer.Option(help="Only these faults, stress models and baselines, separated by commas.")
    ] = None,
    metrics: Annotated[str | None, typer.Option(help="Only these metrics, separated by commas.")] = None,
    protocols: Protocols = None,
    judge: Judge = None,
    bank: Bank = None,
    budget: Budget = None,
    retry: Retry = None,
    tasks: Annotated[int | None, typer.Option(min=2, help="At most this many tasks.")] = None,
    per_fault: Annotated[int | None, typer.Option(min=1, help="Clips at the middle of each fault's ladder.")] = None,
    per_rung: Annotated[int | None, typer.Option(min=0, help="Clips at each other severity; may be 0.")] = None,
    per_harmless: Annotated[int | None, typer.Option(min=2, help="Clips per harmless variation.")] = None,
    per_stress: Annotated[int | None, typer.Option(min=1, help="Clips per stress model.")] = None,
    per_baseline: Annotated[int | None, typer.Option(min=1, help="Clips per baseline.")] = None,
    settings: Settings = None,
) -> None:
    """Grade the metrics, and judges, on faults that are known.

    Measures how well every metric, or those of some protocols, notices every known fault, and how often it cries wolf;
    and how often a judge is right in each thing that it is asked. With --clips, faults are put into your own videos.
    """
    given = {
        **{"box": box, "subject": subject, "hfov": hfov, "known": known, "faults": faults, "metrics": metrics},
        **{"tasks": tasks, "per_fault": per_fault, "per_rung": per_rung, "per_harmless": per_harmless},
        **{"per_stress": per_stress, "per_baseline": per_baseline, "bank": bank},
    }
    check_place(world, clips, [name for name, value in given.items() if value is not None])
    options = with_judging(options, retry, budget)
    if clips:
        chosen = parse_list(protocols) if protocols is not None else ["real"]
        more = {"protocols": chosen, "judges": judge or [], "settings": parse_settings(settings or [])}
        on_clips(clips, box or [], subject or "the subject", hfov, known, out, options, ending, **more)
        return
    assert world is not None  # checked above
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
        banks=bank,
    )
    run = make_run(out)
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


def check_place(world: str | None, clips: Sequence[Path] | None, given: Sequence[str]) -> None:
    """Refuse both places or none, and options that belong to the other one."""
    if (world is None) == (not clips):
        raise UsageError("give either --world, such as diorama-mini, or --clips with a folder of your own videos")
    other, place = (OF_WORLDS, "--world") if clips else (OF_CLIPS, "--clips")
    for name in given:
        if name in other:
            raise UsageError(f"--{name.replace('_', '-')} goes with {place}")


def on_clips(
    clips: Sequence[Path],
    boxes: Sequence[str],
    subject: str,
    hfov: float | None,
    known: Path | None,
    out: Path,
    options: Options,
    ending: Ending,
    **more: Any,
) -> None:
    """Changes the videos in known ways, measures what was made, and says how well every number follows."""
    from lookaway.calibration.own_clips.grades import graded
    from lookaway.calibration.own_clips.known import known_world
    from lookaway.calibration.own_clips.page import terminal, write
    from lookaway.calibration.own_clips.walk import ClipsWish, calibrate_clips
    from lookaway.cli.progress import progress
    from lookaway.looking.brought import Wishes, brought_videos, check_boxes, parse_box
    from lookaway.store import make_run

    videos = brought_videos(clips)
    wishes = Wishes(boxes=dict(map(parse_box, boxes)), subject=subject, hfov_deg=hfov)
    check_boxes(videos, wishes)
    beside = known_world(known)
    run = make_run(out)
    say = lambda line: typer.echo(line, err=True)  # noqa: E731
    found = calibrate_clips(run, ClipsWish(videos, wishes, **more), options, progress(), say)
    if options.dry_run:
        typer.echo(
            "clips are made of what was seen in the videos, so a first dry run ends with looking at them", err=True
        )
        ending(found.reports)
        return
    table = graded(run, found, beside)
    written = [str(path) for path in write(run, table)]
    if not ending.as_json:
        console().print(terminal(table))
        for path in written:
            typer.echo(path)
    ending(found.reports, written=written, warnings=[f"{name}: {why}" for name, why in found.unreadable.items()])
    if len(found.unreadable) > ending.max_failures:
        raise typer.Exit(1)
