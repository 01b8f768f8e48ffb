"""`lookaway world` as a person uses it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

from lookaway.suites import find
from tests import command

TASK = find("diorama-mini").drafts()[0].id


call = partial(command.call, "world")


def test_the_catalogue_fits_the_page_and_speaks_json() -> None:
    listed = json.loads(call("list", "--json").stdout)
    assert {"layout": "parlour", "place": "indoor"} in listed["layouts"]
    ball = next(row for row in listed["processes"] if row["process"] == "ball")
    assert (ball["category"], ball["event"], ball["opposite"]) == ("kinematics", "spatial", False)
    assert all(set(row["places"]) <= {"indoor", "outdoor"} for row in listed["processes"])
    plain = call("list").stdout
    assert all(len(line.rstrip()) <= 100 for line in plain.splitlines())
    for row in listed["processes"]:
        assert row["process"] in plain


def test_a_task_is_shown_on_one_page_with_its_plain_facts(tmp_path: Path) -> None:
    done = call("show", TASK, "--suite", "diorama-mini", "--out", "sheet.png", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for fact in (TASK, "prompt", "expected end", "hidden from", "returned from", "travelled_m from"):
        assert fact in done.stdout
    assert done.stdout.splitlines()[-1] == "sheet: sheet.png"
    with Image.open(tmp_path / "sheet.png") as sheet:
        assert sheet.width == 1600
    assert [path.name for path in tmp_path.iterdir()] == ["sheet.png"], "nothing else stays behind"


def test_any_process_goes_into_any_layout(tmp_path: Path) -> None:
    done = call("show", "workshop/ball:2", "--side", "right", "--variant", "still", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert "on the right" in facts["prompt"]
    assert "travelled_m from 0.000 to 0.000" in facts["state"], "a still world keeps its state"
    assert (tmp_path / facts["sheet"]).stat().st_size > 50_000


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["show", TASK[:-3], "--suite", "diorama-mini"], f"did you mean {TASK}"),
        (["show", TASK.replace("ball", "bal")], "did you mean"),
        (["show", "parlor/ball"], "did you mean parlour"),
        (["show", "parlour/bal:1"], "did you mean ball"),
        (["show", "parlour/ball:x"], "write LAYOUT/PROCESS or LAYOUT/PROCESS:SEED"),
        (["show", "parlour/ball", "--side", "top"], "side"),
        (["show", "parlour/ball", "--variant", "opposite"], "no opposite"),
        (["show", TASK, "--out", "nowhere/sheet.png"], "no folder nowhere"),
        (["show", TASK, "--suite", "diorama-mni"], "did you mean diorama-mini"),
    ],
)
def test_a_wrong_name_exits_with_two_and_says_what_next(arguments: list[str], hint: str, tmp_path: Path) -> None:
    done = call(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert hint in done.stderr
    assert list(tmp_path.iterdir()) == []
