from __future__ import annotations

import numpy as np
import pytest
from world_sight import Built, mask

EVERY = [(layout, process) for layout in ("parlour", "workshop") for process in ("ball", "filling")]


@pytest.mark.parametrize(("layout", "process"), EVERY)
@pytest.mark.parametrize("seed", [0, 3])
class TestEveryWorld:
    def test_subject_is_large_enough_at_the_start(self, built: Built, layout: str, process: str, seed: int) -> None:
        world = built(layout, process, seed)
        assert mask(world, world.render(world.home, 0.0), world.subject).mean() >= 0.008

    def test_subject_is_out_of_sight_when_turned_away(self, built: Built, layout: str, process: str, seed: int) -> None:
        world = built(layout, process, seed)
        for yaw_deg in (-75, 75):
            assert not mask(world, world.render(world.look(yaw_deg), 2.0), world.subject).any()

    def test_the_view_of_the_subject_changes(self, built: Built, layout: str, process: str, seed: int) -> None:
        world = built(layout, process, seed)
        early, late = (mask(world, world.render(world.home, time), world.subject) for time in (0.0, 3.0))
        assert (early != late).mean() > 0.01

    def test_without_the_subject_only_the_room_is_left(
        self, built: Built, layout: str, process: str, seed: int
    ) -> None:
        world = built(layout, process, seed)
        gone = frozenset({world.subject})
        early, late = (world.render(world.home, time, gone) for time in (0.0, 3.0))
        assert not mask(world, early, world.subject).any()
        assert np.array_equal(early.rgb, late.rgb), "a shadow or a stream stayed behind"

    def test_the_words_agree_with_the_world(self, built: Built, layout: str, process: str, seed: int) -> None:
        world = built(layout, process, seed)
        columns = np.flatnonzero(mask(world, world.render(world.home, 0.0), world.subject).any(axis=0))
        third = int(3 * columns.mean() / (2 * world.intrinsics[0, 2]))
        assert ("left", "centre", "right")[third] == world.facts.side
        assert world.facts.action in world.facts.prompt
        assert world.facts.expected_end not in world.facts.prompt
        assert world.subject in world.instances.values()


@pytest.mark.parametrize("layout", ["parlour", "workshop"])
@pytest.mark.parametrize("seed", [0, 3])
def test_ball_crosses_the_view_and_stays_in_it(built: Built, layout: str, seed: int) -> None:
    world = built(layout, "ball", seed)
    assert abs(world.state(4.5)["x"] - world.state(0.0)["x"]) > 1.9
    last_column = 2 * world.intrinsics[0, 2] - 1
    for process_s in (0.0, 4.5, 8.0):
        columns = np.flatnonzero(mask(world, world.render(world.home, process_s), "ball").any(axis=0))
        assert columns.min() > 0
        assert columns.max() < last_column


def test_ball_rolls_without_slipping(built: Built) -> None:
    world = built("parlour", "ball", 0)
    moved = np.hypot(*(world.state(1.01)[axis] - world.state(1.0)[axis] for axis in ("x", "y")))
    assert moved / 0.01 == pytest.approx(world.state(1.005)["speed"], rel=1e-3)
    assert world.state(4.0)["speed"] < world.state(0.0)["speed"]


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
