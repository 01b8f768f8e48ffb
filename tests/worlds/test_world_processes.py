from __future__ import annotations

import numpy as np
import pytest
from world_sight import Built, mask


@pytest.mark.parametrize("layout", ["parlour", "workshop"])
@pytest.mark.parametrize("seed", [0, 3])
def test_ball_crosses_the_view_and_stays_in_it(built: Built, layout: str, seed: int) -> None:
    world = built(layout, "ball", seed)
    assert world.state(4.5)["travelled_m"] > 1.9
    last_column = 2 * world.intrinsics[0, 2] - 1
    for process_s in (0.0, 4.5, 12.0):
        columns = np.flatnonzero(mask(world, world.render(world.home, process_s), "ball").any(axis=0))
        assert columns.min() > 0
        assert columns.max() < last_column


def test_ball_rolls_without_slipping_and_slows_down(built: Built) -> None:
    world = built("parlour", "ball", 0)
    middle = [world.subject_points(second).mean(axis=0) for second in (1.0, 1.01)]
    assert np.linalg.norm(middle[1] - middle[0]) / 0.01 == pytest.approx(world.state(1.005)["speed"], rel=1e-3)
    speeds = [world.state(second)["speed"] for second in np.linspace(0, 12, 25)]
    assert (np.diff(speeds) <= 1e-6).all()
    assert speeds[-1] == pytest.approx(0.0, abs=0.01)


def test_level_rises_then_stays_and_the_mask_shows_it(built: Built) -> None:
    world = built("parlour", "filling", 0)
    times = np.linspace(0, 8, 9)
    levels = np.array([world.state(time)["level"] for time in times])
    tops = np.array(
        [np.flatnonzero(mask(world, world.render(world.home, time), "liquid").any(axis=1)).min() for time in times]
    )
    assert levels[0] == pytest.approx(0.1, abs=0.02)
    assert levels[-1] == pytest.approx(0.95)
    assert (np.diff(levels) >= 0).all()
    assert (np.diff(tops) <= 0).all()
    assert np.corrcoef(levels, -tops)[0, 1] > 0.995


def test_the_stream_ends_when_the_glass_is_full(built: Built) -> None:
    world = built("parlour", "filling", 0)
    assert mask(world, world.render(world.home, 1.0), "stream").any()
    assert not mask(world, world.render(world.home, 8.0), "stream").any()
