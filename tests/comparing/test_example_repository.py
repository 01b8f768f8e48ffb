"""The example repository's CI is guarded: it passes, fails, or says that it is too early to tell."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.comparing.test_check import runs

EXAMPLE = Path(__file__).parents[2] / "examples" / "nightly_check"
CASES = [(0.7, 6, "passed", 0), (0.3, 1, "failed", 1), (0.6, 1, "skipped", 3)]
# Stands in front of the real command: `run` films nothing, for the runs of these tests are written already.
COMMAND = """#!/bin/sh
[ "$1" = run ] && exit 0
exec {python} -c 'import sys; from lookaway.cli import main; sys.argv[0] = "lookaway"; main()' "$@"
"""


@pytest.mark.parametrize(("level", "seeds", "word", "code"), CASES)
def test_the_pytest_fixture_tells_the_verdict(
    tmp_path: Path, level: float, seeds: int, word: str, code: int, pytester: pytest.Pytester
) -> None:
    runs(tmp_path / "runs", level, seeds)
    pytester.makepyfile((EXAMPLE / "tests" / "test_memory.py").read_text())
    os.environ["RUNS"] = str(tmp_path / "runs")
    try:
        result = pytester.runpytest("-p", "no:cacheprovider", "-rs")
    finally:
        del os.environ["RUNS"]
    result.assert_outcomes(**{word: 1})
    if code == 3:
        result.stdout.fnmatch_lines(["*too early to tell*"])


@pytest.mark.parametrize(("level", "seeds", "word", "code"), CASES)
def test_the_nightly_job_ends_as_the_check_does(tmp_path: Path, level: float, seeds: int, word: str, code: int) -> None:
    """Too early to tell does not break the build; the JUnit file says it."""
    shutil.copytree(EXAMPLE, tmp_path / "repo")
    runs(tmp_path / "repo" / "runs", level, seeds)
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "lookaway"
    command.write_text(COMMAND.format(python=sys.executable))
    command.chmod(0o755)
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "nightly.sh"],
        cwd=tmp_path / "repo",
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (1 if code == 1 else 0), done.stdout + done.stderr
    junit = (tmp_path / "repo" / "check.xml").read_text()
    assert ("<failure" in junit, "<skipped" in junit) == (word == "failed", word == "skipped")
    assert (tmp_path / "repo" / "runs" / "night").read_text().strip() == "1"
