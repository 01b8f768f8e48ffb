"""What spoilt files showed, each in little."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway.arrays import BadArrays, read_arrays
from lookaway.banks.memobench import read_failures
from lookaway.errors import SealError, SuiteError, UsageError
from lookaway.geometry.cover import parse_cover
from lookaway.geometry.script import frame_count
from lookaway.judges.estimators.p_yes import p_yes
from lookaway.judges.estimators.votes import vote
from lookaway.people.desk import StudyDesk
from lookaway.people.importing import bring
from lookaway.pipeline.mapping import map_folder
from lookaway.records import TokenScores
from lookaway.sharing.archives import read_seal, unpack
from lookaway.suites.keyframes import read_keyframes
from lookaway.suites.releases.stevo.files import read_task
from lookaway.video.names import printable
from tests.people.studies import pair_study
from tests.people.test_studies import label_studio
from tests.sharing.test_archives import packed, seal_of
from tests.suites.memobench_files import workbook


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The final answer isNO: Yes", "invalid"),
        ("Answerno", "invalid"),
        ("Answer: no", "no"),
        ("The answer is Yes", "yes"),
    ],
)
def test_a_verdict_that_is_grown_together_with_other_words_is_none(text: str, said: str) -> None:
    assert vote(text) == said


@pytest.mark.parametrize("scores", [{"Yes": 1e308, "No": -1.0}, {"Yes": 710.0, "No": -1.0}])
def test_token_scores_that_are_no_logarithms_are_no_verdict(scores: dict[str, float]) -> None:
    found = p_yes(TokenScores(logprobs=scores, yes=("Yes",), no=("No",)))
    assert (found.status, found.choice) == ("invalid", None)
    unlisted = TokenScores(logprobs={"Yes": -0.1}, yes=("Yes",), no=("No",), unlisted_most=1e6)
    assert p_yes(unlisted).status == "invalid"


@pytest.mark.parametrize("script", ["hold@1e308s, hold@1e308s", "yaw:left:60@99999999s", "hold@9999999999"])
def test_a_camera_script_ends_within_a_day(script: str) -> None:
    with pytest.raises(UsageError, match="86400"):
        frame_count(script, 16.0)


@pytest.mark.parametrize("seconds", ["9" * 400, "1000000", "0.0000001"])
def test_a_cover_script_ends_within_a_day_and_takes_time(seconds: str) -> None:
    with pytest.raises(UsageError, match="not a positive number"):
        parse_cover(f"curtain:close@{seconds}s")


def test_a_name_that_no_file_can_have_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "videos").mkdir()
    (tmp_path / "map.csv").write_text(f"video,task\n{'a' * 300}.mp4,ball\n")
    with pytest.raises(UsageError, match="no file"):
        map_folder(tmp_path / "videos", ["ball"], tmp_path / "map.csv")
    (tmp_path / "videos" / "map.json").write_text(json.dumps({"ball": "a" * 300 + ".mp4", "\ud800": "x"}))
    mapping = map_folder(tmp_path / "videos", ["ball"], layout="stevo")
    assert "1 videos are not there: ball" in " ".join(mapping.notes)


def test_braces_that_are_not_closed_are_letters(tmp_path: Path) -> None:
    (tmp_path / "{taskx_ball.mp4").write_bytes(b"")
    mapping = map_folder(tmp_path, ["ball"], pattern="{taskx_{task}.mp4")
    assert list(mapping.matched) == [("ball", 0)]


def test_half_a_character_can_be_printed() -> None:
    assert printable("a\ud800") == "a\\ud800"


@pytest.mark.parametrize(
    "wrong",
    [
        {"data": 1},
        {"data": None},
        {"data": {"item": 3}},
        {"annotations": 3},
        {"annotations": ["x"]},
        {"annotations": [{"result": ["x"]}]},
        {"annotations": [{"result": [{"from_name": "place", "value": []}]}]},
        {"annotations": [{"result": [{"from_name": "place", "value": {"choices": 7}}]}]},
    ],
    ids=str,
)
def test_an_export_of_label_studio_with_a_wrong_part_is_refused_whole(wrong: dict[str, Any], tmp_path: Path) -> None:
    desk = StudyDesk(pair_study(tmp_path / "study", items=1))
    (tmp_path / "a.json").write_text(json.dumps([label_studio("0" * 16) | wrong]))
    with pytest.raises(UsageError, match="task 1"):
        bring(desk, tmp_path / "a.json")
    assert desk.labels() == []


def test_a_line_of_failure_cases_that_stops_early_is_told(tmp_path: Path) -> None:
    (tmp_path / "failure-cases.csv").write_text("scene,video_id,hint,folder\nBarn,1\n")
    with pytest.raises(UsageError, match="failure cases"):
        read_failures(tmp_path / "failure-cases.csv")


def test_an_id_that_yaml_takes_for_a_number_is_not_respelled(tmp_path: Path) -> None:
    (tmp_path / "wax.yaml").write_text("id: 012\n")
    task, notes = read_task(tmp_path / "wax.yaml")
    assert task.id == "wax"
    assert "its name is taken" in notes[0]
    (tmp_path / "12.yaml").write_text("id: 12\n")
    assert read_task(tmp_path / "12.yaml") == (read_task(tmp_path / "12.yaml")[0], [])


# ---------------------------------------------------------------- archives


def spoilt_deflate(data: bytes) -> bytes:
    """The archive with the first packed bytes of each of its files overwritten."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        places = [entry.header_offset for entry in archive.infolist()]
    for place in places:
        names = int.from_bytes(data[place + 26 : place + 28], "little") + int.from_bytes(
            data[place + 28 : place + 30], "little"
        )
        start = place + 30 + names
        data = data[:start] + b"\xff" * 8 + data[start + 8 :]
    return data


def test_packed_bytes_that_are_spoilt_are_told_of_every_archive(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, seconds=np.arange(50))
    (tmp_path / "a.npz").write_bytes(spoilt_deflate(buffer.getvalue()))
    with pytest.raises(BadArrays):
        read_arrays(tmp_path / "a.npz")
    book = workbook(tmp_path / "a.xlsx", [("clip", "gone", "back"), ("a", 1, 2)])
    book.write_bytes(spoilt_deflate(book.read_bytes()))
    with pytest.raises(SuiteError, match="not a readable xlsx file"):
        read_keyframes(book)
    with zipfile.ZipFile(tmp_path / "a.seal", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("seal.json", "".join(map(str, range(999))))
    (tmp_path / "a.seal").write_bytes(spoilt_deflate((tmp_path / "a.seal").read_bytes()))
    with pytest.raises(SealError, match="cannot be unpacked"):
        read_seal(tmp_path / "a.seal")


def test_arrays_that_unpack_to_too_much_are_not_unpacked(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "a.npz", depth=np.zeros(3 << 20, np.uint8))
    assert (tmp_path / "a.npz").stat().st_size < 1 << 20
    assert read_arrays(tmp_path / "a.npz")["depth"].nbytes == 3 << 20
    with pytest.raises(BadArrays, match="would unpack to 3 MB"):
        read_arrays(tmp_path / "a.npz", most_bytes=1 << 20)


def test_what_is_no_array_or_would_have_to_be_unpickled_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("x.npy", b"no array")
    with pytest.raises(BadArrays):
        read_arrays(tmp_path / "a.npz")
    np.save(tmp_path / "b.npy", np.array([{}], object))
    with pytest.raises(BadArrays, match="allow_pickle"):
        read_arrays(tmp_path / "b.npy")


def test_a_seal_whose_file_and_folder_have_one_name_is_refused(tmp_path: Path) -> None:
    blob = "blobs/ab/ab" + "0" * 62
    files = {blob: b"x", f"{blob}/frame": b"y"}
    path = packed(tmp_path / "s", seal_of(files), files)
    with pytest.raises(SealError, match="cannot lie in one folder"):
        unpack(path, tmp_path / "out")


def test_a_sealed_run_does_not_follow_a_link_that_lies_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "run.json").symlink_to(tmp_path / "elsewhere")
    path = packed(tmp_path / "s", seal_of({"run.json": b"x"}), {"run.json": b"x"})
    with pytest.raises(SealError):
        unpack(path, tmp_path / "out")
    assert not (tmp_path / "elsewhere").exists()
