from __future__ import annotations

import importlib

import numpy as np
import numpy.typing as npt
import pytest
from world_sight import Built, mask, ray_directions

from lookaway.worlds import World
from lookaway.worlds.mesh import Mesh
from lookaway.worlds.processes.ball import RADIUS_M
from lookaway.worlds.shell import Shell

LAYOUTS = ("parlour", "workshop")
VIEWS = ((0, 0), (-40, 0), (65, -12), (170, 10))  # yaw, pitch in degrees
BOARD_M = (0.025, 0.105)  # depth and height of the skirting board, and a little more


def plane_depth(
    room: Shell, eye: npt.NDArray[np.float64], directions: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Distance at which rays from inside leave the empty room, and whether they meet a plane clear of its skirting."""
    low = np.array([-room.half_width, room.near, 0.0])
    high = np.array([room.half_width, room.far, room.height])
    with np.errstate(divide="ignore"):
        leaves = np.where(directions > 0, (high - eye) / directions, (low - eye) / directions)
    depth = leaves.min(axis=-1)
    place = eye + directions * depth[..., None]
    beside_wall = np.minimum(place - low, high - place)[..., :2].min(axis=-1) < BOARD_M[0]
    return depth, ~(beside_wall & (place[..., 2] < BOARD_M[1]))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("yaw_deg", "pitch_deg"), VIEWS)
def test_depth_of_floor_and_walls_is_that_of_their_planes(
    built: Built, layout: str, yaw_deg: float, pitch_deg: float
) -> None:
    world = built(layout, "ball", 0)
    camera = world.look(yaw_deg, pitch_deg)
    view = world.render(camera, 0.0)
    room: Shell = importlib.import_module(f"lookaway.worlds.layouts.{layout}").SHELL
    expected, clear = plane_depth(room, camera[:3, 3], ray_directions(world, camera))
    seen = clear & mask(world, view, "room")
    assert seen.sum() > 4000
    assert np.abs(view.depth - expected)[seen].max() <= 1e-4


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("second", [0.0, 2.7])
def test_ball_mask_is_the_projected_sphere(built: Built, layout: str, second: float) -> None:
    world = built(layout, "ball", 0)
    seen = mask(world, world.render(world.home, second), "ball")
    points = world.subject_points(second)
    to_centre = (points.min(axis=0) + points.max(axis=0)) / 2 - world.home[:3, 3]
    directions = ray_directions(world, world.home)
    unit = directions / np.linalg.norm(directions, axis=-1, keepdims=True)
    along = unit @ to_centre
    expected = to_centre @ to_centre - along**2 < RADIUS_M**2
    assert (seen != expected).sum() <= 0.01 * expected.sum()


@pytest.mark.parametrize(("layout", "process"), [("parlour", "ball"), ("workshop", "filling"), ("parlour", "filling")])
@pytest.mark.parametrize(("yaw_deg", "second"), [(0, 0.3), (11, 2.6), (-17, 1.4)])
def test_masks_are_those_of_a_rasteriser(
    built: Built, layout: str, process: str, yaw_deg: float, second: float
) -> None:
    world = built(layout, process, 0)
    camera = world.look(yaw_deg)
    view = world.render(camera, second)
    bodies = {body.part.name: body.part.mesh for body in world._process.bodies}
    nearest = world.render(camera, second, without=frozenset(bodies)).depth.astype(float)
    owner = np.full(nearest.shape, "", object)
    for name, pose in world._process.poses(second).items():
        depth = rasterised(world, camera, bodies[name].moved(pose))
        owner[depth < nearest] = name
        nearest = np.minimum(nearest, depth)
    for name in bodies:
        seen, expected = mask(world, view, name), owner == name
        if (seen | expected).any():
            assert (seen & expected).sum() >= 0.995 * (seen | expected).sum(), name
            assert np.abs(view.depth - nearest)[seen & expected].max() <= 1e-4, name


def rasterised(world: World, camera: npt.NDArray[np.float64], mesh: Mesh) -> npt.NDArray[np.float64]:
    """Depth of a mesh at pixel centres by its projected triangles; infinite where it is not."""
    local = (mesh.points - camera[:3, 3]) @ camera[:3, :3]
    image = local @ world.intrinsics.T
    places = image[:, :2] / image[:, 2:] - 0.5
    height, width = world.render(world.home, 0.0).depth.shape
    depth = np.full((height, width), np.inf)
    for corners in mesh.faces:
        place, per_depth = places[corners], 1 / local[corners, 2]
        left, top = np.maximum(np.ceil(place.min(axis=0)), 0).astype(int)
        right, bottom = np.minimum(np.floor(place.max(axis=0)) + 1, (width, height)).astype(int)
        sides = np.stack([place[1] - place[0], place[2] - place[0]], axis=1)
        if right <= left or bottom <= top or abs(np.linalg.det(sides)) < 1e-12:
            continue
        x, y = np.meshgrid(np.arange(left, right), np.arange(top, bottom))
        u, v = np.tensordot(np.linalg.inv(sides), np.stack([x - place[0, 0], y - place[0, 1]]), 1)
        inside = (u >= 0) & (v >= 0) & (u + v <= 1)
        found = 1 / (per_depth[0] * (1 - u - v) + per_depth[1] * u + per_depth[2] * v)
        here = depth[top:bottom, left:right]
        here[inside] = np.minimum(here, found)[inside]
    return depth


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
