"""Keyframe files are read in either spelling, and two annotators are compared clip by clip."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lookaway.errors import SuiteError, UsageError
from lookaway.suites.keyframes import ClipMarks, clip_name, compare_keyframes, read_keyframes
from tests.command import call
from tests.suites.memobench_files import table, workbook


@pytest.mark.parametrize(
    ("head", "clip", "name"),
    [
        (("clip", "gone", "back"), "lamp_left", "lamp_left"),
        (("video_folder", "exits", "re-enter"), "Barnyard_001", "Barnyard_001"),
        ((" ID ", "Exit", "Reenter"), "7", "real_007"),
    ],
)
def test_columns_of_ours_and_of_the_release_are_read(
    head: tuple[str, ...], clip: str, name: str, tmp_path: Path
) -> None:
    assert read_keyframes(table(tmp_path / "a.csv", [head, (clip, 84, "171.0")])).marks == {name: ClipMarks(84, 171)}


@pytest.mark.parametrize(
    ("told", "name"),
    [("7", "real_007"), ("7.0", "real_007"), ("real_7", "real_007"), ("Old_Town_1", "Old_Town_001"), ("lamp", "lamp")],
)
def test_a_clip_has_one_name(told: str, name: str) -> None:
    assert clip_name(told) == name


def test_a_workbook_says_what_a_csv_says(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    rows = [("id", "exit", "reenter"), (1, 7, 15), (2, None, 18), (None, None, None), (3, 9, 12)]
    read = [read_keyframes(write(tmp_path / name, rows)) for write, name in ((workbook, "a.xlsx"), (table, "a.csv"))]
    assert read[0] == read[1]
    assert read[0].marks["real_002"] == ClipMarks(None, 18)
    (tmp_path / "b.xlsx").write_bytes(b"PK\x03\x04 no workbook")
    with pytest.raises(SuiteError, match="not a readable xlsx file"):
        read_keyframes(tmp_path / "b.xlsx")


def test_two_annotators_who_say_the_same_agree(tmp_path: Path) -> None:
    marks = {f"c_{i:03d}": ClipMarks(10 + i, 50 + i) for i in range(6)}
    found = compare_keyframes(marks, marks)
    assert [one.within[0] for one in found.marks] == [1.0, 1.0]
    assert found.marks[0].mean is not None
    assert found.marks[0].mean.value == 0


def test_differences_are_counted_clip_by_clip() -> None:
    """Worked by hand: 0, +2, -4 and +10 frames have mean 2, are 4 apart on average; half lie within 2."""
    first = {name: ClipMarks(100, 200) for name in "abcd"} | {"e": ClipMarks(None, 9), "f": ClipMarks(1, 2)}
    second = {name: ClipMarks(100 + d, 200) for name, d in zip("abcd", (0, 2, -4, 10), strict=True)}
    second |= {"e": ClipMarks(4, 9), "g": ClipMarks(1, 2)}
    found = compare_keyframes(first, second)
    gone, back = found.marks
    assert gone.clips == 4
    assert back.clips == 5
    assert gone.mean is not None
    assert gone.apart is not None
    assert (gone.mean.value, gone.apart.value) == (2, 4)
    assert gone.within == {0: 0.25, 1: 0.25, 2: 0.5, 5: 0.75, 10: 1.0}
    assert gone.mean.low is not None
    assert gone.mean.high is not None
    assert gone.mean.low < 2 < gone.mean.high
    assert found.differences["d"]["gone"] == 10
    assert (found.only_first, found.only_second, found.one_sided) == (["f"], ["g"], ["e gone"])


def test_the_verb_names_clips_that_are_far_apart(tmp_path: Path) -> None:
    head = ("clip", "gone", "back")
    a = table(tmp_path / "a.csv", [head, *((f"c_{i}", 10, 50) for i in range(5)), ("c_9", 9, 4)])
    b = table(tmp_path / "b.csv", [head, *((f"c_{i}", 10 + 8 * (i == 3), 50) for i in range(5)), ("d_1", 1, 2)])
    told = call("suite", "keyframes", str(a), str(b))
    assert told.returncode == 0, told.stderr
    assert "c_003: gone +8 frames" in told.stdout
    assert "only in B: d_001" in told.stdout
    assert "a.csv:7: c_009 is back at frame 4, not after 9" in told.stderr
    facts = json.loads(call("suite", "keyframes", str(a), str(b), "--json").stdout)
    assert facts["marks"][0]["within"]["0"] == 0.8
    assert facts["differences"]["c_003"] == {"gone": 8, "back": 0}


def test_files_with_no_clip_in_common_have_no_mean(tmp_path: Path) -> None:
    head = ("clip", "gone", "back")
    a, b = (table(tmp_path / f"{name}.csv", [head, (name, 1, 2)]) for name in "ab")
    told = call("suite", "keyframes", str(a), str(b), "--json")
    assert json.loads(told.stdout)["marks"][0]["mean"] is None


def test_what_is_no_keyframe_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="has no column gone or exits or exit"):
        read_keyframes(table(tmp_path / "a.csv", [("clip", "back"), ("a", 3)]))
    with pytest.raises(UsageError, match="csv or xlsx"):
        read_keyframes(tmp_path / "a.txt")
    with pytest.raises(SuiteError, match="cannot read it"):
        read_keyframes(tmp_path / "none.csv")
