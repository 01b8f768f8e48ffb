from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from world_sight import Built

from lookaway.errors import UnknownName
from lookaway.records import WorldSpec
from lookaway.worlds import World
from lookaway.worlds.colours import SUBJECT_HUES, Palette
from lookaway.worlds.mesh import Mesh
from lookaway.worlds.room import LAYOUTS, Room
from lookaway.worlds.world import stream

ROOMS = LAYOUTS.names()
SEEDS = range(len(SUBJECT_HUES))
COMPASS = range(-180, 180, 45)
MOST_TRIANGLES = 100_000
LEAST_KEYPOINTS, LEAST_IN_A_QUARTER = 60, 6
FURTHEST_M = 130.0

Points: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A room, and points all over the surface of each of its parts."""

    room: Room
    surfaces: list[tuple[str, Points]]


def room_of(layout: str, seed: int) -> Room:
    return LAYOUTS.find(layout).build(stream(seed, layout), Palette(SUBJECT_HUES[seed]))


def surface_points(mesh: Mesh) -> Points:
    """Corners and inner points of every triangle, so that large ones cannot hide between their corners."""
    steps = [(a / 4, b / 4, (4 - a - b) / 4) for a in range(5) for b in range(5 - a)]
    return np.concatenate([np.einsum("i,tij->tj", np.array(share), mesh.points[mesh.faces]) for share in steps])


def inside(points: Points, low: tuple[float, ...], high: tuple[float, ...]) -> bool:
    return bool(((points > low) & (points < high)).all(axis=1).any())


@pytest.fixture(scope="module", params=itertools.product(ROOMS, SEEDS), ids=lambda pair: f"{pair[0]}-{pair[1]}")
def case(request: pytest.FixtureRequest) -> Case:
    room = room_of(*request.param)
    return Case(room, [(part.name, surface_points(part.mesh)) for part in room.parts])


def test_there_are_rooms_of_both_kinds() -> None:
    places = [LAYOUTS.find(name).place for name in ROOMS]
    assert places.count("indoor") >= 4
    assert places.count("outdoor") >= 4


class TestEveryRoom:
    def test_the_stage_is_free(self, case: Case) -> None:
        ahead = (0.0, case.room.eye[1], 0.0)
        for name, points in case.surfaces:
            assert not inside(points - ahead, (-1.8, 1.0, 0.012), (1.8, 3.75, 2.0)), name

    def test_the_floor_of_the_stage_is_level(self, case: Case) -> None:
        points = np.concatenate([points for _, points in case.surfaces])
        floor = points[(np.abs(points[:, :2]) < (1.8, 1.2)).all(axis=1) & (points[:, 2] < 0.5), 2]
        assert len(floor) > 1000
        assert np.abs(floor).max() < 1e-9

    def test_the_camera_can_move_about_the_eye(self, case: Case) -> None:
        for name, points in case.surfaces:
            assert not inside(points - case.room.eye, (-1.05, -0.4, -0.4), (1.05, 0.95, 1.1)), name

    def test_its_meshes_are_sound_and_few(self, case: Case) -> None:
        parts = case.room.parts
        for part in parts:
            assert np.isfinite(part.mesh.normals).all(), part.name
            assert np.linalg.norm(part.mesh.points, axis=1).max() < FURTHEST_M, part.name
        assert sum(len(part.mesh.faces) for part in parts) < MOST_TRIANGLES

    def test_its_words_can_be_read_aloud(self, case: Case) -> None:
        assert re.fullmatch(r"an? [a-z', ]+[a-z]", case.room.description)
        for name, _ in case.surfaces:
            assert re.fullmatch(r"|[a-zé ]+( \d+)?", name), name

    def test_its_eye_is_like_that_of_all_rooms(self, case: Case) -> None:
        assert np.abs(np.subtract(case.room.eye, (0.0, -2.5, 1.3))).max() <= 0.05 + 1e-9
        assert -8.5 <= case.room.pitch_deg <= -8.0

    def test_furniture_keeps_inside_the_walls(self, case: Case) -> None:
        shell = np.concatenate([part.mesh.points for part in case.room.parts if part.name in ("", "sky")])
        for name, points in case.surfaces:
            assert (points >= shell.min(axis=0) - 1e-6).all(), name
            assert (points <= shell.max(axis=0) + 1e-6).all(), name


@pytest.mark.parametrize("layout", ROOMS)
def test_other_seeds_give_other_rooms(layout: str) -> None:
    centres = {
        tuple(tuple(part.mesh.points.mean(axis=0).round(3)) for part in room_of(layout, seed).parts)
        for seed in (0, 1, 2)
    }
    assert len(centres) == 3


@pytest.mark.parametrize("layout", ROOMS)
@pytest.mark.parametrize("yaw_deg", COMPASS)
def test_every_direction_has_points_to_track(built: Built, layout: str, yaw_deg: float) -> None:
    world = built(layout, "ball", 0)
    grey = cv2.cvtColor(world.render(world.look(yaw_deg), 0.0).rgb, cv2.COLOR_RGB2GRAY)
    places = np.array([point.pt for point in cv2.SIFT_create(contrastThreshold=0.02).detect(grey, None)]).reshape(-1, 2)
    quarters = np.histogram(places[:, 0], 4, (0, grey.shape[1]))[0]
    assert len(places) >= LEAST_KEYPOINTS
    assert quarters.min() >= LEAST_IN_A_QUARTER, quarters
    assert 60 < grey.mean() < 200, "neither dark nor burnt out"


@pytest.mark.parametrize("layout", ROOMS)
def test_no_two_directions_look_alike(built: Built, layout: str) -> None:
    world = built(layout, "ball", 0)
    views = [world.render(world.look(yaw_deg), 0.0).rgb.astype(float) for yaw_deg in (0, 90, 180, -90)]
    for one, other in itertools.combinations(views, 2):
        assert np.abs(one - other).mean() > 20


def test_a_misspelt_layout_is_told_its_neighbour() -> None:
    with pytest.raises(UnknownName, match="did you mean parlour"):
        World(WorldSpec(layout="parlor", process="ball", seed=0))
