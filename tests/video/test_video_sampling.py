"""Index rules against values worked by hand, and what must hold for any clip."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from lookaway.video import indices_as_released, indices_at_rate, indices_uniform

counts = st.integers(1, 2000)


def test_three_a_second_from_sixteen_fps() -> None:
    # 16/3 = 5.33: 0, 5.33, 10.67, 16, ... 80; the last is on the grid.
    assert indices_at_rate(81, 16) == [0, 5, 11, 16, 21, 27, 32, 37, 43, 48, 53, 59, 64, 69, 75, 80]


def test_the_last_frame_joins_when_off_the_grid() -> None:
    assert indices_at_rate(81, 24) == [0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80]
    assert indices_at_rate(79, 24) == [0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 78]


def test_halves_round_to_even() -> None:
    # 7.5/3 = 2.5: 0, 2.5, 5, 7.5, 10 become 0, 2, 5, 8, 10.
    assert indices_at_rate(11, 7.5) == [0, 2, 5, 8, 10]


def test_a_grid_point_past_the_end_is_the_end() -> None:
    # 4/3 steps over 6 frames: 0, 1.33, 2.67, 4, 5.33; over 5 the fourth step is 4.
    assert indices_at_rate(6, 4) == [0, 1, 3, 4, 5]
    # 8/3 steps over 6 frames end at 5.33; 5/3 steps over 7 end at 6.67, which rounds past the last.
    assert indices_at_rate(7, 5) == [0, 2, 3, 5, 6]


def test_a_slow_clip_is_taken_whole() -> None:
    assert indices_at_rate(6, 2) == [0, 1, 2, 3, 4, 5]


def test_a_long_clip_is_spread_over_at_most_the_allowed_frames() -> None:
    assert indices_at_rate(100, 3, most=4) == [0, 33, 66, 99]
    assert len(indices_at_rate(241, 24)) == 24


def test_as_released_a_long_clip_is_thinned_from_the_sampled_list() -> None:
    # 30/12 = 2.5: 25 sampled frames 0, 2, 5, 8, 10, 12, ... 58, 59; of those the 1st, 3rd, 6th, 9th, 11th, ... 25th
    thinned = [0, 5, 12, 20, 25, 32, 40, 45, 52, 59]
    assert indices_as_released(60, 30, rate=12, most=10) == thinned
    spread = indices_at_rate(60, 30, rate=12, most=10)
    assert spread == [0, 7, 13, 20, 26, 33, 39, 46, 52, 59] != thinned


def test_as_released_a_short_clip_has_four_frames_at_least() -> None:
    assert indices_as_released(10, 25, rate=2) == [0, 3, 6, 9]
    assert indices_at_rate(10, 25, rate=2) == [0, 9]
    assert indices_as_released(3, 25, rate=2) == [0, 1, 2]
    # floors: 0, 2.67, 5.33, 8 join 0 and 8
    assert indices_as_released(9, 25, rate=2) == [0, 2, 5, 8]


def test_between_its_bounds_the_released_rule_is_ours() -> None:
    assert indices_as_released(81, 16) == indices_at_rate(81, 16)
    assert indices_as_released(79, 24) == indices_at_rate(79, 24)


def test_as_released_an_unknown_frame_rate_spreads_the_most_there_may_be() -> None:
    for unknown in (0.0, float("nan")):
        assert indices_as_released(81, unknown, most=4) == [0, 26, 53, 80]


def test_uniform_by_hand() -> None:
    assert indices_uniform(81, 5) == [0, 20, 40, 60, 80]
    assert indices_uniform(3, 8) == [0, 1, 2]
    assert indices_uniform(10, 1) == [0]
    assert indices_uniform(0, 4) == []


@given(counts, st.floats(0.5, 240), st.floats(0.1, 30), st.integers(2, 64))
def test_sampling_by_rate_keeps_both_ends_and_its_bound(frames: int, fps: float, rate: float, most: int) -> None:
    for rule in (indices_at_rate, indices_as_released):
        chosen = rule(frames, fps, rate, most)
        assert chosen[0] == 0
        assert chosen[-1] == frames - 1
        assert chosen == sorted(set(chosen))
        assert len(chosen) <= most


@given(counts, st.floats(3, 240))
def test_sampled_frames_are_a_third_of_a_second_apart_when_few(frames: int, fps: float) -> None:
    chosen = indices_at_rate(frames, fps, most=10_000)
    gaps = [after - before for before, after in pairwise(chosen)]
    assert all(abs(gap - fps / 3) <= 1 for gap in gaps[:-1])


@given(counts, st.integers(1, 100))
def test_uniform_gaps_differ_by_at_most_one(frames: int, count: int) -> None:
    chosen = indices_uniform(frames, count)
    assert len(chosen) == min(frames, count)
    gaps = [after - before for before, after in pairwise(chosen)]
    assert not gaps or max(gaps) - min(gaps) <= 1
