"""The classical observer on filmed worlds whose camera and field of view are known exactly."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from lookaway import suites, truth
from lookaway.geometry.rotations import turn_deg, yaw_pitch_deg
from lookaway.images import read_image
from lookaway.observers import Look
from lookaway.observers.classical import PLAUSIBLE_DEG, Classical, classical
from lookaway.observers.following import SURE_TURN
from lookaway.outcomes import Abstain
from lookaway.store import Blobs
from lookaway.video import SharedFrames, encode

TURN, SHIFT, HELD = "classroom2_seesaw_yaw-right_R", "garden3_pallet_forward-turn_L", "workshop1_still-ball_cardboard_R"


@pytest.fixture(scope="module")
def blobs(tmp_path_factory: pytest.TempPathFactory) -> Blobs:
    return Blobs(tmp_path_factory.mktemp("classical"))


@cache
def filmed(id: str, blobs: Blobs) -> tuple[Look, np.ndarray]:
    """The true clip of a task as a stranger's video, and its true rotations."""
    draft = next(d for d in suites.find("diorama").drafts() if d.id == id)
    task, reference, *_ = draft.built(blobs)
    assert reference is not None
    known = truth.load(reference, blobs.root)
    assert known.world is not None
    poses = np.linalg.inv(known.world.camera_to_world[0]) @ known.world.camera_to_world
    look = Look(SharedFrames.load(known.video), task, read_image(blobs.path(task.first_frame)), None)
    return look, poses[:, :3, :3]


def undeclared(look: Look, assumed_deg: float) -> Look:
    task = look.task.model_copy(update={"hfov_declared": False, "hfov_deg": assumed_deg})
    return Look(look.frames, task, look.first_frame, None)


def seen(look: Look) -> Classical:
    found = classical(look)
    assert not isinstance(found, Abstain), found.reason
    return found


def test_a_turn_is_recovered_though_things_move(blobs: Blobs) -> None:
    look, true = filmed(TURN, blobs)
    found = seen(look)
    errors = turn_deg(found.rotation, true)[found.trusted]
    assert found.trusted.mean() > 0.9
    assert np.median(errors) < 0.05
    assert np.quantile(errors, 0.95) < 0.3
    assert (found.confidence[found.trusted] > SURE_TURN).all()


def test_an_undeclared_field_of_view_is_measured(blobs: Blobs) -> None:
    look, true = filmed(TURN, blobs)
    found = seen(undeclared(look, 80.0))
    value, low, high = found.hfov_deg
    assert low < look.task.hfov_deg < high
    assert value == pytest.approx(look.task.hfov_deg, abs=1.0)
    assert np.quantile(turn_deg(found.rotation, true)[found.trusted], 0.95) < 0.5


def test_a_shift_lowers_the_confidence_and_measures_no_field_of_view(blobs: Blobs) -> None:
    look, true = filmed(SHIFT, blobs)
    found = seen(look)
    shifted = turn_deg(true) > 0.5 * turn_deg(true).max()
    assert (found.confidence[shifted] < SURE_TURN).all(), "no pure turn"
    assert tuple(seen(undeclared(look, 60.0)).hfov_deg) == (60.0, *PLAUSIBLE_DEG)


def test_the_true_turn_lies_within_the_interval_though_the_camera_shifts(blobs: Blobs) -> None:
    for id, wide_deg in ((TURN, 0.3), (SHIFT, 3.0)):
        look, true = filmed(id, blobs)
        found = seen(look)
        off = np.abs(yaw_pitch_deg(found.rotation) - yaw_pitch_deg(true))[found.trusted]
        wide = found.half_width_deg[found.trusted]
        assert (off <= wide).mean() > 0.95
        assert np.median(wide) < wide_deg


def test_a_held_camera_has_not_turned_and_tells_no_field_of_view(blobs: Blobs) -> None:
    look, _ = filmed(HELD, blobs)
    found = seen(look)
    assert turn_deg(found.rotation)[found.trusted].max() < 0.2
    assert tuple(seen(undeclared(look, 60.0)).hfov_deg) == (60.0, *PLAUSIBLE_DEG)


@pytest.mark.parametrize("level", [0, 128])
def test_darkness_and_blank_walls_are_not_measurable(level: int, blobs: Blobs, tmp_path: Path) -> None:
    look, _ = filmed(TURN, blobs)
    flat = np.full((180, 320, 3), level, np.uint8)
    encode([flat] * 9, tmp_path / "flat.mp4", 16.0)
    found = classical(Look(SharedFrames.load(tmp_path / "flat.mp4"), look.task, flat, None))
    assert isinstance(found, Abstain)
    assert "blank or dark" in found.reason
