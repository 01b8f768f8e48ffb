"""The command line: one file per verb or group of verbs; heavy imports wait until a verb runs."""

from __future__ import annotations

import errno
import importlib
import os
import resource
import sys
import traceback
from importlib import metadata
from types import TracebackType
from typing import Annotated

import typer

from lookaway.cli.tree import GROUPS, VERBS, Tree
from lookaway.errors import LookawayError, MachineError, UsageError
from lookaway.limits import ADDRESS_SPACE_BYTES, MB
from lookaway.secrets import redacted

app = typer.Typer(
    name="lookaway",
    cls=Tree,
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


def group(name: str, help: str) -> typer.Typer:
    """A group of verbs, put into the tree."""
    made = typer.Typer(name=name, help=help, no_args_is_help=True)
    app.add_typer(made)
    return made


def load_verbs() -> None:
    """Put every verb into the tree."""
    for name in (*VERBS, *GROUPS):
        importlib.import_module(f"{__name__}.{name}")


EXIT_FAILURES = 1
EXIT_USAGE = 2
IMPOSSIBLE_PATH = {errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR}
TROUBLE_WITH_DISK = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO}


def main() -> None:
    """Entry point. Exit codes: 0 done, 1 failures above --max-failures, 2 usage."""
    sys.excepthook = _crashed
    if "numpy" not in sys.modules:  # parallel work is done by processes; idle threads take time, and move last bits
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        _check_memory()
        _check_arguments(sys.argv[1:])
        load_verbs()
        app()
    except UsageError as error:
        _stop(f"error: {error}", EXIT_USAGE)
    except LookawayError as error:
        _stop(f"error: {error}", EXIT_FAILURES)
    except OSError as error:
        if error.errno not in IMPOSSIBLE_PATH | TROUBLE_WITH_DISK:
            raise
        code = EXIT_USAGE if error.errno in IMPOSSIBLE_PATH else EXIT_FAILURES
        _stop(f"error: {error.filename}: {error.strerror}; see to it, or give another path", code)


def _check_memory() -> None:
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY and allowed < ADDRESS_SPACE_BYTES:
        raise MachineError(
            f"a limit leaves this process {allowed // MB} MB of address space, and its libraries need "
            f"{ADDRESS_SPACE_BYTES // MB}; raise it (ulimit -v), then run the same command again"
        )


def _check_arguments(arguments: list[str]) -> None:
    for argument in arguments:
        if "\0" in argument:
            raise UsageError(f"{argument!r} holds a NUL character, which no name can; leave it out")


def _stop(message: str, code: int) -> None:
    sys.stderr.write(redacted(message) + "\n")
    sys.exit(code)


def _crashed(kind: type[BaseException], error: BaseException, at: TracebackType | None) -> None:
    """Python's own report of a bug, without secrets."""
    sys.stderr.write(redacted("".join(traceback.format_exception(kind, error, at))))
