"""Which frames belong to which look-away."""

from __future__ import annotations

import numpy as np

from lookaway.geometry.rounds import asked_phases, frames_back, look_aways, round_count, round_span
from lookaway.geometry.visibility import frames_in, phases_from_visible
from tests.builders import task

SECONDS = np.arange(60) / 10
AWAY = ((SECONDS >= 1) & (SECONDS < 2)) | ((SECONDS >= 4) & (SECONDS < 5))
TWICE = phases_from_visible(SECONDS, ~AWAY)


def back_s(number: int, count: int) -> tuple[float, float]:
    """First and last second at which the subject is back from that look-away."""
    seconds = SECONDS[frames_back(SECONDS, TWICE, number, count)]
    return float(seconds[0]), float(seconds[-1])


def test_a_round_lasts_until_the_next_look_away() -> None:
    assert back_s(1, count=2) == (2.0, 3.9)
    assert back_s(2, count=2) == (5.0, 5.9)
    assert round_span(TWICE, 1, 2) == (-np.inf, 4.0)
    assert round_span(TWICE, 2, 2) == (4.0, np.inf)


def test_to_the_last_round_belongs_every_later_return() -> None:
    """A clip that looks away once more than it was asked to is back after both."""
    once = frames_back(SECONDS, TWICE, 1, count=1)
    assert (once == frames_in(SECONDS, TWICE, "returned")).all()


def test_nothing_is_back_from_a_look_away_that_never_was() -> None:
    assert not frames_back(SECONDS, TWICE, 3, count=3).any()
    assert not frames_back(SECONDS, (), 1, count=1).any()


def test_a_task_has_as_many_rounds_as_it_hides_its_subject() -> None:
    assert round_count(task(phases=TWICE)) == len(look_aways(TWICE)) == 2
    assert round_count(task()) == 1


def test_an_observed_twin_has_the_rounds_of_its_task() -> None:
    seen_throughout = phases_from_visible(SECONDS, np.ones(60, bool))
    twin = task(phases=seen_throughout, twin="observed", yoked=TWICE)
    assert asked_phases(twin) == TWICE
    assert round_count(twin) == 2
    assert round_count(task(phases=seen_throughout, twin="static")) == 1
