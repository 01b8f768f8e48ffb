from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from world_sight import Built

from lookaway.records import WorldSpec
from lookaway.worlds import World
from lookaway.worlds.colours import SUBJECT_HUES, Palette
from lookaway.worlds.figures import ANKLE_M, SHIN_M, THIGH_M, Person, standing, walking
from lookaway.worlds.gait import Gait, Path
from lookaway.worlds.process import ProcessStage
from lookaway.worlds.room import LAYOUTS

STRAIGHT = Path([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)])
GAIT = Gait(0.7, 0.06, stop_m=2.0)
WALKERS = ("walker", "walk_and_sit")


def subject(world: World, second: float) -> npt.NDArray[np.bool_]:
    return world.subject_mask(world.glance(world.home, second))


def column(world: World, second: float) -> float:
    seen = subject(world, second)
    return float(np.nonzero(seen)[1].mean() / seen.shape[1])


def is_cut(seen: npt.NDArray[np.bool_]) -> bool:
    return bool(seen[[0, -1]].any() or seen[:, [0, -1]].any())


@pytest.fixture(scope="module")
def person() -> Person:
    palette = Palette(SUBJECT_HUES[0])
    room = LAYOUTS.find("parlour").build(np.random.default_rng(0), palette)
    return Person(ProcessStage(np.random.default_rng(0), room, palette))


@pytest.mark.parametrize("offset", [0.0, 0.5])
def test_a_foot_never_slides_while_it_is_on_the_ground(offset: float) -> None:
    steps = [GAIT.foot(walked, offset) for walked in np.linspace(0, GAIT.last_m, 800)]
    for before, after in itertools.pairwise(steps):
        if before.lift_m == after.lift_m == 0.0:
            assert before.along_m == pytest.approx(after.along_m, abs=1e-9)


def test_one_foot_is_always_on_the_ground() -> None:
    for walked in np.linspace(0, GAIT.last_m, 400):
        assert min(GAIT.foot(walked, offset).lift_m for offset in (0.0, 0.5)) == 0.0


def test_feet_move_without_a_jump_and_come_to_stand_side_by_side() -> None:
    for offset in (0.0, 0.5):
        along = [GAIT.foot(walked, offset).along_m for walked in np.linspace(0, GAIT.last_m, 2000)]
        assert np.abs(np.diff(along)).max() < 0.01
        assert along[-1] == pytest.approx(GAIT.stop_m)
    assert GAIT.body_m(GAIT.last_m) == pytest.approx(GAIT.stop_m)


def test_a_closed_path_has_no_seam() -> None:
    ring = Path([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)], closed=True)
    assert ring.at(ring.length - 1e-6) == pytest.approx(ring.at(0.0), abs=1e-4)
    assert ring.heading_deg(1e-6) == pytest.approx(ring.heading_deg(ring.length - 1e-6), abs=3)


def test_bones_keep_their_length_and_hold_together(person: Person) -> None:
    for walked in np.linspace(0, GAIT.last_m, 60):
        poses = person.poses(walking(STRAIGHT, GAIT, float(walked)))
        for side in ("left", "right"):
            thigh, shin, shoe = (poses[f"person {side} {bone}"] for bone in ("thigh", "shin", "shoe"))
            knee = (thigh @ [0, 0, -THIGH_M, 1])[:3]
            assert knee == pytest.approx(shin[:3, 3], abs=1e-6)
            assert (shin @ [0, 0, -SHIN_M, 1])[:3] == pytest.approx(shoe[:3, 3], abs=0.012)


def test_a_standing_person_stands_on_the_floor(person: Person) -> None:
    poses = person.poses(standing(np.zeros(2), 0.0))
    points = [body.part.mesh.moved(poses[body.part.name]).points for body in person.bodies]
    assert np.concatenate(points)[:, 2].min() == pytest.approx(0.0, abs=1e-6)
    assert 1.3 < np.concatenate(points)[:, 2].max() < 1.55
    assert poses["person left shoe"][2, 3] == pytest.approx(ANKLE_M)


@pytest.mark.parametrize("process", WALKERS)
def test_a_walker_gets_on_evenly_and_the_picture_shows_it(built: Built, process: str) -> None:
    world = built("parlour", process, 0)
    early = np.diff([world.state(second)["travelled_m"] for second in np.linspace(0, 1.5, 7)])
    assert early == pytest.approx(early[0], rel=0.02)
    times = np.linspace(0, 2, 5)
    ways = [world.state(second)["travelled_m"] for second in times]
    assert np.corrcoef(ways, [column(world, second) for second in times])[0, 1] > 0.99


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_walker_ends_on_the_other_side_with_its_head_in_view(side: str) -> None:
    world = World(WorldSpec(layout="workshop", process="walker", seed=1, side=side))
    assert (column(world, 0.0) < 0.4) == (side == "left")
    assert (column(world, 6.0) > 0.6) == (side == "left")
    for second in (0.0, 6.0, 12.0):
        seen = subject(world, second)
        assert not is_cut(seen)


def test_the_dog_is_half_round_at_six_seconds_and_goes_on(built: Built) -> None:
    world = built("workshop", "circling", 1)
    assert world.state(6.0)["rounds"] == pytest.approx(0.5, abs=0.08)
    assert world.state(30.0)["rounds"] > 2
    assert column(world, 0.0) < 0.46 < 0.54 < column(world, 6.0)


def test_hips_sink_on_to_the_seat_while_the_shoes_stay(built: Built) -> None:
    world = built("parlour", "sitting", 0)
    tops = [np.flatnonzero(subject(world, second).any(axis=1)).min() for second in (0.0, 3.0, 7.0)]
    assert tops[0] < tops[1] <= tops[2] + 1
    early, late = (world.subject_points(second) for second in (0.0, 7.0))
    shoes = early[:, 2] < 0.02
    assert late[shoes] == pytest.approx(early[shoes], abs=1e-9)
    assert late[:, 2].max() < early[:, 2].max() - 0.2
    assert world.state(7.0)["seated"] == 1.0


def test_arms_rise_evenly_and_the_flags_end_above_the_shoulders(built: Built) -> None:
    world = built("parlour", "waving", 0)
    angles = np.array([world.state(second)["arm_deg"] for second in np.linspace(0, 4, 9)])
    assert np.diff(angles) == pytest.approx(np.diff(angles)[0])
    tops = [np.flatnonzero(subject(world, second).any(axis=1)).min() for second in (0.0, 6.0)]
    assert tops[1] < tops[0]


@pytest.mark.parametrize(("layout", "seed", "side"), [("parlour", 0, "left"), ("workshop", 1, "right")])
def test_the_patrol_leaves_the_view_for_a_second_and_is_back_in_time(layout: str, seed: int, side: str) -> None:
    world = World(WorldSpec(layout=layout, process="patrol", seed=seed, side=side))
    away = [not subject(world, second).any() for second in np.arange(1.5, 4.5, 0.1)]
    assert sum(away) >= 10
    for second in (0.0, 5.2, 5.9, 6.5):
        seen = subject(world, second)
        assert seen.mean() > 0.008
        assert not is_cut(seen), second


def test_the_one_who_walks_sits_down_only_after_arriving(built: Built) -> None:
    world = built("parlour", "walk_and_sit", 0)
    states = [world.state(second) for second in np.linspace(0, 8, 81)]
    arrived = max(state["travelled_m"] for state in states)
    assert all(state["travelled_m"] == pytest.approx(arrived, abs=0.02) for state in states if state["seated"] > 0)
    assert states[0]["seated"] == 0.0
    assert states[-1]["seated"] == 1.0
