"""The subject as DINOv2 sees it, through the real transformers path, with a tiny random checkpoint made here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lookaway.errors import UsageError
from lookaway.metrics import METRICS, Case
from lookaway.observers import OBSERVERS
from lookaway.observers.elsewhere import seen_with
from lookaway.observers.learned import SAME_FEATURES
from lookaway.observers.subject_features import SubjectFeatures
from lookaway.observers.subject_track import subject_track
from lookaway.outcomes import Abstain
from lookaway.records import Setting
from tests.learned.test_patch_features import checkpoint  # noqa: F401
from tests.observers.panorama import filmed, look_at
from tests.observers.test_subject_track import STORIES, TURNS

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def look():
    return look_at(filmed(TURNS, STORIES["stays"]))


def seen(look, folder: Path, **settings: Setting) -> SubjectFeatures:
    given = {"model": str(folder), "device": "cpu", **settings}
    found = seen_with(OBSERVERS.get("subject_features"), replace(look, settings=given))
    assert isinstance(found, SubjectFeatures), found
    return found


def test_one_that_came_back_is_as_it_was(look, checkpoint: Path) -> None:  # noqa: F811
    found = seen(look, checkpoint)
    assert found.likeness[0] == pytest.approx(1, abs=1e-6)
    assert np.allclose(np.linalg.norm(found.class_token, axis=1), 1, atol=1e-5)
    arrays = {"subject_track": subject_track(look).arrays(), "subject_features": found.arrays()}
    told = METRICS.get("subject_identity_dinov2:sound").function(Case(look.task, None, arrays, {}))
    assert isinstance(told, float)
    assert 0.9 < told <= 1


def test_features_are_the_same_one_by_one_and_eight_at_a_time(look, checkpoint: Path) -> None:  # noqa: F811
    one, eight = (seen(look, checkpoint, batch=batch) for batch in (1, 8))
    assert np.abs(one.class_token - eight.class_token).max() <= SAME_FEATURES


def test_a_tracker_that_is_none_is_refused(look, checkpoint: Path) -> None:  # noqa: F811
    with pytest.raises(UsageError, match="these do: subject_track, subject_track_sam2, subject_track_sam3"):
        seen(look, checkpoint, tracker="signals")


def test_without_a_box_it_abstains(look, checkpoint: Path) -> None:  # noqa: F811
    bare = replace(look, task=look.task.model_copy(update={"subjects": ()}), settings={"model": str(checkpoint)})
    assert isinstance(seen_with(OBSERVERS.get("subject_features"), bare), Abstain)
