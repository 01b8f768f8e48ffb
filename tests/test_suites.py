"""Suites that cannot be trusted are refused with the place and the reason; good folders work end to end."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lookaway import suites, truth
from lookaway.errors import SuiteError
from lookaway.images import png_bytes
from lookaway.store import Blobs
from lookaway.suites import Draft
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
    built, reference, *_ = first.built(Blobs(tmp_path / "blobs"))
    assert (built.suite, built.id, reference) == ("mine", "a_task", None)
    built, reference, *_ = second.built(Blobs(tmp_path / "blobs"))
    assert reference is not None
    assert reference.instance == built.instance


def test_a_row_may_count_frames_and_name_presets(tmp_path: Path) -> None:
    (draft,) = suites.find(str(suite_folder(tmp_path, row(camera="hold@16, preset:yaw-lr:90@48")))).drafts()
    built, _, *_ = draft.built(Blobs(tmp_path / "blobs"))
    assert built.camera == draft.camera == "hold@1s, yaw:left:90@1.5s, yaw:right:90@1.5s"


def truth_arrays(frames: int = 5, states: int = 1, width: int = 320) -> dict[str, np.ndarray]:
    return {
        "seconds": np.arange(frames) / 16,
        "camera_to_world": np.tile(np.eye(4), (frames, 1, 1)),
        "intrinsics": np.tile(np.eye(3), (frames, 1, 1)),
        "masks": np.packbits(np.ones((frames, 180, width), bool), axis=-1),
        "mask_width": np.array(320),
        "visible": np.ones(frames),
        "state": np.zeros((frames, states)),
    }


def with_truth(folder: Path, arrays: dict[str, np.ndarray], **more: object) -> Draft:
    encode([np.zeros((180, 320, 3), np.uint8)] * 5, folder / "true.mp4", 16)
    np.savez(folder / "true.npz", **arrays)
    np.savez(folder / "depth.npz", depth=np.ones((5, 180, 320)))
    said = {"video": "true.mp4", "arrays": "true.npz", "state_names": ["level"]} | more
    return suites.find(str(suite_folder(folder, row(reference=said)))).drafts()[0]


def test_a_folder_may_hold_the_whole_truth(tmp_path: Path) -> None:
    phases = [{"phase": "visible", "start_s": 0, "end_s": 1}]
    draft = with_truth(tmp_path, truth_arrays(), depth="depth.npz", phases=phases, phase_source="exact")
    blobs = Blobs(tmp_path / "blobs")
    _, reference, *_ = draft.built(blobs)
    assert reference is not None
    assert (reference.phase_source, reference.state_names) == ("exact", ("level",))
    assert [phase.end_s for phase in reference.phases] == [1]
    assert blobs.path(str(reference.depth)).exists()
    loaded = truth.load(reference, blobs.root)
    assert loaded.parts == ("clip", "poses", "depth", "masks", "state")
    world = loaded.world
    assert world is not None
    assert world.masks.all()
    assert world.masks.shape == (5, 180, 320)


@pytest.mark.parametrize(
    ("kept", "parts"),
    [
        (("camera_to_world", "intrinsics"), ("clip", "poses")),
        (("masks", "mask_width", "visible"), ("clip", "masks")),
        (("state",), ("clip", "state")),
        ((), ("clip",)),
    ],
)
def test_a_folder_may_hold_any_part_of_the_truth(kept: tuple[str, ...], parts: tuple[str, ...], tmp_path: Path) -> None:
    arrays = {name: array for name, array in truth_arrays().items() if name in ("seconds", *kept)}
    draft = with_truth(tmp_path, arrays, state_names=["level"] if "state" in kept else [])
    blobs = Blobs(tmp_path / "blobs")
    _, reference, *_ = draft.built(blobs)
    assert reference is not None
    loaded = truth.load(reference, blobs.root)
    assert loaded.parts == parts
    there = {"poses": loaded.poses, "masks": loaded.masks, "state": loaded.state}
    assert {part for part, array in there.items() if array is not None} == set(parts) - {"clip"}
    assert loaded.world is None
    assert len(loaded.frames()) == 5


def test_truth_without_a_clip_is_truth_too(tmp_path: Path) -> None:
    arrays = {name: truth_arrays()[name] for name in ("seconds", "camera_to_world", "intrinsics")}
    np.savez(tmp_path / "true.npz", **arrays)
    (draft,) = suites.find(str(suite_folder(tmp_path, row(reference={"arrays": "true.npz"})))).drafts()
    blobs = Blobs(tmp_path / "blobs")
    _, reference, *_ = draft.built(blobs)
    assert reference is not None
    loaded = truth.load(reference, blobs.root)
    assert loaded.parts == ("poses",)
    assert loaded.video is None
    with pytest.raises(ValueError, match="no true clip here"):
        loaded.frames()


@pytest.mark.parametrize(
    ("arrays", "complaint"),
    [
        (truth_arrays() | {"visible": np.ones(4)}, "arrays of different lengths"),
        (truth_arrays(states=2), r"state is \(5, 2\), but state_names has 1 names"),
        (truth_arrays(width=160), r"masks are \(5, 180, 20\), but mask_width is 320"),
        ({"seconds": np.arange(5)}, "state_names has 1 names, and there is no state"),
        ({"state": np.zeros((5, 1))}, "not the arrays of a true clip .*seconds"),
        ({k: v for k, v in truth_arrays().items() if k != "intrinsics"}, "camera_to_world and intrinsics belong"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(
    arrays: dict[str, np.ndarray], complaint: str, tmp_path: Path
) -> None:
    draft = with_truth(tmp_path, arrays)
    with pytest.raises(SuiteError, match=complaint):
        draft.build(draft, Blobs(tmp_path / "blobs"))


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([row(), row()], "two tasks have the id 'a_task'"),
        ([row(colour="red")], r"tasks.jsonl:1: not a task: colour: Extra inputs"),
        ([row(), row(id="b", fps=-1)], r"tasks.jsonl:2: not a task: fps: Input should be greater than 0"),
        ([row(first_frame="none.png")], r"tasks.jsonl:1: first_frame 'none.png' is not a file in"),
        ([row(id="a b")], "must have no spaces"),
        ([row(reference="none.mp4")], r"tasks.jsonl:1: reference 'none.mp4' is not a file in"),
        ([row(reference={"film": "first.png"})], "reference: film: Extra inputs"),
        ([row(reference={"state_names": []})], "reference: .*give a video, arrays or depth"),
        ([row(reference={"video": "first.png", "depht": "x"})], "reference: depht: Extra inputs"),
        ([row(reference={"video": "first.png", "depth": "x"})], r"reference.depth 'x' is not a file in"),
        ([row(prefix="../suite.toml")], "prefix '../suite.toml' is not a file in"),
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
