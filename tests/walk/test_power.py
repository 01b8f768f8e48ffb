"""`lookaway power`: from a run, from a suite, from numbers, and what it cannot say."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.command import call


def assumed(*words: str) -> dict[str, float]:
    found: dict[str, float] = json.loads(call("power", *words, "--json").stdout)["assumed"]
    return found


def test_scenes_count_and_not_tasks() -> None:
    few, many = (assumed("--scenes", scenes, "--tasks-per-scene", "4") for scenes in ("9", "36"))
    assert few["floor"] > 1.9 * many["floor"]
    alike, apart = (assumed("--scenes", "9", "--tasks-per-scene", "4", "--correlation", r) for r in ("1", "0"))
    assert alike["floor"] == pytest.approx(2 * apart["floor"])


def test_the_scenes_that_are_needed_find_the_effect() -> None:
    needed = assumed("--effect", "0.1")["scenes_needed"]
    assert assumed("--effect", "0.1", "--scenes", f"{needed}")["power"] >= 0.8
    assert assumed("--effect", "0.1", "--scenes", f"{needed - 1}")["power"] < 0.8


def test_a_suite_brings_its_scenes() -> None:
    found = assumed("--suite", "diorama")
    assert found["scenes"] == 36
    assert found["tasks_per_scene"] * 36 == pytest.approx(174, abs=40)
    assert "36 scenes find a difference of 0." in call("power", "--suite", "diorama").stdout


def test_a_run_tells_its_own_variance(small_run: Path, tmp_path: Path) -> None:
    """Two models on two tasks in two scenes."""
    shutil.copytree(small_run.parent, tmp_path / "small")
    run = tmp_path / "small" / "run"
    assert call("run", "--models", "looped-first-half", "--out", str(run)).returncode == 0
    done = call("power", str(run), "--between", "held-first-frame,looped-first-half", "--json")
    assert done.returncode == 0, done.stderr
    (line,) = json.loads(done.stdout)["measured"]
    assert (line["clips"], line["tasks"]) == (2, 2)
    text = call("power", str(run)).stdout
    assert "pairs, 2 tasks" in text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "give a run, --suite, --scenes, or --effect"),
        (["RUN", "--scenes", "5"], "leave --suite, --scenes and --correlation out"),
        (["RUN", "--between", "truth"], "name two systems"),
        (["RUN", "--between", "held-first-frame,nobody"], "no system of this run named 'nobody'"),
        (["RUN", "--metric", "nothing"], "no two systems have numbers"),
    ],
)
def test_what_cannot_be_answered_says_why(small_run: Path, words: list[str], says: str) -> None:
    done = call("power", *(str(small_run) if word == "RUN" else word for word in words))
    assert done.returncode == 2
    assert says in done.stderr
