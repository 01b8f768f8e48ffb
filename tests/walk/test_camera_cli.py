"""`lookaway camera` on plain files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway import cli
from lookaway.geometry.camera_scores import SCORES
from lookaway.metrics import METRICS

ASKED = "yaw:left:60@2s, yaw:right:60@2s"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Called:
    """What a command printed and its exit code."""

    def __init__(self, arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
        monkeypatch.setattr(sys, "argv", ["lookaway", "camera", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
        said = capsys.readouterr()
        self.code, self.out, self.error = int(end.value.code or 0), said.out, said.err


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    return lambda *arguments: Called(list(arguments), monkeypatch, capsys)


def written(call: Any, script: str, out: str, frames: int = 81, fps: float = 20) -> str:
    done = call("script", script, "--frames", str(frames), "--fps", str(fps), "--out", out)
    assert done.code == 0, done.error
    return out


def test_a_script_becomes_poses_in_every_kind_of_file(call: Any) -> None:
    plain = np.load(written(call, ASKED, "asked.npy"))
    assert plain.shape == (81, 4, 4)
    assert plain.dtype == np.float64
    assert np.allclose(plain[[0, -1]], np.eye(4), atol=1e-9)
    call("script", ASKED, "--frames", "81", "--fps", "20", "--out", "a.npz", "--hfov", "90", "--size", "640x360")
    with np.load("a.npz") as arrays:
        assert np.array_equal(arrays["camera_to_world"], plain)
        assert np.allclose(arrays["intrinsics"][80], [[320, 0, 320], [0, 320, 180], [0, 0, 1]])
        assert arrays["seconds"][-1] == 4
    told = json.loads(Path(written(call, ASKED, "asked.json")).read_text())
    assert np.allclose(told["camera_to_world"], plain)
    assert sorted(told) == ["camera_to_world", "intrinsics", "seconds"]


def test_frame_intervals_count_at_the_given_frame_rate(call: Any) -> None:
    done = call("script", "yaw:left:60@40,yaw:right:60@40", "--frames", "81", "--fps", "16", "--out", "a.npy")
    assert (done.code, done.error) == (0, "")
    assert done.out == "a.npy: 81 poses over 5 s; the script lasts 5 s\n"
    assert np.array_equal(np.load("a.npy"), np.load(written(call, "preset:yaw-lr:60@5s", "b.npy", fps=16)))


def test_every_variant_is_in_one_json_as_a_number_or_a_reason(call: Any) -> None:
    asked = written(call, ASKED, "asked.npy")
    half = written(call, "yaw:left:30@2s, yaw:right:30@2s", "half.npz", frames=49, fps=12)
    scores = json.loads(call("score", "--asked", asked, "--got", half, "--json").out)
    assert {name: sorted(scores[name]) for name in SCORES} == {name: sorted(v) for name, v in SCORES.items()}
    assert scores["requested_camera_precision"]["released"] == pytest.approx(0.7195, abs=5e-4)
    assert scores["camera_controllability"]["sound"] == pytest.approx(0.5, abs=1e-3)
    assert scores["camera_gain"]["sound"] == pytest.approx(0.5, abs=1e-3)
    assert scores["static_hold"]["released"] == "the camera is asked to move"
    assert scores["motion"] == "as_asked"


def test_a_static_camera_looks_good_on_nothing(call: Any) -> None:
    asked, still = written(call, ASKED, "asked.npz"), written(call, "hold@4s", "still.npy", frames=5)
    scores = json.loads(call("score", "--asked", asked, "--got", still, "--json").out)
    assert scores["camera_inactivity"]["sound"] == 1
    assert scores["camera_rotation_error"]["sound"] > 30  # degrees off, of a turn of 60
    for name in {*SCORES} - {"camera_inactivity", "camera_rotation_error"}:
        assert all(isinstance(value, str) or value == 0 for value in scores[name].values()), name


def test_rotations_and_short_matrices_are_read_too(call: Any) -> None:
    asked = np.load(written(call, ASKED, "asked.npy"))
    np.save("short.npy", asked[:, :3])
    np.save("turns.npy", asked[:, :3, :3].astype(np.float32))
    Path("list.json").write_text(json.dumps(asked.tolist()))
    for got in ("short.npy", "turns.npy", "list.json"):
        scores = json.loads(call("score", "--asked", "asked.npy", "--got", got, "--json").out)
        assert scores["requested_camera_precision"] == pytest.approx({"released": 1.0, "sound": 1.0}, abs=1e-5)


def test_the_table_fits_the_page(call: Any) -> None:
    asked = written(call, ASKED, "asked.npy")
    said = call("score", "--asked", asked, "--got", asked).out
    assert all(len(line.rstrip()) <= 100 for line in said.splitlines())
    for name in SCORES:
        assert name in said


def test_scores_on_files_are_the_registered_metrics() -> None:
    names = {f"{name}:{variant}" for name, variants in SCORES.items() for variant in variants}
    cameras = {name for name, metric in METRICS.all().items() if "classical" in metric.needs}
    of_sessions = {"repeat_error:sound"}  # reads the actions of a session too, which a file does not hold
    assert names == cameras - of_sessions


def broken_files() -> dict[str, bytes]:
    return {
        "text.npy": b"hello",
        "empty.npy": b"",
        "torn.npz": b"PK\x03\x04",
        "number.json": b"5",
        "none.json": b"null",
        "ragged.json": b"[[1, 2], [3]]",
        "torn.json": b"{",
        "other.json": b'{"poses": []}',
        "poses.txt": b"",
    }


@pytest.mark.parametrize("name", [*broken_files(), "absent.npy", "folder.npy"])
def test_a_broken_file_is_named_and_ends_with_2(name: str, call: Any) -> None:
    asked = written(call, ASKED, "asked.npy")
    Path("folder.npy").mkdir()
    if name in broken_files():
        Path(name).write_bytes(broken_files()[name])
    done = call("score", "--asked", asked, "--got", name)
    assert done.code == 2
    assert done.error.startswith(f"error: {name}: ")
    assert len(done.error.splitlines()) == 1


def test_pickled_objects_are_refused(call: Any) -> None:
    asked = written(call, ASKED, "asked.npy")
    np.savez("objects.npz", camera_to_world=np.array([None], dtype=object))
    assert call("score", "--asked", asked, "--got", "objects.npz").code == 2


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"--fps": "nan"}, "--fps nan"),
        ({"--fps": "0"}, "--fps 0"),
        ({"--hfov": "180"}, "--hfov 180"),
        ({"--size": "320"}, "--size '320'"),
        ({"--out": "x.txt"}, "x.txt: poses are kept as"),
        ({"--out": "no/x.npy"}, "no/x.npy: cannot write"),
    ],
)
def test_a_wrong_request_is_told_and_ends_with_2(changes: dict[str, str], complaint: str, call: Any) -> None:
    options = {"--frames": "9", "--fps": "8", "--out": "x.npy"} | changes
    done = call("script", ASKED, *(word for pair in options.items() for word in pair))
    assert done.code == 2
    assert complaint in done.error
    assert call("script", "zoom:in:2@1s", "--frames", "9", "--fps", "8", "--out", "x.npy").code == 2


def test_a_shaken_path_is_smoothed_and_the_check_printed(call: Any) -> None:
    call("script", ASKED, "--frames", "81", "--fps", "20", "--out", "asked.npy")
    true = np.load("asked.npy")
    shaken = true.copy()
    for frame, angle in enumerate(np.random.default_rng(0).normal(0, 0.01, len(true))):
        about_z = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        shaken[frame, :3, :3] = true[frame, :3, :3] @ about_z
    np.savez("shaken.npz", cam_c2w=shaken)
    done = call("smooth", "shaken.npz", "--out", "smooth.npy")
    assert done.code == 0, done.error
    assert "81 poses; raw against smoothed: r = " in done.out
    first = np.linalg.inv(shaken[0]) @ true
    before, after = np.linalg.inv(shaken[0]) @ shaken, np.load("smooth.npy")
    assert np.abs(after - first).mean() < 0.7 * np.abs(before - first).mean()
    assert "an odd number" in call("smooth", "shaken.npz", "--out", "smooth.npy", "--window", "8").error
    assert "kept as .npy" in call("smooth", "shaken.npz", "--out", "smooth.npz").error
