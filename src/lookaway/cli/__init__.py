"""The command line: one file per verb; heavy imports wait until a verb runs."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import traceback
from importlib import metadata
from types import TracebackType
from typing import Annotated

import typer

from lookaway.errors import LookawayError, UsageError
from lookaway.secrets import redacted

app = typer.Typer(
    name="lookaway",
    help="Does a video world model's world keep going when nobody looks?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def lookaway(version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    """Does a video world model's world keep going when nobody looks?"""
    if version:
        typer.echo(metadata.version("lookaway"))
        raise typer.Exit


EXIT_FAILURES = 1
EXIT_USAGE = 2


def main() -> None:
    """Entry point. Exit codes: 0 done, 1 failures above --max-failures, 2 usage."""
    for module in pkgutil.iter_modules(__path__, __name__ + "."):
        importlib.import_module(module.name)
    sys.excepthook = _crashed
    try:
        app()
    except UsageError as error:
        _stop(f"error: {error}", EXIT_USAGE)
    except LookawayError as error:
        _stop(f"error: {error}", EXIT_FAILURES)


def _stop(message: str, code: int) -> None:
    sys.stderr.write(redacted(message) + "\n")
    sys.exit(code)


def _crashed(kind: type[BaseException], error: BaseException, at: TracebackType | None) -> None:
    """Python's own report of a bug, without secrets."""
    sys.stderr.write(redacted("".join(traceback.format_exception(kind, error, at))))
