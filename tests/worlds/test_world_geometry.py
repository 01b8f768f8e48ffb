from __future__ import annotations

import numpy as np
import pytest
from world_sight import Built, mask, ray_directions

from lookaway.worlds.processes.ball import RADIUS_M

LAYOUTS = ("parlour", "workshop")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_floor_depth_is_that_of_the_plane(built: Built, layout: str) -> None:
    world = built(layout, "ball", 0)
    view = world.render(world.home, 0.0)
    near_floor = (slice(-8, None), slice(60, 260))
    directions = ray_directions(world, world.home)[near_floor]
    expected = -world.home[2, 3] / directions[..., 2]
    assert np.abs(view.depth[near_floor] - expected).max() <= 1e-4


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("process_s", [0.0, 2.7])
def test_ball_mask_is_the_projected_sphere(built: Built, layout: str, process_s: float) -> None:
    world = built(layout, "ball", 0)
    seen = mask(world, world.render(world.home, process_s), "ball")
    state = world.state(process_s)
    to_centre = np.array([state["x"], state["y"], RADIUS_M]) - world.home[:3, 3]
    directions = ray_directions(world, world.home)
    unit = directions / np.linalg.norm(directions, axis=-1, keepdims=True)
    along = unit @ to_centre
    expected = to_centre @ to_centre - along**2 < RADIUS_M**2
    assert (seen != expected).sum() <= 0.01 * expected.sum()


def test_home_is_a_rotation_in_opencv_axes(built: Built) -> None:
    home = built("parlour", "ball", 0).home
    assert np.allclose(home[:3, :3] @ home[:3, :3].T, np.eye(3))
    assert np.linalg.det(home[:3, :3]) == pytest.approx(1.0)
    assert home[2, 1] < -0.9, "image y points down"


def test_positive_yaw_turns_right(built: Built) -> None:
    world = built("parlour", "ball", 0)
    forward, right = world.look(30)[:3, 2], world.home[:3, 0]
    assert forward @ right == pytest.approx(np.sin(np.deg2rad(30)) * np.cos(np.deg2rad(8)))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("yaw_deg", [-90, -75, 75, 90, 180])
def test_rooms_are_closed(built: Built, layout: str, yaw_deg: float) -> None:
    world = built(layout, "ball", 0)
    assert world.render(world.look(yaw_deg), 0.0).depth.max() < 12
