"""A camera that walks is told from one that turns, by what matches in two pictures."""

from __future__ import annotations

import numpy as np
import pytest

from lookaway.geometry.trajectory import pitch_matrix, yaw_matrix
from lookaway.observers import Floats
from lookaway.observers.following.matches import Matches
from lookaway.observers.following.ties import focal_of
from lookaway.observers.parallax import parallax_deg
from lookaway.readings.film import WALKED_DEG

HFOV_DEG = 60.0
NOISE = 0.0003  # of the width: a seventh of a pixel


def matched(shift_m: tuple[float, float, float], yaw_deg: float = 8.0, lens_deg: float = HFOV_DEG) -> Matches:
    """The same things, 2 to 7 m away, before and after a camera turned and shifted."""
    chance = np.random.default_rng(5)
    depth, focal = chance.uniform(2, 7, 300), focal_of(lens_deg)
    things = np.column_stack([*(chance.uniform(-0.6, 0.6, (2, 300)) * [[1.0], [0.6]] * depth), depth])
    there, here = (_seen(points, focal, chance) for points in (things, _moved(things, shift_m, yaw_deg)))
    inside = (np.abs(here) < 0.5).all(1) & (np.abs(there) < 0.5).all(1)
    return Matches(here[inside], there[inside], 300)


def _moved(things: Floats, shift_m: tuple[float, float, float], yaw_deg: float) -> Floats:
    return np.asarray((things - shift_m) @ yaw_matrix(yaw_deg) @ pitch_matrix(2.0))


def _seen(things: Floats, focal: float, chance: np.random.Generator) -> Floats:
    return np.asarray(focal * things[:, :2] / things[:, 2:] + chance.normal(0, NOISE, (len(things), 2)))


@pytest.mark.parametrize("shift_m", [(0, 0, 0.5), (0, 0, -0.5), (0.3, 0, 0), (-0.3, 0, 0), (0, -0.3, 0)])
def test_a_walk_any_way_is_found(shift_m: tuple[float, float, float]) -> None:
    assert parallax_deg(matched(shift_m), HFOV_DEG) > WALKED_DEG


@pytest.mark.parametrize("lens_deg", [50.0, 60.0, 70.0])
def test_a_turn_through_any_lens_is_no_walk(lens_deg: float) -> None:
    assert parallax_deg(matched((0, 0, 0), lens_deg=lens_deg), HFOV_DEG) <= WALKED_DEG


def test_a_warp_is_no_walk() -> None:
    turned = matched((0, 0, 0))
    waves = np.column_stack([np.sin(9 * turned.there[:, 1] + 1), np.sin(9 * turned.there[:, 0] + 2)])
    assert parallax_deg(turned._replace(there=turned.there + 0.01 * waves), HFOV_DEG) == 0


def test_one_thing_that_is_dragged_along_is_no_walk() -> None:
    turned = matched((0, 0, 0), yaw_deg=6.0)
    some = np.random.default_rng(2).uniform(-0.5, 0.5, (len(turned.here), 2)) * [0.3, 0.8] - [0.1, 0]
    both = Matches(np.concatenate([turned.here, some]), np.concatenate([turned.there, some]), 600)
    assert parallax_deg(both, HFOV_DEG) <= WALKED_DEG


def test_too_few_matches_tell_no_walk() -> None:
    walked = matched((0.3, 0, 0))
    assert parallax_deg(Matches(walked.here[:10], walked.there[:10], 10), HFOV_DEG) == 0
