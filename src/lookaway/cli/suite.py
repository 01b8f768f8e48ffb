"""`suite`: what to ask. The suites, their tasks, and a suite as plain files to run a model on elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookaway.cli import group
from lookaway.cli.attach import attach
from lookaway.cli.common import EXIT_INTERRUPTED, JsonFlag, RunFolder, print_json, print_rows
from lookaway.cli.counted import keyframes, stats
from lookaway.errors import UsageError
from lookaway.secrets import secret_of

if TYPE_CHECKING:
    from lookaway.suites import Draft

SECRET_VARIABLE = "LOOKAWAY_SECRET"

suite = group("suite", "What to ask: suites and their tasks.")


def _floor(drafts: Sequence[Draft]) -> float | None:
    """What its scenes tell apart, to two digits; see docs/power.md."""
    from lookaway.pipeline.estimate import floor_of_drafts

    floor = floor_of_drafts(drafts)
    return None if floor is None else round(floor, 2)


@suite.command("list")
def list_suites(as_json: JsonFlag = False) -> None:
    """List the suites."""
    from lookaway.suites import SUITES

    rows = [
        {
            "suite": s.name,
            "version": s.version,
            "tasks": len(s.drafts()),
            "resolution": _floor(s.drafts()),
            "summary": s.summary,
            "extra": s.extra,
        }
        for s in SUITES.all().values()
    ]
    print_rows(rows, as_json)


@suite.command()
def tasks(
    suite: Annotated[str, typer.Argument(help="A suite's name or folder.", metavar="SUITE")], as_json: JsonFlag = False
) -> None:
    """List the tasks of a suite: what happens and how one looks away.

    Nothing is built. A dash, null with --json, is what the suite does not say before its tasks are built. --json also
    tells scene, frame rate and camera script.
    """
    print_tasks(suite, as_json)


def print_tasks(suite: str, as_json: bool) -> None:
    from lookaway.suites import find
    from lookaway.suites.design import design

    rows = [
        {"task": d.id, "scene": d.scene, **design(d), "seconds": d.seconds, "fps": d.fps, "camera": d.camera}
        for d in find(suite).drafts()
    ]
    print_rows(rows, as_json, hide=("scene", "fps", "camera"))
    say_unposed(suite)


def say_unposed(suite: str) -> None:
    """What a suite cannot ask here, beside what is printed."""
    from lookaway.suites import find

    for line in find(suite).unposed():
        typer.echo(line, err=True)


@suite.command("make")
def make_suite(
    run: RunFolder,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder to write.")],
    name: Annotated[str | None, typer.Option(help="What to call the suite; else as the folder.")] = None,
) -> None:
    """Make a suite of videos that were looked at.

    First frames, boxes and phases as they were measured; prompts, expected ends and questions can then be written
    into its tasks.jsonl.
    """
    from lookaway.looking.suite_made import make_suite as made
    from lookaway.store import open_run

    for line in made(open_run(run), out, name or out.resolve().name):
        typer.echo(line)
    typer.echo(f"{out}: use it with --suite {out}")


suite.command("attach")(attach)
suite.command("stats")(stats)
suite.command("keyframes")(keyframes)


@suite.command("import")
def import_suite(
    kind: Annotated[str, typer.Argument(help="Whose release: wrbench, memobench or stevo.", metavar="KIND")],
    folder: Annotated[Path, typer.Argument(help="The folder of the release.", metavar="FOLDER")],
    out: Annotated[Path, typer.Option(metavar="SUITE", help="The suite folder to write.")],
    boxes: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Subjects' boxes: {family or clip: [left, top, right, bottom]}.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Make a suite of another benchmark's official release.

    Says what is missing in it, what contradicts itself, and what had to be inferred.
    """
    from lookaway.suites.releases import read_boxes, read_release, write_release
    from lookaway.video.names import printable

    release = read_release(kind, folder, None if boxes is None else read_boxes(boxes))
    if not as_json:
        for line in release.report:
            typer.echo(printable(line))
    late = write_release(release, out)
    if as_json:
        report = [*release.report, *late]
        print_json({"suite": release.name, "out": str(out), "tasks": len(release.rows), "report": report})
        return
    for line in late:
        typer.echo(printable(line))
    typer.echo(f"{len(release.rows)} tasks in {out}; use it with --suite {out}")


class Layout(StrEnum):
    plain = "plain"
    memobench = "memobench"


@suite.command("export")
def export_suite(
    suite: Annotated[str, typer.Argument(help="A suite's name or folder.", metavar="SUITE")],
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="The folder to write; an existing export is gone on with.")
    ],
    model: Annotated[str | None, typer.Option(help="A model's name or card: use its size, length and rate.")] = None,
    tasks: Annotated[str | None, typer.Option(metavar="PATTERN", help="Only tasks whose id matches.")] = None,
    layout: Annotated[Layout, typer.Option(help="memobench: the truth also in MemoBench's layout.")] = Layout.plain,
    without_truth: Annotated[
        bool, typer.Option("--without-truth", help="Only what a model may know; the truth goes to OUT-private.")
    ] = False,
    secret: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help=f"Seed the worlds with the secret in this file; - reads it from standard input. "
            f"Without it, ${SECRET_VARIABLE} is used if set.",
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes on this machine.")] = 1,
    as_json: JsonFlag = False,
) -> None:
    """Write a suite as plain files, to run your model elsewhere.

    First frames, prompts, cameras and the truth go to a folder that is a suite itself.
    """
    from lookaway import export, models
    from lookaway.cli.progress import progress

    card = None if model is None else models.load(model)
    try:
        made = export.export_suite(
            suite,
            out,
            progress(),
            card=card,
            tasks=tasks,
            memobench=layout is Layout.memobench,
            with_truth=not without_truth,
            secret=read_secret(secret),
            workers=workers,
        )
    except KeyboardInterrupt as error:
        typer.echo("interrupted; what was finished is kept, run the same command to go on", err=True)
        raise typer.Exit(EXIT_INTERRUPTED) from error
    if as_json:
        failed = {outcome.name: outcome.reason for outcome in made.failures}
        private = None if made.private is None else str(made.private)
        print_json(
            {"out": str(made.out), "private": private, "tasks": made.tasks, "notes": made.notes, "failed": failed}
        )
    else:
        typer.echo(f"{made.tasks} task{'s' if made.tasks != 1 else ''} in {made.out}; see {made.out / 'README.md'}")
        for note in made.notes:
            typer.echo(f"note: {note}")
        if made.private is not None:
            typer.echo(f"with the truth, to be kept: {made.private}")
        typer.echo(f"next: lookaway ingest VIDEOS --suite {made.private or made.out} --model NAME --out RUN")
    if made.failures:
        raise typer.Exit(1)


def read_secret(source: str | None) -> bytes | None:
    """The secret that a file, standard input or the environment holds; white space around it does not count."""
    if source is None:
        return (secret_of(SECRET_VARIABLE) or "").encode() or None
    try:
        secret = (sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()).strip()
    except OSError as error:
        raise UsageError(f"--secret {source}: cannot read it: {error.strerror}") from error
    if not secret:
        where = "standard input" if source == "-" else source
        raise UsageError(f"--secret: {where} is empty; write one with: openssl rand -hex 32")
    return secret
