"""The command line in this process: what a person would see, without the price of starting Python."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from pathlib import Path
from unittest import mock

from lookaway.cli import main


def call(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Exit code, standard output and standard error of `lookaway ARGUMENTS`, begun in that folder."""
    out, err = io.StringIO(), io.StringIO()
    begun_in = contextlib.chdir(cwd) if cwd is not None else contextlib.nullcontext()
    argv = mock.patch.object(sys, "argv", ["lookaway", *arguments])
    with begun_in, argv, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
            code: object = 0
        except SystemExit as ending:
            code = ending.code
    number = code if isinstance(code, int) else int(code is not None)
    return subprocess.CompletedProcess(["lookaway", *arguments], number, out.getvalue(), err.getvalue())


def invoke(*arguments: str) -> tuple[int, str]:
    """Exit code of `lookaway ARGUMENTS`, and all that it said."""
    done = call(*arguments)
    return done.returncode, done.stdout + done.stderr
