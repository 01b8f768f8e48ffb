"""Videos that StEvo's output map names; addresses are named and never fetched."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from lookaway.errors import UsageError
from lookaway.pipeline.mapping import Mapping, map_folder

TASKS = ["wax_drip_curtain", "wax_drip", "tap_curtain"]


def mapped(folder: Path, told: Any, files: tuple[str, ...] = ()) -> Mapping:
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    (folder / "outputs.json").write_text(json.dumps(told))
    return map_folder(folder, TASKS, layout="stevo")


def test_the_map_names_files_whatever_they_are_called(tmp_path: Path) -> None:
    found = mapped(tmp_path, {"wax_drip_curtain": "a/1.mp4", "wax_drip": "2.mp4"}, ("a/1.mp4", "2.mp4"))
    assert found.matched == {("wax_drip_curtain", 0): tmp_path / "a/1.mp4", ("wax_drip", 0): tmp_path / "2.mp4"}
    assert found.without_video == [("tap_curtain", 0)]


def test_what_the_map_does_not_name_is_told_by_its_name(tmp_path: Path) -> None:
    found = mapped(tmp_path, {"wax_drip_curtain": "1.mp4"}, ("1.mp4", "tap_curtain.mp4", "wax_drip_curtain.mp4"))
    assert found.matched == {
        ("wax_drip_curtain", 0): tmp_path / "1.mp4",
        ("tap_curtain", 0): tmp_path / "tap_curtain.mp4",
    }


def test_addresses_are_named_and_never_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("something was fetched")

    monkeypatch.setattr(socket.socket, "connect", refused)
    found = mapped(tmp_path, {"wax_drip": "https://example.org/wax.mp4", "tap_curtain": "file:///etc/passwd"})
    assert found.matched == {}
    assert "2 videos are told as addresses, which are not fetched" in found.notes[0]
    assert "wax_drip, tap_curtain" in found.notes[0]


@pytest.mark.parametrize("entry", ["../out.mp4", "/etc/passwd", "", ".", "link.mp4", "a\0b"])
def test_an_entry_that_leads_out_of_the_folder_is_not_taken(tmp_path: Path, entry: str) -> None:
    (tmp_path / "out.mp4").touch()
    folder = tmp_path / "videos"
    folder.mkdir()
    (folder / "link.mp4").symlink_to(tmp_path / "out.mp4")
    found = mapped(folder, {"wax_drip": entry})
    assert found.matched == {}
    assert "1 entries lead out of the folder and are not taken: wax_drip" in found.notes[0]


def test_missing_files_and_unknown_tasks_are_told(tmp_path: Path) -> None:
    notes = " ".join(mapped(tmp_path, {"wax_drip": "gone.mp4", "kettle": "kettle.mp4"}).notes)
    assert "1 videos are not there: wax_drip" in notes
    assert "1 tasks are not in the suite: kettle" in notes


def test_of_several_json_files_none_is_the_map(tmp_path: Path) -> None:
    (tmp_path / "runs.json").write_text("{}")
    found = mapped(tmp_path, {"wax_drip": "1.mp4"}, ("1.mp4",))
    assert found.matched == {}
    assert "2 .json files (outputs.json, runs.json)" in found.notes[0]


@pytest.mark.parametrize("told", [[], {"wax_drip": 3}, "x"])
def test_a_json_file_that_is_no_map_is_refused(tmp_path: Path, told: Any) -> None:
    with pytest.raises(UsageError, match="not an output map"):
        mapped(tmp_path, told)
