"""The command line without a process of its own: quick enough for many attacks."""

from __future__ import annotations

import contextlib
import io
import sys
from unittest import mock

from lookaway.cli import main


def call(*arguments: str) -> tuple[int, str]:
    """Exit code and all that was said; anything but an exit is what a person would see as a traceback."""
    said = io.StringIO()
    with mock.patch.object(sys, "argv", ["lookaway", *arguments]), contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(said))
        stack.enter_context(contextlib.redirect_stderr(said))
        try:
            main()
        except SystemExit as ending:
            return int(ending.code or 0), said.getvalue()
    return 0, said.getvalue()
