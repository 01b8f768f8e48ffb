"""The clip's own clock, read from made-up unlikeness curves whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookaway.observers.replaying.clock import read_clock

MOMENTS = np.arange(0, 7 + 1e-9, 1 / 16)
EARLY, LATE = np.arange(0.0, 1.2, 0.1), np.arange(3.0, 4.2, 0.1)
SECONDS, AFTER = np.concatenate([EARLY, LATE]), np.repeat([False, True], [len(EARLY), len(LATE)])

STEP_S = 1 / 32  # the grid on which offsets are tried
LENIENT_S = 0.42  # a rate that could be 0.14 off moves what is due three seconds later by that much


def curves(shown: np.ndarray, looks=lambda moment: moment) -> np.ndarray:
    """How unlike a frame that shows moment m is to each moment, for a process whose looks are `looks(moment)`."""
    return np.minimum(10 * np.abs(looks(MOMENTS)[None] - looks(shown)[:, None]), 8).astype(np.float32) + 1


def shown(rate: float = 1.0, lost_s: float = 0.0) -> np.ndarray:
    """The moments that a clip shows at that rate, set back by `lost_s` after the look-away."""
    return np.clip(rate * SECONDS - lost_s * AFTER, 0, 7)


@given(rate=st.floats(0.5, 1.6), lost_s=st.floats(-0.4, 0.8))
def test_rate_and_slip_are_read_back(rate: float, lost_s: float) -> None:
    clock = read_clock(MOMENTS, SECONDS, curves(shown(rate, lost_s)), AFTER)
    assert clock.ticks
    assert clock.rate == pytest.approx(rate, abs=0.06)
    # three seconds lie between the two sides, so that a rate off by 0.06 moves one line against the other by 0.18
    assert clock.restart - clock.start == pytest.approx(-lost_s, abs=0.22)
    assert abs(lost_s) - LENIENT_S <= clock.slip <= abs(lost_s) + 0.1


def test_a_world_that_kept_time_has_no_slip() -> None:
    clock = read_clock(MOMENTS, SECONDS, curves(shown()), AFTER)
    assert clock.rate == pytest.approx(1.0, abs=0.02)
    assert clock.slip < STEP_S
    assert clock.expected(2.0) == pytest.approx(2.0, abs=0.03)


def test_a_world_that_stands_still_is_not_one_whose_clock_is_merely_unclear() -> None:
    assert read_clock(MOMENTS, SECONDS, curves(shown(rate=0.0)), AFTER).stands
    assert not read_clock(MOMENTS, SECONDS, curves(shown()), AFTER).stands
    alike = lambda moment: 0 * moment  # noqa: E731
    assert not read_clock(MOMENTS, SECONDS, curves(shown(), alike), AFTER).stands


def test_a_process_that_ended_while_hidden_fits_at_many_moments() -> None:
    ended = lambda moment: np.minimum(moment, 2.0)  # noqa: E731
    clock = read_clock(MOMENTS, SECONDS, curves(shown(), ended), AFTER)
    assert clock.ticks
    assert clock.slip < STEP_S
    assert np.ptp(clock.restarts) > 1.0


def test_a_process_that_ended_too_early_is_still_caught() -> None:
    ended = lambda moment: np.minimum(moment, 5.0)  # noqa: E731
    clock = read_clock(MOMENTS, SECONDS, curves(shown(lost_s=2.0), ended), AFTER)
    assert clock.slip > 2.0 - LENIENT_S


def test_a_repeating_process_fits_at_several_separate_moments() -> None:
    swinging = lambda moment: 0.5 * np.sin(2 * np.pi * moment / 1.5)  # noqa: E731
    clock = read_clock(MOMENTS, SECONDS, curves(shown(), swinging), AFTER)
    assert clock.slip < STEP_S
    assert (np.diff(np.sort(clock.restarts)) > 0.5).any()


def test_a_world_that_stands_still_does_not_tick() -> None:
    assert not read_clock(MOMENTS, SECONDS, curves(0 * SECONDS), AFTER).ticks


def test_a_process_without_visible_change_does_not_tick() -> None:
    assert not read_clock(MOMENTS, SECONDS, curves(shown(), lambda moment: 0 * moment), AFTER).ticks


def test_an_earlier_stretch_tells_the_rate_where_the_others_cannot() -> None:
    """What stands still before and after the look-away may have any rate; what went on before that has one."""
    earlier = np.arange(0.0, 1.5, 0.1)
    seconds = np.concatenate([earlier, 3 + EARLY, 3 + LATE])
    stretch = np.repeat([0, 1, 2], [len(earlier), len(EARLY), len(LATE)])
    ended = lambda moment: np.minimum(moment, 1.5)  # noqa: E731
    told = curves(0.7 * seconds, ended)
    later = stretch > 0
    assert not read_clock(MOMENTS, seconds[later], told[later], stretch[later]).ticks
    clock = read_clock(MOMENTS, seconds, told, stretch)
    assert clock.ticks
    assert clock.rate == pytest.approx(0.7, abs=0.06)


def test_only_the_last_two_stretches_are_compared() -> None:
    seconds = np.concatenate([EARLY, 3 + EARLY, 3 + LATE])
    stretch = np.repeat([0, 1, 2], [len(EARLY), len(EARLY), len(LATE)])
    clock = read_clock(MOMENTS, seconds, curves(seconds - np.array([0, 1, 1])[stretch]), stretch)
    assert clock.restart - clock.start == pytest.approx(0.0, abs=0.03)
    assert clock.start == pytest.approx(-1.0, abs=0.1)
