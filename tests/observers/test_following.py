"""A clip's camera followed once: pure turns exactly, warped ones with wider intervals, a cut by its own frames."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from lookaway.geometry.rotations import turn_deg, yaw_pitch_deg
from lookaway.geometry.script import poses_at
from lookaway.observers import following
from lookaway.observers.following import PATTERN_DEG, SURE_TURN, Follow, followed, interval, turn_of_pair, walk
from lookaway.observers.following.interval import Doubts
from lookaway.observers.following.paths import DENIES, DENIES_DEG, Tie, contradicted
from lookaway.observers.following.ties import Turn
from lookaway.records import WorldSpec
from lookaway.worlds import world_of

SIZE, FRAMES, FPS = (320, 180), 25, 12.5
CAMERA = "yaw:right:30@1s, yaw:left:30@1s"


@cache
def panned(layout: str = "workshop", process: str = "filling") -> np.ndarray:
    world = world_of(WorldSpec(layout=layout, process=process, seed=1, side="right"), SIZE)
    poses = world.home @ poses_at(CAMERA, np.arange(FRAMES) / FPS, world.pitch_deg)
    return np.stack([world.render(pose, k / FPS).rgb for k, pose in enumerate(poses)])


@cache
def true_rotations(layout: str = "workshop", process: str = "filling") -> np.ndarray:
    world = world_of(WorldSpec(layout=layout, process=process, seed=1, side="right"), SIZE)
    return poses_at(CAMERA, np.arange(FRAMES) / FPS, world.pitch_deg)[:, :3, :3]


def warped(frames: np.ndarray, size_px: float) -> np.ndarray:
    """Every frame but the first bent by smooth bumps of its own."""
    made, chance = [frames[0]], np.random.default_rng(0)
    height, width = frames.shape[1:3]
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
    for frame in frames[1:]:
        bends = [cv2.resize(chance.normal(0, size_px, (4, 6)).astype(np.float32), (width, height)) for _ in range(2)]
        made.append(
            cv2.remap(frame, columns + bends[0], rows + bends[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
        )
    return np.stack(made)


@cache
def clean() -> Follow:
    return followed(panned(), panned()[0], 60.0)


def test_the_constants_are_those_that_were_fitted() -> None:
    """benchmarks/real_camera.py refits them; whoever moves one moves every camera score's bounds."""
    assert (interval.FLOOR_DEG, interval.PER_SD, interval.PER_SHIFT, interval.POWER) == (0.1, 2.0, 2.6, 0.35)
    assert (walk.STEPS, PATTERN_DEG, SURE_TURN) == ((6, 8), 0.06, 0.5)
    assert (DENIES, DENIES_DEG) == (2.0, 1.0)


def test_a_pure_turn_is_exact_and_known_to_be() -> None:
    found = clean()
    assert found.trusted.all()
    assert turn_deg(found.rotations, true_rotations()).max() < 0.1
    assert np.median(found.half_width_deg) < 0.3
    assert (found.confidence > SURE_TURN).all()
    assert found.agreeing.min() > 0.5


def test_intervals_widen_under_warps_and_hold_the_true_turn() -> None:
    found = [clean(), *(followed(warped(panned(), px), panned()[0], 60.0) for px in (0.5, 2.0))]
    widths = [float(np.median(each.half_width_deg[:, 0])) for each in found]
    assert widths[0] < 0.5 * widths[1] < 0.5 * widths[2]
    for each in found:
        off = np.abs(yaw_pitch_deg(each.rotations) - yaw_pitch_deg(true_rotations()))
        assert (off <= each.half_width_deg).mean() > 0.9


def test_equal_frames_give_equal_bytes() -> None:
    again = followed(panned().copy(), panned()[0].copy(), 60.0)
    for name in ("rotations", "trusted", "confidence", "half_width_deg", "agreeing", "own_rotations", "stretch"):
        assert getattr(again, name).tobytes() == getattr(clean(), name).tobytes(), name


def test_another_lens_needs_no_second_look(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = followed(panned(), panned()[0], 80.0)
    assert turn_deg(wrong.rotations, true_rotations()).max() > 5
    monkeypatch.setattr(following, "grey", lambda rgb: pytest.fail("the frames are looked at again"))
    assert turn_deg(wrong.through(60.0).rotations, true_rotations()).max() < 0.1


def test_after_a_cut_frames_hang_together_by_themselves() -> None:
    other, cut = panned("kitchen", "cup"), 12
    found = followed(np.concatenate([panned()[:cut], other[cut:]]), panned()[0], 60.0)
    assert found.trusted.tolist() == [k < cut for k in range(FRAMES)]
    assert found.agreeing[cut] < 0.1
    assert np.delete(found.agreeing, cut).min() > 0.5
    assert np.isinf(found.half_width_deg[cut:]).all()
    assert (found.stretch == np.where(np.arange(FRAMES) < cut, 0, found.stretch[cut])).all()
    true = true_rotations("kitchen", "cup")
    assert turn_deg(found.own_rotations[cut:], true[cut].T @ true[cut:]).max() < 0.3


def test_a_pair_of_frames_is_tied_by_features_that_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found, true = clean(), true_rotations()
    for _ in range(2):
        turn = turn_of_pair(found, panned(), 9, 3)
        assert turn is not None
        assert turn_deg(turn.rotation, true[3].T @ true[9]) < 0.1
        monkeypatch.setattr(following, "features", lambda picture: pytest.fail("features are found a second time"))


def test_two_sets_of_ties_that_disagree_widen_the_interval_by_half_of_it() -> None:
    none = np.zeros((2, 3, 2))
    apart = np.array([[0.0, 0.0], [4.0, 1.0], [8.0, 2.0]])
    doubts = Doubts(none, np.zeros((2, 3, 1)), none, apart / 2)
    np.testing.assert_allclose(doubts.half_width_deg(), interval.FLOOR_DEG + apart / 2)


def test_a_frame_that_its_neighbours_put_in_two_places_is_not_placed() -> None:
    """Something large passed close by: it carries the corners of one frame up, and then those of the next down."""
    rested, up = np.eye(3), poses_at("pitch:up:6@1s", np.array([1.0]), 0.0)[0, :3, :3]
    ties = [_tie(1, 0, rested), _tie(2, 1, up.T), _tie(3, 2, up.T), _tie(4, 3, rested)]
    rotations = np.stack([rested, rested, up, rested, rested])
    widths = np.array([[0.1, 0.1], [0.1, 0.1], [0.9, 0.5], [0.1, 0.1], [0.1, 0.1]])
    assert contradicted(ties, rotations, widths).tolist() == [False, False, True, False, False]
    assert not contradicted(ties, rotations, 10 * widths).any(), "wide intervals allow both"
    agreed = [_tie(1, 0, rested), _tie(2, 1, up), _tie(3, 2, up.T), _tie(4, 3, rested)]
    assert not contradicted(agreed, rotations, widths).any()


def _tie(here: int, there: int, rotation: np.ndarray) -> Tie:
    return Tie(here, there, None, Turn(rotation, np.ones(1, bool), None))  # type: ignore[arg-type]
