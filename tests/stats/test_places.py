"""Places that systems could have, and who is told apart from whom."""

from __future__ import annotations

import numpy as np

from lookaway.stats.places import PossiblePlaces, possible_places

SCENES = np.arange(20)


def test_clear_differences_give_clear_places() -> None:
    noise = np.random.default_rng(0).normal(0, 0.01, (3, 20))
    found = possible_places([0.1 + noise[0], 0.5 + noise[1], 0.9 + noise[2]], SCENES)
    assert found == [PossiblePlaces(1, 1, 1), PossiblePlaces(2, 2, 2), PossiblePlaces(3, 3, 3)]


def test_equal_systems_share_every_place_and_one_group() -> None:
    same = np.random.default_rng(1).normal(size=20)
    assert possible_places([same, same, same], SCENES) == [PossiblePlaces(1, 3, 1)] * 3


def test_two_tie_ahead_of_a_third() -> None:
    draws = np.random.default_rng(2)
    first = draws.normal(0, 0.05, 20)
    found = possible_places([first, first + draws.normal(0, 0.05, 20), first + 1], SCENES)
    assert [(one.best, one.worst) for one in found] == [(1, 2), (1, 2), (3, 3)]
    assert [one.tie_group for one in found] == [1, 1, 2]


def test_missing_numbers_are_left_out_of_pairs_and_one_scene_tells_nothing() -> None:
    first, second = np.zeros(20), np.ones(20)
    second[3:] = np.nan
    assert possible_places([first, second], SCENES) == [PossiblePlaces(1, 2, 1)] * 2  # three scenes: p is 0.25 at best
    assert possible_places([np.zeros(20), np.ones(20)], np.zeros(20)) == [PossiblePlaces(1, 2, 1)] * 2
    assert possible_places([np.full(20, np.nan)], SCENES) == [PossiblePlaces(1, 1, 1)]


def test_among_equals_hardly_any_place_is_ever_too_narrow() -> None:
    """Of 200 boards of four equal systems at most 8 % tell any two apart; the level is 5 %."""
    draws = np.random.default_rng(3)
    wrong = 0
    for _ in range(200):
        found = possible_places([draws.normal(size=12) for _ in range(4)], np.arange(12))
        wrong += any((one.best, one.worst) != (1, 4) for one in found)
    assert wrong <= 16
