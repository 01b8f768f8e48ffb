"""Another tracker's masks are described as our own, and an observer may look in another's place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lookaway.errors import UnknownName, UsageError
from lookaway.metrics import Case
from lookaway.observers import OBSERVERS, ObservedArrays, box_prompted
from lookaway.observers.box_prompted import Segmented
from lookaway.observers.elsewhere import seen_with
from lookaway.observers.stand_ins import stand_in
from lookaway.observers.subject_track import SubjectTrack
from lookaway.observers.subject_track_sam2 import Sam2Track
from lookaway.observers.subject_track_sam3 import Sam3Track
from lookaway.outcomes import Abstain
from lookaway.pipeline.instruments import observer_here
from lookaway.records import Setting
from tests.observers.panorama import filmed, look_at
from tests.observers.test_subject_track import STORIES, TURNS, score

BY: dict[str, Setting] = {"by": "subject_track_sam2"}


@pytest.fixture(autouse=True)
def perfect_tracker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Masks of whatever is red: a tracker that makes no mistake."""

    def red(eyes: object, tracker: object, rgb: np.ndarray, box: object, size: tuple[int, int]) -> Segmented:
        masks = (rgb[..., 0].astype(int) - rgb[..., 1] > 60) & (rgb[..., 0].astype(int) - rgb[..., 2] > 60)
        masks &= (masks.sum((1, 2)) > 20)[:, None, None]
        return Segmented(masks, masks.any((1, 2)).astype(float))

    monkeypatch.setattr(box_prompted, "segmented", red)
    monkeypatch.setattr(box_prompted, "loaded", lambda *_: None)


def case(story: str) -> Case:
    look = replace(look_at(filmed(TURNS, STORIES[story])), settings=BY)
    seen = seen_with(OBSERVERS.get("subject_track"), look)
    assert isinstance(seen, Sam2Track), seen
    return Case(look.task, None, {"subject_track": seen.arrays()}, {})


@pytest.mark.parametrize(("story", "refound"), [("stays", 1.0), ("vanishes", 0.0)])
def test_metrics_of_the_subject_read_what_the_stand_in_saw(story: str, refound: float) -> None:
    given = case(story)
    assert given.saw(SubjectTrack).precision == 1.0, "it does not go by colours"
    assert score("subject_refound", given) == refound
    if refound:
        assert score("subject_place_shift", given) == pytest.approx(0, abs=1)
        assert score("subject_size_change", given) == pytest.approx(1, abs=0.1)
        assert score("subject_identity", given) > 0.9


def test_a_box_without_a_thing_is_an_abstention(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(eyes: object, tracker: object, rgb: np.ndarray, box: object, size: tuple[int, int]) -> Segmented:
        return Segmented(np.zeros(rgb.shape[:3], bool), np.zeros(len(rgb)))

    monkeypatch.setattr(box_prompted, "segmented", nothing)
    seen = seen_with(OBSERVERS.get("subject_track"), replace(look_at(filmed(TURNS, STORIES["stays"])), settings=BY))
    assert isinstance(seen, Abstain)
    assert "no thing in the box" in seen.reason


def test_a_stand_in_is_another_instrument() -> None:
    own, other = observer_here("subject_track", {}), observer_here("subject_track", BY)
    assert own.key != other.key
    assert other.settings["by"] == "subject_track_sam2"
    assert "sam2.1" in other.model or "weights" in other.model, "with its own weights"


def test_only_who_sees_the_same_may_stand_in() -> None:
    with pytest.raises(UsageError, match="these do: subject_track, subject_track_sam2, subject_track_sam3"):
        stand_in(OBSERVERS.get("subject_track"), {"by": "signals"})
    with pytest.raises(UnknownName, match="subject_track_sam2"):
        stand_in(OBSERVERS.get("subject_track"), {"by": "subject_track_sam"})


def test_a_stand_in_has_every_array_of_the_one_that_it_stands_in_for() -> None:
    classes: list[type[ObservedArrays]] = [SubjectTrack, Sam2Track, Sam3Track]
    assert all(kind.kinds == SubjectTrack.kinds for kind in classes)
    assert [kind.observer for kind in classes] == ["subject_track", "subject_track_sam2", "subject_track_sam3"]
