"""`serve`: the known world as a stranger's interactive model."""

from __future__ import annotations

import contextlib
import fnmatch
import time
from typing import Annotated

import typer

from lookaway.cli import app
from lookaway.errors import UsageError


@app.command()
def serve(
    suite: Annotated[str, typer.Argument(help="A suite of the known world.", metavar="SUITE")],
    only: Annotated[str | None, typer.Option(metavar="PATTERN", help="Only tasks whose name matches.")] = None,
    address: Annotated[str, typer.Option(help="http://HOST:PORT or ws://HOST:PORT.")] = "http://127.0.0.1:8000",
    idle: Annotated[float, typer.Option(min=1, help="Seconds after which an unused session is closed.")] = 600.0,
    sessions: Annotated[int, typer.Option(min=1, help="Sessions that may be open at once.")] = 64,
    allow_host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A name that clients may call this server by, too.")
    ] = None,
) -> None:
    """Serve the worlds of a suite to be stepped through: open, step, fork, close."""
    from lookaway.sessions import serving
    from lookaway.suites import find
    from lookaway.suites.known_world import SIZE, Shot, build_known_world
    from lookaway.worlds.serving import KnownWorlds

    drafts = [draft for draft in find(suite).drafts() if fnmatch.fnmatch(draft.id, only or "*")]
    if not drafts:
        raise UsageError(f"--only '{only}' matches no task of {suite}; see: lookaway tasks {suite}")
    if any(draft.build is not build_known_world for draft in drafts):
        raise UsageError(f"suite '{suite}' is not of the known world, so there is nothing to step through")
    worlds = KnownWorlds({draft.id: Shot.of(draft).world for draft in drafts}, SIZE)
    with serving(worlds, address, idle, sessions, allow_host or ()) as found:
        typer.echo(f"serving {len(drafts)} tasks at {found}; stop with Ctrl-C")
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                time.sleep(3600)
