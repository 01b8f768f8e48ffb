"""Verdicts on any video, without judge and truth: what following the subject can tell, and where it stays silent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lookaway.metrics import METRICS, Case
from lookaway.observers.same_place import SamePlace
from lookaway.observers.signals import Signals
from lookaway.outcomes import Abstain
from tests.observers.test_subject_track import case as followed_case


def told(given: Case, name: str) -> Any:
    return METRICS.get(f"{name}:followed").function(given)


def film(story: str, cut: bool = False, likeness: float = 0.95, **changes: Any) -> Case:
    """A story followed from the subject's box, in a film of one take and one place but for what is given."""
    given = followed_case(story)
    n = len(given.seen["subject_track"]["seconds"])
    flags, plain = np.zeros(n, bool), np.zeros(n)
    cuts = flags.copy()
    cuts[n // 2] = cut
    signals = {name: plain for name in ("seconds", "step_deg", "contrast", "sharpness", "growth")}
    signals |= {"cut": cuts, "jump": flags, "covered": flags, "change": plain + 9.0, "parallax_deg": plain}
    signals |= {name: np.zeros(0) for name in ("lag_tied", "lag_likeness")}
    signals |= {name: np.zeros(0, np.int64) for name in ("lag_from", "lag_to")}
    signals |= {"undone_grey": np.array(20.0), "undone_block": np.array(50.0)}
    place = {name: plain for name in ("seconds", "turned_deg")}
    place |= {name: np.ones(3) for name in ("seconds_out", "seconds_back", "angle_deg", "tied")}
    place |= {"likeness": np.full(3, likeness), "left_deg": np.array(60.0), "home_deg": np.array(0.0)}
    assert set(signals) == set(Signals.__annotations__)
    assert set(place) == set(SamePlace.__annotations__)
    seen = {**given.seen, "signals": signals, "same_place": place}
    return Case(given.task.model_copy(update=changes), None, seen, {})


def test_on_any_video_hiding_is_told_and_a_dragged_subject_was_never_hidden() -> None:
    assert told(film("stays"), "observation_control") == 1.0
    assert told(film("is_dragged"), "observation_control") == 0.0


def test_one_that_rolls_on_progresses_and_one_that_stays_gives_no_pace() -> None:
    assert told(film("rolls", moves=True), "state_progress") == 1.0
    assert isinstance(told(film("stays", moves=True), "state_progress"), Abstain)
    assert isinstance(told(film("rolls", moves=False, changes_in_place=True), "state_progress"), Abstain)


@pytest.mark.parametrize(
    ("story", "changes", "expected"),
    [
        ("stays", {}, 1.0),
        ("vanishes", {}, 0.0),
        ("doubles", {}, 0.0),
        ("stays", {"cut": True}, 0.0),
        ("stays", {"likeness": 0.3}, 0.0),
    ],
    ids=["whole", "gone", "doubled", "cut", "other place"],
)
def test_coherence_without_truth(story: str, changes: dict[str, Any], expected: float) -> None:
    assert told(film(story, **changes), "coherence") == expected


def test_another_thing_cannot_be_and_a_lost_one_tells_nothing() -> None:
    assert told(film("stays"), "physical_plausibility") == 1.0
    assert told(film("turns_blue"), "physical_plausibility") != 1.0
    assert isinstance(told(film("vanishes"), "physical_plausibility"), Abstain)


def test_whose_effect_a_change_is_nobody_can_tell_without_truth() -> None:
    assert told(film("stays"), "action_control") == 1.0, "nothing was to be done"
    pushed = film("stays", action_control="a hand pushes it")
    assert isinstance(told(pushed, "action_control"), Abstain)
    still = {**pushed.seen["signals"], "change": pushed.seen["signals"]["change"] * 0}
    unmoved = replace(pushed, seen={**pushed.seen, "signals": still})
    assert told(unmoved, "action_control") == 0.0
