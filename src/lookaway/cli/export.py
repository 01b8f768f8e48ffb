"""`export-suite`: a suite as a folder of plain files, for people who run their model themselves."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lookaway.cli import app
from lookaway.cli.common import EXIT_INTERRUPTED, JsonFlag, Workers, print_json
from lookaway.errors import UsageError
from lookaway.secrets import secret_of

SECRET_VARIABLE = "LOOKAWAY_SECRET"


class Layout(StrEnum):
    plain = "plain"
    memobench = "memobench"


@app.command("export-suite")
def export_suite(
    suite: Annotated[str, typer.Argument(help="A suite's name or folder.")],
    out: Annotated[Path, typer.Option(help="The folder to write; an existing export is gone on with.")],
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
    workers: Workers = 1,
    as_json: JsonFlag = False,
) -> None:
    """Write first frames, prompts, cameras and the truth of a suite to a folder that is a suite itself."""
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
