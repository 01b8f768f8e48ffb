"""A bad day in short: some faults of benchmarks/faults.py and a few kills of benchmarks/kills.py, on real commands."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def program(name: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run in a process of its own: it forks, and has no threads to lose."""
    return subprocess.run([sys.executable, str(BENCHMARKS / name), *words], capture_output=True, text=True)


def test_after_a_fault_the_same_command_ends_as_if_nothing_had_been() -> None:
    faults = ["torn_log", "cut_log", "garbage_line", "torn_parquet", "two_at_once", "judge_outage"]
    done = program("faults.py", *faults)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.count("lost=0, doubled=0, same=True") >= len(faults) - 1, "two at once may both do a job"
    assert done.stdout.count("lost=0,") == done.stdout.count("same=True") == len(faults)
    assert ".jsonl:2: not JSON" in done.stdout, "the message names file and line"
    assert "delete it and make again what it held" in done.stdout, "the message says what to do about the table"
    assert "unavailable: not asked" in done.stdout


@pytest.mark.parametrize("what", ["run", "judging", "people"])
def test_a_command_that_is_killed_loses_and_doubles_nothing(what: str) -> None:
    done = program("kills.py", what, "4", "--items", "8", "--dry")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert (found["kills"], found["lines"] > 0) == (4, True)
