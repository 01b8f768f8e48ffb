"""Suites that cannot be trusted are refused with the place and the reason; good folders work end to end."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lookaway import suites
from lookaway.errors import SuiteError
from lookaway.images import png_bytes
from lookaway.store import Blobs
from lookaway.video import encode
from tests.builders import task


def suite_folder(folder: Path, *rows: dict) -> Path:
    (folder / "suite.toml").write_text('name = "mine"\nversion = 1\nsummary = "a folder suite"\n')
    rng = np.random.default_rng(0)
    (folder / "first.png").write_bytes(png_bytes(rng.integers(0, 255, (180, 320, 3), np.uint8)))
    (folder / "tasks.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    return folder


def row(**changes: object) -> dict:
    plain = task(first_frame="first.png").model_dump(mode="json", exclude={"suite", "version"})
    return plain | changes


def test_a_folder_is_a_suite(tmp_path: Path) -> None:
    encode([np.zeros((180, 320, 3), np.uint8)] * 5, tmp_path / "true.mp4", 16)
    suite = suites.find(str(suite_folder(tmp_path, row(), row(id="other", reference="true.mp4"))))
    first, second = suite.drafts()
    built, reference = first.build(first, Blobs(tmp_path / "blobs"))
    assert (built.suite, built.id, reference) == ("mine", "a_task", None)
    built, reference = second.build(second, Blobs(tmp_path / "blobs"))
    assert reference is not None
    assert reference.instance == built.instance


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([row(), row()], "two tasks have the id 'a_task'"),
        ([row(colour="red")], r"tasks.jsonl:1: not a task: colour: Extra inputs"),
        ([row(), row(id="b", fps=-1)], r"tasks.jsonl:2: not a task: fps: Input should be greater than 0"),
        ([row(first_frame="none.png")], r"tasks.jsonl:1: first_frame 'none.png' is not a file in"),
        ([row(id="a b")], "must have no spaces"),
        ([row(camera="hold@0.5")], r"tasks.jsonl:1: camera script, character 1"),
        ([[]], r"tasks.jsonl:1: not a task: a line must be one JSON object"),
        ([row(subjects=[{"name": "x", "box": [0.6, 0.2, 0.4, 0.7], "side": "left"}])], "must be left, top, right"),
        ([row(first_frame="/etc/hostname")], "is not a file in"),
        ([row(seconds=1e15)], "less than or equal to 3600"),
        ([], "has no tasks"),
    ],
)
def test_a_bad_suite_is_refused(rows: list[dict], complaint: str, tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match=complaint):
        suites.find(str(suite_folder(tmp_path, *rows))).drafts()


def test_a_folder_without_its_head_or_with_broken_json_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match=r"cannot read suite.toml"):
        suites.find(str(tmp_path))
    suite_folder(tmp_path, row())
    (tmp_path / "tasks.jsonl").write_text('{"id": ')
    with pytest.raises(SuiteError, match=r"tasks.jsonl:1: not JSON"):
        suites.find(str(tmp_path)).drafts()
