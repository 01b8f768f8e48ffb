"""Phases of a clip, mapped from the true clip and measured in the clip itself."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from lookaway.gates import GATES
from lookaway.geometry.phase_frames import keyframes
from lookaway.geometry.visibility import phases_from_visible
from lookaway.metrics import Case, find
from lookaway.observers.subject_track import subject_track
from lookaway.outcomes import Abstain, Gated
from lookaway.readings.phase_frames import mapped_frames, measured_frames, phase_frames
from lookaway.records import Interval, Reference
from lookaway.truth import KnownTruth, Truth, true_keyframes
from tests.observers.panorama import FPS, HFOV_DEG, PLACE, RADIUS_DEG, RED, away_and_back, filmed, look_at

TURNS = np.array(away_and_back())
OFF_AXIS = np.abs(TURNS - PLACE[0]) - HFOV_DEG / 2  # degrees of the subject's middle beyond the border
GONE, WHOLE = OFF_AXIS > RADIUS_DEG, OFF_AXIS < -RADIUS_DEG
FIRST_GONE, LAST_GONE = int(np.flatnonzero(GONE)[0]), int(np.flatnonzero(GONE)[-1])
FIRST_BACK = LAST_GONE + int(np.flatnonzero(WHOLE[LAST_GONE:])[0])
LATE = 4  # frames


def truth() -> Truth:
    """Where the subject is gone and back by geometry, as a person would mark it."""
    edges = np.array([0, FIRST_GONE, FIRST_BACK, len(TURNS)]) / FPS
    phases = tuple(
        Interval(phase=phase, start_s=start, end_s=end)
        for phase, start, end in zip(("visible", "hidden", "returned"), edges[:-1], edges[1:], strict=True)
    )
    return Truth(Reference(task="t", instance="i", phases=phases), Path("true.mp4"), np.arange(len(TURNS)) / FPS, None)


@cache
def case(late: int = 0) -> Case:
    """The camera does as asked, so many frames later."""
    turns = [*np.zeros(late), *TURNS][: len(TURNS)]
    look = look_at(filmed(turns, lambda i: [(*PLACE, RED)]))
    seen = subject_track(look)
    assert not isinstance(seen, Abstain), seen.reason
    return Case(look.task, truth(), {"subject_track": seen.arrays()}, {})


def score(name: str, given: Case) -> float:
    metric = find(name)
    assert [GATES.get(gate)(given) for gate in metric.gates] == [None] * len(metric.gates)
    value = metric.function(given)
    assert isinstance(value, float), value
    return value


def test_frames_that_show_part_of_the_subject_are_neither_visible_nor_hidden() -> None:
    sight = measured_frames(case())
    assert not GONE[sight.visible].any()
    assert GONE[sight.hidden].all()
    part = np.concatenate([sight.leaving, sight.returning])
    assert len(sight.leaving)
    assert len(sight.returning)
    assert (np.abs(OFF_AXIS[part]) <= RADIUS_DEG + 1).all(), "a degree, for the first frames that cut off a sliver"
    assert sorted(np.concatenate(sight).tolist()) == list(range(len(TURNS)))


def test_measured_phases_leave_the_frames_of_leaving_and_returning_out() -> None:
    sight = measured_frames(case())
    phases = phase_frames(case(), len(TURNS), "measured")
    assert not isinstance(phases, Abstain)
    assert [part.tolist() for part in phases] == [
        sight.visible.tolist(),
        sight.hidden.tolist(),
        sight.returned.tolist(),
    ]


def test_mapped_phases_do_not_ask_what_the_clip_shows() -> None:
    one, other = mapped_frames(case(), len(TURNS)), mapped_frames(case(LATE), len(TURNS))
    assert not isinstance(one, Abstain)
    assert not isinstance(other, Abstain)
    assert [part.tolist() for part in one] == [part.tolist() for part in other]
    assert one.hidden[0] == FIRST_GONE
    assert one.returned[0] == FIRST_BACK


@pytest.mark.parametrize("rule", ["paper", "released"])
def test_without_a_look_away_in_the_truth_nothing_is_mapped(rule: str) -> None:
    assert isinstance(phase_frames(replace(case(), truth=None), 10, rule), Abstain)  # type: ignore[arg-type]


@pytest.mark.parametrize("metric", ["departure_gap:sound", "return_gap:sound"])
def test_a_camera_that_is_late_shifts_its_phases_by_as_much(metric: str) -> None:
    """To two frames: the subject is followed in pictures of 320 pixels, and its last sliver is not."""
    assert score(metric, case()) <= 2.01 / FPS
    assert score(metric, case(LATE)) == pytest.approx(LATE / FPS, abs=2.01 / FPS)


def test_a_camera_that_stays_has_no_gap() -> None:
    look = look_at(filmed([0.0] * 30, lambda i: [(*PLACE, RED)]))
    seen = subject_track(look)
    assert not isinstance(seen, Abstain)
    still = Case(look.task, truth(), {"subject_track": seen.arrays()}, {})
    assert isinstance(GATES.get("subject_left")(still), Gated)


def test_in_a_known_world_the_subject_is_back_where_its_mask_is_whole() -> None:
    """A block of 4 x 4 pixels leaves to the left and comes back; its phases begin with its first pixels."""
    column = np.array([3, 0, -2, -6, -6, -6, -6, -6, -6, -6, -6, -3, -1, 0, 3, 3, 3])
    masks = np.zeros((len(column), 8, 12), bool)
    for mask, left in zip(masks, column, strict=True):
        mask[2:6, max(0, left) : max(0, left + 4)] = True
    visible = masks.sum((1, 2)) / 16
    seconds = np.arange(len(column)) / FPS
    world = KnownTruth(np.tile(np.eye(4), (len(column), 1, 1)), np.zeros(0), masks, visible, np.zeros((len(column), 0)))
    record = Reference(task="t", instance="i", phases=phases_from_visible(seconds, visible > 0.02))
    known = Truth(record, Path("true.mp4"), seconds, world)
    found = true_keyframes(known, case().task)
    assert found is not None
    assert (column[found.gone], column[found.back]) == (-6, 0)
    first_sight = keyframes(record.phases, seconds)
    assert first_sight is not None
    assert column[first_sight.back] == -3


def test_the_keyframes_are_those_of_the_phases_where_there_is_no_known_world() -> None:
    given = truth()
    found = keyframes(given.phases, given.seconds)
    assert found is not None
    assert (found.gone, found.back) == (FIRST_GONE, FIRST_BACK)
