"""SAM 2 and SAM 3 through the real transformers path, with tiny random checkpoints made here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any, NamedTuple

import cv2
import numpy as np
import pytest

from lookaway.errors import ObserveError
from lookaway.observers import OBSERVERS, box_prompted
from lookaway.observers.box_prompted import BoxTracker, segmented, session_class, whole_model
from lookaway.observers.elsewhere import seen_with
from lookaway.observers.learned import LearnedSettings, LoadedModel, loaded_model
from lookaway.observers.subject_track import SubjectTrack
from lookaway.observers.subject_track_sam2 import SAM2, Sam2Track
from lookaway.observers.subject_track_sam3 import SAM3, Sam3Track
from tests.learned import tiny_sam2, tiny_sam3
from tests.observers.panorama import PLACE, RED, Disc, box_of, filmed, look_at

pytestmark = pytest.mark.torch

YAWS = [float(yaw) for yaw in np.linspace(0, 20, 24)]
SIZE = (320, 180)


class Given(NamedTuple):
    folder: Path
    eyes: LoadedModel
    tracker: BoxTracker
    side: int
    kind: type[SubjectTrack]


TRACKERS: dict[str, tuple[Callable[[Path], Path], BoxTracker, int, type[SubjectTrack]]] = {
    "sam2": (tiny_sam2.build, SAM2, tiny_sam2.SIDE, Sam2Track),
    "sam3": (tiny_sam3.build, SAM3, tiny_sam3.SIDE, Sam3Track),
}


def stays(i: int) -> list[Disc]:
    return [(*PLACE, RED)]


@pytest.fixture(scope="module", params=["sam2", "sam3"])
def given(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Given:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    builds, tracker, side, kind = TRACKERS[request.param]
    folder = builds(tmp_path_factory.mktemp(request.param))
    settings = LearnedSettings(model=str(folder), device="cpu")
    return Given(folder, loaded_model(tracker.name, settings, tracker.opens), tracker, side, kind)


def own_way(given: Given, rgb: np.ndarray, box: tuple[float, ...]) -> tuple[list[Any], list[float]]:
    """All frames at once, nothing forgotten: as the library itself goes through a video."""
    import torch

    model, tracker = given.eyes.model, given.tracker
    frames = torch.cat([box_prompted.pixels(given.eyes, tracker, frame) for frame in rgb])
    session = session_class(tracker)(frames, SIZE[1], SIZE[0], dtype=torch.float32)
    at = session.obj_id_to_idx(1)
    points = {
        "point_coords": torch.tensor(box).reshape(1, 1, 2, 2) * given.side,
        "point_labels": torch.tensor([[[2, 3]]]),
    }
    session.add_point_inputs(at, 0, points)
    session.obj_with_new_inputs = [1]
    model(inference_session=session, frame_idx=0)
    told = list(model.propagate_in_video_iterator(session, start_frame_idx=0))
    return [each.pred_masks[0, 0].numpy() for each in told], [float(each.object_score_logits) for each in told]


def test_frame_by_frame_and_forgetting_it_sees_what_it_sees_with_all_frames_at_hand(given: Given) -> None:
    rgb, box = filmed(YAWS, stays), box_of(*PLACE)
    mine = segmented(given.eyes, given.tracker, rgb, box, SIZE)
    assert mine.masks.any((1, 2)).all()
    odds, scores = own_way(given, rgb, box)
    assert len(scores) == len(rgb) > 16, "more frames than the model remembers"
    assert mine.sureness == pytest.approx(1 / (1 + np.exp(-np.array(scores))), abs=1e-4)
    for mask, logits, score in zip(mine.masks, odds, scores, strict=True):
        theirs = (cv2.resize(logits, SIZE, interpolation=cv2.INTER_LINEAR) > 0) & (score > 0)
        assert (mask == theirs).mean() > 0.999, "but for rounding at the edge"


def test_the_box_reaches_the_model(given: Given) -> None:
    rgb = filmed(YAWS[:2], stays)
    one, other = (
        segmented(given.eyes, given.tracker, rgb, box, SIZE) for box in (box_of(*PLACE), (0.6, 0.1, 0.9, 0.4))
    )
    assert not np.array_equal(one.masks, other.masks) or not np.array_equal(one.sureness, other.sureness)


def test_room_does_not_grow_with_the_clip(given: Given, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[int] = []
    forget = box_prompted._forget

    def counted(session: Any, i: int, config: Any) -> None:
        forget(session, i, config)
        kept = session.output_dict_per_obj[0]
        held.append(len(kept["non_cond_frame_outputs"]) + len(session.processed_frames))

    monkeypatch.setattr(box_prompted, "_forget", counted)
    segmented(given.eyes, given.tracker, filmed([0.0] * 40, stays), box_of(*PLACE), SIZE)
    assert max(held) <= 16


def test_it_stands_in_for_the_weight_free_tracker(given: Given) -> None:
    look = look_at(filmed(YAWS, stays))
    named = {"by": given.tracker.name, "model": str(given.folder), "device": "cpu"}
    seen = seen_with(OBSERVERS.get("subject_track"), replace(look, settings=named))
    assert isinstance(seen, given.kind)
    assert seen.visible.all()
    assert len(seen.arrays()["visible"]) == len(YAWS)


def test_a_library_without_the_model_is_told_by_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(ObserveError, match=r"Sam9Model cannot be loaded.*transformers 5"):
        whole_model("Sam9Model", tmp_path)


def test_weights_that_are_missing_are_told_and_not_drawn_at_random(given: Given, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    copytree(given.folder, tmp_path, dirs_exist_ok=True)
    file = tmp_path / "model.safetensors"
    kept = {name: value for name, value in load_file(file).items() if "memory_encoder" not in name}
    save_file(kept, file, metadata={"format": "pt"})
    with pytest.raises(ObserveError, match="memory_encoder"):
        given.tracker.opens(tmp_path)
