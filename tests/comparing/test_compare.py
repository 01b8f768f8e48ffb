"""`lookaway compare`: runs join or are refused, the same checkpoint twice does not alarm, pages show pairs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lookaway.errors import UsageError
from lookaway.pipeline.arms import joined_arms, named_parts
from lookaway.pipeline.comparing import compare
from lookaway.records import Instrument, Step
from tests.command import call
from tests.comparing.written_runs import PROTOCOL, Values, tasks_in, write_run


def values(level: float, salt: int = 0) -> Values:
    """Numbers around a level, each task and seed with noise of its own."""

    def value(metric: str, name: str, seed: int) -> float:
        noise = np.random.default_rng([salt, seed, *name.encode()]).normal(0, 0.05)
        return {"left_view": 1.0, "world_clock": 1.0 + noise}.get(metric, level + noise)

    return value


TASKS = tasks_in(scenes=12)


@pytest.fixture
def two_runs(tmp_path: Path) -> tuple[Path, Path]:
    first = write_run(tmp_path / "a", {"old": values(0.5)}, TASKS)
    return first, write_run(tmp_path / "b", {"new": values(0.7, 1)}, TASKS)


def test_two_runs_compare_in_one_command_and_end_in_a_sentence(two_runs: tuple[Path, Path]) -> None:
    done = call("compare", *map(str, two_runs))
    assert done.returncode == 0, done.stderr
    last = done.stdout.strip().splitlines()[-1]
    assert last.startswith("new remembers better than old: return_identity +0.")
    assert "over 24 paired tasks in 12 scenes, p < .001" in last
    assert "Which clips pair" in done.stdout


def test_the_pages_hold_sentence_tables_and_no_markup_of_strangers(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>"
    one = write_run(tmp_path / "a", {"old": values(0.7)}, TASKS)
    other = write_run(tmp_path / "b", {hostile: values(0.4, 1)}, TASKS)
    done = call("compare", str(one), str(other), "--out", str(tmp_path / "out"), "--json")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out" / "comparison.html").read_text()
    assert "<script>" not in page
    assert "remembers worse than old" in page
    assert "The worst pairs side by side" in page
    assert "remembers worse than old" in (tmp_path / "out" / "comparison.md").read_text()
    told = json.loads(done.stdout)
    assert len(told["contrasts"]) == 3
    assert {table["title"] for table in told["tables"]} >= {"Differences", "The worst pairs", "Which clips pair"}


def test_parts_of_one_system_in_two_runs_are_one_arm(tmp_path: Path) -> None:
    half = len(TASKS) // 2
    one = write_run(tmp_path / "a", {"new": values(0.7)}, TASKS[:half])
    two = write_run(tmp_path / "b", {"new": values(0.7)}, TASKS[half:])
    base = write_run(tmp_path / "base", {"old": values(0.5, 1)}, TASKS)
    parts = [part for some in named_parts([str(base), str(one), str(two)]) for part in some]
    first, second = compare(parts).record.arms
    assert (first.name, second.name, second.runs, second.tasks) == ("old", "new", ("a", "b"), len(TASKS))


def test_the_same_case_made_twice_is_two_arms(tmp_path: Path) -> None:
    one = write_run(tmp_path / "monday", {"m": values(0.5)}, TASKS)
    two = write_run(tmp_path / "tuesday", {"m": values(0.5, 1)}, TASKS)
    parts = [part for some in named_parts([str(one), str(two)]) for part in some]
    assert [arm.name for arm in joined_arms(parts)] == ["m (monday)", "m (tuesday)"]


def test_one_system_of_a_run_is_named_behind_a_colon(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "a:b", {"x:1": values(0.5), "y": values(0.7)}, TASKS)
    done = call("compare", f"{folder}:x:1", f"{folder}:y")
    assert done.returncode == 0, done.stderr
    assert "y remembers better than x:1" in done.stdout
    wrong = call("compare", f"{folder}:z", f"{folder}:y")
    assert wrong.returncode == 2
    assert "no system in a:b named 'z'" in wrong.stderr
    assert call("compare", f"{folder}:y", f"{folder}:y").returncode == 2
    assert "name a second system" in call("compare", f"{folder}:y").stderr


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"suite_version": "2"}, "of version 1 of a-suite, b of version 2"),
        ({"suite": "another"}, "two suites have no task in common"),
        ({"protocols": (PROTOCOL.model_copy(update={"name": "other"}),)}, "protocol memory: not in b"),
        (
            {"protocols": (PROTOCOL.model_copy(update={"ledger": (Step(name="x", metric="left_view", at_least=1),)}),)},
            "protocol memory: another ledger in some of the runs",
        ),
        (
            {"instruments": {"replay": Instrument(kind="observer", plugin="replay", version=99)}},
            "return_identity:sound: not read alike (a: ",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_with_the_reason(tmp_path: Path, changes: dict, told: str) -> None:
    one = write_run(tmp_path / "a", {"old": values(0.5)}, TASKS)
    two = write_run(tmp_path / "b", {"new": values(0.7)}, TASKS, **changes)
    done = call("compare", str(one), str(two))
    assert done.returncode == 2
    assert told in done.stderr


def test_a_task_that_is_another_one_under_the_same_id_is_left_out(two_runs: tuple[Path, Path], tmp_path: Path) -> None:
    changed = [TASKS[0].model_copy(update={"first_frame": "1" * 64}), *TASKS[1:]]
    other = write_run(tmp_path / "c", {"newer": values(0.7, 2)}, changed)
    done = call("compare", str(two_runs[0]), str(other))
    assert "left out: 1 tasks: another first frame or prompt under the same id, such as t00_0" in done.stdout
    assert "over 23 paired tasks" in done.stdout


def test_the_same_checkpoint_twice_does_not_alarm_and_another_one_is_no_aa(tmp_path: Path) -> None:
    one = write_run(tmp_path / "a", {"m": values(0.5)}, TASKS)
    two = write_run(tmp_path / "b", {"m": values(0.5, 1)}, TASKS)
    done = call("compare", "--aa", str(one), str(two))
    assert done.returncode == 0, done.stdout
    assert "No difference between" in done.stdout
    worse = write_run(tmp_path / "c", {"m": values(0.2, 1)}, TASKS)
    assert call("compare", "--aa", str(one), str(worse)).returncode == 1
    other = write_run(tmp_path / "d", {"n": values(0.5)}, TASKS)
    assert "the same checkpoint in two runs, not m in a, n in d" in call("compare", "--aa", str(one), str(other)).stderr


def test_the_seeds_of_one_run_are_an_aa_too(tmp_path: Path) -> None:
    one = write_run(tmp_path / "a", {"m": values(0.5)}, TASKS, seeds=(0, 1, 2))
    done = call("compare", "--aa", str(one))
    assert done.returncode == 0, done.stderr
    assert "m (first seeds): 24 tasks, 24 clips" in done.stdout
    single = write_run(tmp_path / "b", {"m": values(0.5)}, TASKS)
    assert "has one seed" in call("compare", "--aa", str(single)).stderr


def test_a_folder_that_is_no_run_is_told(tmp_path: Path) -> None:
    done = call("compare", str(tmp_path / "nowhere"), str(tmp_path))
    assert done.returncode != 0
    assert "not a run folder" in done.stderr


def test_an_arm_alone_cannot_be_compared() -> None:
    with pytest.raises(UsageError, match="alone cannot be compared"):
        compare([])


def test_real_clips_stand_side_by_side_with_the_truth(demo_run: Path, tmp_path: Path) -> None:
    done = call("compare", f"{demo_run}:truth", f"{demo_run}:vanished", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "comparison.html").read_text()
    assert page.count("data:image/jpeg;base64,") == 6, "two pairs, each with the true clip"
    assert "newly lost at there" in page
    assert str(demo_run.parent) not in page
