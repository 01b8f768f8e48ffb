"""Files beside a brought video tell its camera; written here by hand, in the layout of WRBench's release."""

from __future__ import annotations

import io
import json
import os
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway.geometry.trajectory import Trajectory, yaw_matrix
from lookaway.images import png_bytes
from lookaway.pipeline import plans
from lookaway.pipeline.clips import current_clips
from lookaway.records import Clip, Request, Score
from lookaway.store import Run
from lookaway.video import encode
from tests.command import invoke
from tests.observers.panorama import FPS, filmed
from tests.test_suites import row, suite_folder

FRAMES, PEAK_DEG = 41, 40
SECONDS = (FRAMES - 1) / FPS
OUT_AND_BACK = [*np.linspace(0, -PEAK_DEG, 20), *np.linspace(-PEAK_DEG, 0, 21)]  # to the left, the farthest one twice
SCRIPT = f"yaw:left:{PEAK_DEG}@20,yaw:right:{PEAK_DEG}@21"
PRECISION = "metric:requested_camera_precision:sound"


def turned(yaws_deg: Any) -> np.ndarray:
    poses = np.tile(np.eye(4, dtype=np.float32), (len(yaws_deg), 1, 1))
    poses[:, :3, :3] = [yaw_matrix(yaw) for yaw in yaws_deg]
    return poses


def camera_json(**changes: Any) -> dict[str, Any]:
    """A sidecar of a model whose interface was told three times the turn, at every fourth frame."""
    facts = {
        "target_pose_path": "/home/ann/wr/out/a.mp4.target_c2w.npy",
        "camera_script": SCRIPT,
        "frame_action_script": SCRIPT,
        "control_family": "rotation",
        "control_direction": "left",
        "coordinate_convention": "opencv_c2w",
        "rotation_gain": 3.0,
        "translation_gain": 1.0,
        "fps": FPS,
        "num_frames": FRAMES,
        "model_frame_count": 11,
        "fov": 60.0,
        "image_size": [320, 180],
        "resampled": False,
        "target_c2w_is_model_effective": True,
        "frame_mapping": {
            "requested_frames": FRAMES,
            "model_frames": 11,
            "target_frame_indices": list(range(0, 41, 4)),
        },
    }
    return {name: value for name, value in (facts | changes).items() if value is not None}


DELIVERED = turned([3 * yaw for yaw in OUT_AND_BACK[::4]])


def beside(video: Path, facts: dict[str, Any] | None = None, poses: np.ndarray | None = None) -> None:
    if facts is not None:
        video.with_name(f"{video.name}.camera.json").write_text(json.dumps(facts))
    if poses is not None:
        np.save(video.with_name(f"{video.name}.target_c2w.npy"), poses)


@pytest.fixture(scope="module")
def footage(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, np.ndarray]:
    """A video that turns to the left and comes back, and its first frame."""
    frames = filmed(OUT_AND_BACK, lambda frame: [])
    video = tmp_path_factory.mktemp("footage") / "turn.mp4"
    encode(frames, video, FPS, crf=12)
    return video, frames[0]


@pytest.fixture
def brought(tmp_path: Path, footage: tuple[Path, np.ndarray]) -> Any:
    """A suite with tasks of those cameras, and a folder with the video for each; the places of both."""

    def make(**cameras: str) -> tuple[Path, Path]:
        (tmp_path / "suite").mkdir()
        rows = [
            row(id=name, scene=name, camera=camera, seconds=SECONDS, subjects=[]) for name, camera in cameras.items()
        ]
        suite = suite_folder(tmp_path / "suite", *rows)
        (suite / "first.png").write_bytes(png_bytes(footage[1]))
        videos = tmp_path / "videos"
        videos.mkdir()
        for name in cameras:
            (videos / f"{name}.mp4").write_bytes(footage[0].read_bytes())
        return suite, videos

    return make


def ingest(suite: Path, videos: Path, *more: str) -> tuple[Run, str]:
    out = videos.parent / "run"
    named = () if "--card" in more or "--model" in more else ("--model", "x")
    code, said = invoke("ingest", str(videos), "--suite", str(suite), "--out", str(out), *named, *more)
    assert code == 0, said
    return Run(out), said


def clips(run: Run) -> dict[str, Clip]:
    return {clip.case.task: clip for clip in current_clips(run, plans.load(run))}


def request_of(run: Run, clip: Clip) -> Request:
    (request,) = [r for r in run.latest("requests", Request).values() if r.key == clip.request_key]
    return request


def yaw_peak(run: Run, blob: str | None) -> float:
    assert blob is not None
    yaws = Trajectory.load(run.blobs.path(blob)).yaw_deg()
    return float(yaws[np.abs(yaws).argmax()])


def precision(run: Run) -> dict[str, Score]:
    code, said = invoke("run", "--out", str(run.root), "--protocols", PRECISION)
    assert code == 0, said
    return {s.task: s for s in run.latest("scores", Score).values() if s.metric == "requested_camera_precision"}


def test_a_video_keeps_the_camera_that_was_asked_of_it_where_its_task_asks_none(brought: Any) -> None:
    suite, videos = brought(followed="", mirrored="", untold="")
    beside(videos / "followed.mp4", camera_json(), DELIVERED)
    beside(videos / "mirrored.mp4", camera_json(camera_script=f"yaw:right:{PEAK_DEG}@20,yaw:left:{PEAK_DEG}@21"))
    run, _ = ingest(suite, videos, "--card", "ReCamMaster")
    got = precision(run)
    assert (got["followed"].status, got["untold"].status) == ("ok", "not_applicable")
    assert got["followed"].value is not None
    assert got["followed"].value > 0.9
    assert got["mirrored"].value == 0.0
    assert "nothing is asked of the camera" in got["untold"].reason


def test_gains_are_delivered_and_never_asked(brought: Any) -> None:
    suite, videos = brought(told="", poses_alone="")
    beside(videos / "told.mp4", camera_json(), DELIVERED)
    beside(videos / "poses_alone.mp4", camera_json(camera_script=None), DELIVERED)
    run, _ = ingest(suite, videos)
    for clip in clips(run).values():
        control = request_of(run, clip).control
        assert yaw_peak(run, control.effective) == pytest.approx(-3 * PEAK_DEG, abs=7), "every fourth frame misses it"
        assert yaw_peak(run, control.asked) == pytest.approx(-PEAK_DEG, abs=2.5)
        assert control.loss_deg == pytest.approx(2 * PEAK_DEG, abs=7)
        assert clip.asked == control.asked


def test_the_asked_camera_is_the_script_frame_by_frame(brought: Any) -> None:
    suite, videos = brought(told="")
    beside(videos / "told.mp4", camera_json())
    run, _ = ingest(suite, videos)
    path = Trajectory.load(run.blobs.path(str(clips(run)["told"].asked)))
    assert path.yaw_deg() == pytest.approx(np.array(OUT_AND_BACK), abs=1e-6)
    assert path.seconds == pytest.approx(np.arange(FRAMES) / FPS)


def test_a_task_that_asks_a_camera_keeps_it(brought: Any) -> None:
    half = SECONDS / 2
    suite, videos = brought(
        same=f"yaw:left:{PEAK_DEG}@{half}s, yaw:right:{PEAK_DEG}@{half}s",
        slower=f"yaw:left:{PEAK_DEG}@{2 * half}s, yaw:right:{PEAK_DEG}@{2 * half}s",
        other=f"yaw:right:{PEAK_DEG}@{half}s, yaw:left:{PEAK_DEG}@{half}s",
    )
    for name in ("same", "slower", "other"):
        beside(videos / f"{name}.mp4", camera_json(), DELIVERED)
    run, said = ingest(suite, videos)
    taken = clips(run)
    assert all(clip.asked is None for clip in taken.values())
    assert {name: clip.pace for name, clip in taken.items()} == {"same": 1.0, "slower": 2.0, "other": 1.0}
    assert "another camera was asked of it than the task asks, its turns 80 degrees apart" in said
    got = precision(run)
    assert min(got["same"].value or 0, got["slower"].value or 0) > 0.9
    assert got["other"].value == 0.0, "the task's camera stays the target"


def test_a_card_brings_its_condition_and_the_reason(brought: Any) -> None:
    suite, videos = brought(told="")
    beside(videos / "told.mp4", camera_json(), DELIVERED)
    run, _ = ingest(suite, videos, "--card", "Gen3C")
    (system,) = plans.load(run).systems
    assert (system.label, system.card.condition_type) == ("gen3c", "geometry-cache")
    assert "rendered into the new view" in system.card.condition_reason
    control = request_of(run, clips(run)["told"]).control
    assert (control.kind, control.input_policy) == ("geometry", "source_only")
    code, said = invoke("show", str(run.root), "told/gen3c/0")
    assert code == 0
    for told in (
        *("geometry-cache", "rendered into the new view", "show: source only", "unverified: prompt and first frame"),
        *("degrees and 0.000 m from what was asked", "The camera turns left by 40 degrees at most"),
    ):
        assert told in " ".join(said.split()), told


def test_a_card_of_ones_own_is_asked_for_its_reason(brought: Any) -> None:
    suite, videos = brought(told="")
    card = videos.parent / "mine.toml"
    card.write_text('summary = "s"\ncontrol = "poses"\ngenerator = "command"\ncondition_type = "model-inferred"\n')
    run, said = ingest(suite, videos, "--card", str(card))
    assert "model-inferred without a reason; write condition_reason" in said
    card.write_text(card.read_text() + 'condition_reason = "a path and nothing else"\n')
    run, said = ingest(suite, videos, "--card", str(card))
    assert "without a reason" not in said
    assert [system.label for system in plans.load(run).systems] == ["mine"], "the mended card has the same row"


def test_a_card_given_later_describes_the_videos_that_are_there(brought: Any) -> None:
    suite, videos = brought(told="")
    ingest(suite, videos, "--model", "gen3c")
    run, _ = ingest(suite, videos, "--card", "gen3c")
    (system,) = plans.load(run).systems
    assert (system.label, system.card.condition_type) == ("gen3c", "geometry-cache")
    assert list(clips(run)) == ["told"]


def test_brought_videos_do_not_take_the_row_of_a_model_that_was_run(brought: Any) -> None:
    suite, videos = brought(told="hold@2s")
    run = Run(videos.parent / "run")
    code, said = invoke("run", "--suite", str(suite), "--models", "held-first-frame", "--out", str(run.root))
    assert code == 0, said
    ingest(suite, videos, "--model", "held-first-frame")
    made, taken = sorted(current_clips(run, plans.load(run)), key=lambda clip: clip.case.system)
    assert made.case.system == "held-first-frame"
    assert taken.case.system.startswith("held-first-frame~")
    assert (made.provenance.source, taken.provenance.source) == (None, "told.mp4")


def test_somebody_must_have_made_them(brought: Any) -> None:
    suite, videos = brought(told="")
    code, said = invoke("ingest", str(videos), "--suite", str(suite), "--out", str(videos.parent / "run"))
    assert code == 2
    assert "give --model NAME, or --card" in said


def test_changed_files_are_read_again_and_removed_ones_forgotten(brought: Any) -> None:
    suite, videos = brought(told="")
    assert not clips(ingest(suite, videos)[0])["told"].request_key
    beside(videos / "told.mp4", camera_json(), DELIVERED)
    first = clips(ingest(suite, videos)[0])["told"]
    beside(videos / "told.mp4", camera_json(rotation_gain=1.0), turned(OUT_AND_BACK[::4]))
    second = clips(ingest(suite, videos)[0])["told"]
    assert first.request_key
    assert second.request_key not in ("", first.request_key)
    for path in videos.glob("*.mp4.*"):
        path.unlink()
    run, _ = ingest(suite, videos)
    assert (clips(run)["told"].request_key, clips(run)["told"].asked) == ("", None)
    assert "brought from elsewhere" in invoke("show", str(run.root), "told/x/0")[1]


def test_the_authors_folders_are_not_kept(brought: Any) -> None:
    suite, videos = brought(told="")
    beside(videos / "told.mp4", camera_json(), DELIVERED)
    (videos / "told.mp4.payload.json").write_text('{"payload_type": "w2c", "payload": "/home/ann/wr/poses.txt"}')
    run, _ = ingest(suite, videos)
    files = request_of(run, clips(run)["told"]).control.files
    assert set(files) == {f"told.mp4.{kind}" for kind in ("camera.json", "target_c2w.npy", "payload.json")}
    kept = [run.blobs.path(blob).read_bytes() for blob in files.values()]
    assert any(b"w2c" in data for data in kept)
    assert not any(b"/home/ann" in data for data in kept)


def test_the_certified_target_wins(brought: Any) -> None:
    suite, videos = brought(told="")
    beside(videos / "told.mp4", camera_json())
    (videos / "told.mp4.d1_target.json").write_text(
        json.dumps(camera_json(camera_script="yaw:right:30@20,yaw:left:30@21"))
    )
    run, _ = ingest(suite, videos)
    assert yaw_peak(run, clips(run)["told"].asked) == pytest.approx(30)


class Exploit:
    """Unpickled, it leaves a file behind."""

    def __init__(self, place: str) -> None:
        self.place = place

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        return open, (self.place, "w")


def npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def shaped(*shape: int) -> bytes:
    """The head of an npy file that says it is that large, and little behind it."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<f4", "fortran_order": False, "shape": shape})
    return buffer.getvalue() + bytes(64)


def with_entry(value: float) -> np.ndarray:
    poses = DELIVERED.astype(float)
    poses[5, 0, 0] = value
    return poses


BAD_POSES = {
    "shape": (npy(DELIVERED[:, :3]), r"holds float32 \(11, 3, 4\), not numbers \(F, 4, 4\)"),
    "flat": (npy(DELIVERED.reshape(11, 16)), r"not numbers \(F, 4, 4\)"),
    "words": (npy(np.array([["a"]])), r"not numbers \(F, 4, 4\)"),
    "nan": (npy(with_entry(np.nan)), "frame 5 holds NaN or infinity"),
    "infinity": (npy(with_entry(np.inf)), "beyond 1e"),
    "no rotation": (npy(with_entry(7.0)), "frame 5 holds no rotation"),
    "mirror": (npy(DELIVERED * np.array([-1, 1, 1, 1], np.float32)), "frame 0 holds no rotation"),
    "scaled": (npy(2 * DELIVERED), "frame 0 holds no rotation"),
    "far": (npy(with_entry(1e300)), "beyond 1e"),
    "length": (npy(DELIVERED[:7]), "7 poses for 41 frames, and nothing tells which belong together"),
    "none": (npy(DELIVERED[:0]), "holds 0 poses"),
    "one": (npy(DELIVERED[:1]), "holds 1 poses"),
    "large": (bytes(9 << 20), "larger than 8 MB"),
    "boasting": (shaped(10**14, 4, 4), "not a plain npy file"),
    "boasting more": (shaped(10**40, 4, 4), "not a plain npy file"),
    "cut": (npy(DELIVERED)[:-9], "not a plain npy file"),
    "empty": (b"", "not a plain npy file"),
    "pickle": (pickle.dumps(DELIVERED), "not a plain npy file"),
}


@pytest.mark.parametrize("what", BAD_POSES)
def test_poses_that_are_none_cost_a_line_and_nothing_else(what: str, brought: Any) -> None:
    data, says = BAD_POSES[what]
    suite, videos = brought(bad="", good="")
    (videos / "bad.mp4.target_c2w.npy").write_bytes(data)
    beside(videos / "good.mp4", camera_json(), DELIVERED)
    check_one_line(suite, videos, rf"bad\.mp4\.target_c2w\.npy: .*{says}.*; not used")


def check_one_line(suite: Path, videos: Path, says: str) -> None:
    """The bad video is taken in with one line, without a camera; the good one as if it were alone."""
    run, said = ingest(suite, videos)
    taken = clips(run)
    assert {clip.status for clip in taken.values()} == {"ok"}
    note = taken["bad"].provenance.note
    assert "\n" not in note
    assert len(note) < 400
    assert re.search(says, note), note
    assert f"note bad/x/0: {note}" in said
    assert taken["bad"].asked is None
    assert taken["good"].asked is not None


def test_nothing_is_unpickled(brought: Any) -> None:
    suite, videos = brought(bad="", good="")
    place = videos.parent / "left-behind"
    trap = np.empty(1, object)
    trap[0] = Exploit(str(place))
    (videos / "bad.mp4.target_c2w.npy").write_bytes(npy(trap))
    beside(videos / "good.mp4", camera_json(), DELIVERED)
    check_one_line(suite, videos, r"not a plain npy file \(.*Python objects")
    assert not place.exists()


BAD_JSON = {
    "cut": ('{"camera_script": "yaw', "not JSON"),
    "bytes": ("\x00\x01", "not JSON"),
    "deep": ('{"a":' * 100_000, "not JSON"),
    "list": ("[1, 2]", "not a JSON object"),
    "gain nan": (json.dumps(camera_json(rotation_gain=float("nan"))), "rotation_gain: Input should be a finite number"),
    "gain zero": (json.dumps(camera_json(rotation_gain=0)), "rotation_gain: "),
    "script number": (json.dumps(camera_json(camera_script=60)), "camera_script: Input should be a valid string"),
    "long script": (json.dumps(camera_json(camera_script="yaw:left:1@2," * 10_000)), "camera_script: "),
    "far frames": (
        json.dumps(camera_json(frame_mapping={"target_frame_indices": [10**30] * 11})),
        r"frame_mapping\.target_frame_indices",
    ),
    "mapping": (json.dumps(camera_json(frame_mapping=[1])), "frame_mapping: "),
    "large": (json.dumps({"a": "b" * (9 << 20)}), "larger than 8 MB"),
}


@pytest.mark.parametrize("what", BAD_JSON)
def test_a_broken_camera_file_costs_a_line_and_nothing_else(what: str, brought: Any) -> None:
    text, says = BAD_JSON[what]
    suite, videos = brought(bad="", good="")
    (videos / "bad.mp4.camera.json").write_text(text)
    beside(videos / "good.mp4", camera_json(), DELIVERED)
    check_one_line(suite, videos, rf"bad\.mp4\.camera\.json: .*{says}.*; not used")


@pytest.mark.parametrize(
    "script", ["yaw:left:60", "yaw:left:x@40", "swirl:left:3@41", "yaw:left:60@1", "@", "yaw:left:60@2s"]
)
def test_a_script_that_cannot_be_read_is_named(script: str, brought: Any) -> None:
    suite, videos = brought(bad="", good="")
    beside(videos / "bad.mp4", camera_json(camera_script=script))
    beside(videos / "good.mp4", camera_json(), DELIVERED)
    check_one_line(suite, videos, "the asked camera cannot be read: ")


def test_other_axes_are_refused_and_untold_lengths_too(brought: Any) -> None:
    suite, videos = brought(axes="", spread="", mapped="")
    beside(videos / "axes.mp4", camera_json(coordinate_convention="blender_c2w"), DELIVERED)
    beside(videos / "spread.mp4", camera_json(frame_mapping=None), DELIVERED)
    beside(videos / "mapped.mp4", camera_json(), DELIVERED)
    run, _ = ingest(suite, videos)
    notes = {name: clip.provenance.note for name, clip in clips(run).items()}
    assert "its axes are 'blender_c2w', and only opencv_c2w is read" in notes["axes"]
    assert "unverified: 11 poses are taken to be spread evenly over 41 frames" in notes["spread"]
    assert "evenly" not in notes["mapped"]


def test_what_the_release_does_not_tell_is_unverified(brought: Any) -> None:
    suite, videos = brought(alone="", gained="")
    beside(videos / "alone.mp4", None, turned(OUT_AND_BACK))
    beside(videos / "gained.mp4", camera_json(), None)
    run, _ = ingest(suite, videos)
    taken = clips(run)
    assert "unverified: no gains are told" in taken["alone"].provenance.note
    assert "unverified: the script is taken to be told before gains" in taken["gained"].provenance.note
    warnings = request_of(run, taken["alone"]).control.warnings
    assert any(line.startswith("unverified: its inputs") for line in warnings), "no card tells them"


def test_a_sideways_pan_of_the_release_is_a_shift(brought: Any) -> None:
    suite, videos = brought(told="", still="")
    beside(
        videos / "told.mp4", camera_json(camera_script="pan:right:0.5@20,pan:left:0.5@21", control_family="translation")
    )
    beside(videos / "still.mp4", camera_json(camera_script="static", control_family="static"))
    run, _ = ingest(suite, videos)
    path, still = (Trajectory.load(run.blobs.path(str(clips(run)[name].asked))) for name in ("told", "still"))
    assert path.camera_to_world[:, 0, 3].max() == pytest.approx(0.5)
    assert np.abs(path.yaw_deg()).max() == pytest.approx(0)
    assert still.camera_to_world == pytest.approx(np.tile(np.eye(4), (FRAMES, 1, 1)))


def test_a_file_that_is_named_without_the_videos_ending_is_pointed_out(brought: Any) -> None:
    suite, videos = brought(told="")
    (videos / "told.camera.json").write_text(json.dumps(camera_json()))
    run, said = ingest(suite, videos)
    assert "told.camera.json: not read; beside told.mp4 it is called told.mp4.camera.json" in said
    assert clips(run)["told"].asked is None


def test_a_pipe_in_place_of_a_file_is_not_opened(brought: Any) -> None:
    suite, videos = brought(bad="", good="")
    os.mkfifo(videos / "bad.mp4.camera.json")
    beside(videos / "good.mp4", camera_json(), DELIVERED)
    check_one_line(suite, videos, r"bad\.mp4\.camera\.json: no plain file; not used")
