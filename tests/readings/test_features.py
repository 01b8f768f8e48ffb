"""Learned features of the subject before and after a look-away."""

from __future__ import annotations

import numpy as np
import pytest

from lookaway.metrics import Case
from lookaway.observers.subject_features import SIDE, SubjectFeatures
from lookaway.observers.subject_track import SubjectTrack
from lookaway.observers.tracking.sights import EACH, chosen_sights, subject_crop
from lookaway.outcomes import Abstain
from tests.observers.test_subject_track import TURNS, case, score

GONE = {"stays": False, "vanishes": True}


def with_features(given: Case, angle_deg: float) -> Case:
    """The subject's features, turned by an angle once it has been away."""
    track = given.saw(SubjectTrack)
    frames = chosen_sights(track)
    turned = np.where(frames > len(TURNS) // 2, np.deg2rad(angle_deg), 0.0)
    tokens = np.stack([np.cos(turned), np.sin(turned)], axis=1).astype(np.float32)
    seen = SubjectFeatures(
        seconds=track.seconds[frames],
        frames=frames,
        class_token=tokens,
        likeness=(tokens @ tokens[0]).astype(float),
    )
    return Case(given.task, None, dict(given.seen) | {"subject_features": seen.arrays()}, {})


@pytest.mark.parametrize("angle_deg", [0.0, 60.0, 90.0])
def test_identity_is_the_cosine_of_what_came_back_and_what_left(angle_deg: float) -> None:
    told = score("subject_identity_dinov2", with_features(case("stays"), angle_deg))
    assert told == pytest.approx(np.cos(np.deg2rad(angle_deg)), abs=1e-6)


def test_nothing_is_said_of_one_that_did_not_come_back() -> None:
    assert isinstance(score("subject_identity_dinov2", with_features(case("vanishes"), 0.0)), Abstain)


def test_a_few_whole_sights_of_each_stretch_are_looked_at() -> None:
    track = case("stays").saw(SubjectTrack)
    frames = chosen_sights(track)
    away = len(TURNS) // 2
    assert frames[0] == 0
    assert track.visible[frames].all()
    assert not track.touches_border[frames[1:]].any()
    assert 3 < (frames < away).sum() <= EACH + 1
    assert 3 < (frames > away).sum() <= EACH


def test_a_crop_shows_the_subject_alone_in_the_middle() -> None:
    rgb, mask = np.full((100, 200, 3), 255, np.uint8), np.zeros((50, 100), bool)
    mask[10:30, 70:80] = True  # in a picture of half the size
    crop = subject_crop(rgb, mask, SIDE)
    assert crop.shape == (3, SIDE, SIDE)
    shown = (crop > 0).all(axis=0)
    rows, columns = np.flatnonzero(shown.any(axis=1)), np.flatnonzero(shown.any(axis=0))
    assert rows.mean() == pytest.approx(SIDE / 2, abs=6)
    assert columns.mean() == pytest.approx(SIDE / 2, abs=6)
    assert len(rows) / len(columns) == pytest.approx(44 / 24, rel=0.1), "its shape is kept"
    assert len(rows) < SIDE, "with a margin"
    rgb[:20, :100] = 0  # elsewhere
    assert np.array_equal(subject_crop(rgb, mask, SIDE), crop)
