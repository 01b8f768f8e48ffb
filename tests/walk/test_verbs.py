"""Every verb starts in a process of its own, as it is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.test_docs import click_commands

LOOKAWAY = str(Path(sys.executable).parent / "lookaway")


@pytest.mark.parametrize("verb", sorted(click_commands()))
def test_a_verb_starts_and_says_what_it_is_for(verb: str) -> None:
    done = subprocess.run([LOOKAWAY, *verb.split(), "--help"], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert f"lookaway {verb} [OPTIONS]" in done.stdout
    assert done.stderr == ""
