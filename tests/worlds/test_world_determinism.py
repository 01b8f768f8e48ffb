from __future__ import annotations

import numpy as np
import pytest
from world_sight import Built

from lookaway.worlds import World


@pytest.mark.parametrize("process", ["ball", "filling"])
def test_same_seed_gives_the_same_bytes(built: Built, process: str) -> None:
    first, second = built("parlour", process, 0), World("parlour", process, 0)
    second.render(second.look(40), 3.0)
    for yaw_deg, process_s in ((0.0, 0.0), (0.0, 1.3), (20.0, 2.0)):
        one = first.render(first.look(yaw_deg), process_s)
        other = second.render(second.look(yaw_deg), process_s)
        for name in ("rgb", "depth", "instances"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert first.facts == second.facts


@pytest.mark.parametrize("layout", ["parlour", "workshop"])
def test_other_seeds_give_other_rooms(built: Built, layout: str) -> None:
    pictures = [
        world.render(world.home, 0.0, frozenset({"ball"})).rgb.astype(int)
        for world in (built(layout, "ball", 0), built(layout, "ball", 3))
    ]
    assert np.abs(pictures[0] - pictures[1]).mean() > 10


def test_a_cached_pose_gives_what_a_fresh_pose_gave(built: Built) -> None:
    world = built("workshop", "ball", 0)
    pose = world.look(3.7)
    fresh = world.render(pose, 1.0).rgb
    world.render(pose, 4.0)
    assert np.array_equal(world.render(pose, 1.0).rgb, fresh)


def test_the_camera_does_not_change_the_state(built: Built) -> None:
    world = built("parlour", "ball", 0)
    before = [world.state(time) for time in (0.0, 1.5, 6.0)]
    world.render(world.look(75), 3.0)
    world.render(world.look(-75), 0.5)
    assert [world.state(time) for time in (0.0, 1.5, 6.0)] == before
