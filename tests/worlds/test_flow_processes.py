"""What burns, melts, runs, rolls, swings, sinks, slides and drives follows its own law, and the picture shows it."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from world_sight import Built, mask

from lookaway.worlds import LAYOUTS, PROCESSES, World
from lookaway.worlds.colours import SUBJECT_HUES, Palette
from lookaway.worlds.process import Process, ProcessStage
from lookaway.worlds.room import Room

TIMES = np.linspace(0, 8, 17)
PALETTE = Palette(SUBJECT_HUES[0])


@cache
def parlour() -> Room:
    return LAYOUTS.find("parlour").build(np.random.default_rng(0), PALETTE)


@cache
def alone(process: str, seed: int = 0) -> Process:
    """The process without a picture, which is much cheaper than a world."""
    pytest.importorskip("mujoco")
    return PROCESSES.find(process).build(ProcessStage(np.random.default_rng(seed), parlour(), PALETTE))


def states(source: Process | World, name: str, times: npt.NDArray[np.float64] = TIMES) -> npt.NDArray[np.float64]:
    return np.array([source.state(float(second))[name] for second in times])


def subject_points(process: Process, second: float) -> npt.NDArray[np.float64]:
    poses = process.poses(second)
    bodies = [body.part for body in process.bodies if body.owner == process.subject and body.part.name in poses]
    return np.concatenate([part.mesh.moved(poses[part.name]).points for part in bodies])


def top_row(world: World, second: float, name: str) -> int:
    return int(np.flatnonzero(mask(world, world.render(world.home, second), name).any(axis=1)).min())


def seen_share(world: World, second: float) -> float:
    """Share of the subject's vertices inside the first view."""
    points = world.subject_points(second)
    local = (points - world.home[:3, 3]) @ world.home[:3, :3]
    pixels = local[:, :2] / local[:, 2:] * world.intrinsics[0, 0] + world.intrinsics[:2, 2]
    return float(((pixels > 0) & (pixels < 2 * world.intrinsics[:2, 2])).all(axis=1).mean())


@pytest.mark.parametrize(
    ("process", "name", "sign"),
    [
        ("candle", "height_m", -1),
        ("ice", "size", -1),
        ("sand", "height_m", 1),
        ("yarn", "travelled_m", 1),
        ("yarn", "radius_m", -1),
        ("conveyor", "travelled_m", 1),
        ("parachute", "height_m", -1),
        ("sliding", "travelled_m", 1),
        ("train", "travelled_m", 1),
    ],
)
@pytest.mark.parametrize("seed", range(4))
def test_state_runs_one_way_is_under_way_at_4_s_and_comes_to_rest(
    process: str, name: str, sign: int, seed: int
) -> None:
    going = alone(process, seed)
    assert (sign * np.diff(states(going, name)) >= -1e-4).all()
    start, early, later, after, late, last = states(going, name, np.array([0, 1, 4, 4.2, 9, 12]))
    whole = sign * (last - start)
    assert sign * (early - start) > 0.09 * whole
    assert sign * (after - later) > 0.01 * whole
    assert late == pytest.approx(last, abs=1e-3)


@pytest.mark.parametrize(("process", "body", "name"), [("candle", "candle rim", "height_m"), ("ice", "lolly", "size")])
def test_top_of_the_mask_sinks_with_the_state(built: Built, process: str, body: str, name: str) -> None:
    world = built("parlour", process, 0)
    times = np.linspace(0, 4, 9)
    rows = [top_row(world, second, body) for second in times]
    assert np.corrcoef(rows, states(world, name, times))[0, 1] < -0.99


def test_flame_goes_out_with_the_last_of_the_wax(built: Built) -> None:
    world = built("parlour", "candle", 0)
    for second in (1.0, 8.0):
        assert mask(world, world.render(world.home, second), "flame").any() == (world.state(second)["burning"] == 1)
    assert world.state(8.0)["burning"] == 0


def test_the_puddle_takes_up_what_melts_off_the_lolly() -> None:
    lolly = alone("ice")
    for second in (1.0, 2.5, 4.0):
        poses = lolly.poses(second)
        frozen, area = np.linalg.det(poses["lolly"][:3, :3]), poses["puddle"][0, 0] ** 2
        assert 1 - area == pytest.approx(0.88 * frozen)


def test_sand_is_neither_made_nor_lost() -> None:
    sand = alone("sand")
    for second in (0.0, 2.0, 6.0):
        volume = {name: np.linalg.det(place[:3, :3]) for name, place in sand.poses(second).items()}
        assert volume["sand"] + volume["sand in funnel"] == pytest.approx(1.0)
        assert volume["sand"] == pytest.approx(sand.state(second)["fallen_share"])
    assert np.ptp(np.diff(states(sand, "fallen_share", np.linspace(0, 4, 9)))) < 1e-9


def test_the_mask_shows_the_heap_grow(built: Built) -> None:
    world = built("parlour", "sand", 0)
    times = np.linspace(0, 4, 9)
    rows = [top_row(world, second, "sand") for second in times]
    assert np.corrcoef(rows, states(world, "height_m", times))[0, 1] < -0.98


def test_yarn_rolls_without_slipping_while_its_radius_shrinks() -> None:
    yarn = alone("yarn")
    fine = np.linspace(0, 4, 401)
    way, radius, turned = (states(yarn, name, fine) for name in ("travelled_m", "radius_m", "turned_deg"))
    rolled = np.sum(np.diff(np.deg2rad(turned)) * (radius[1:] + radius[:-1]) / 2)
    assert rolled == pytest.approx(way[-1], rel=1e-3)


def test_pendulum_keeps_the_period_of_its_length_and_only_loses_energy() -> None:
    pendulum = alone("pendulum")
    fine = np.linspace(0, 12, 2401)
    angle, rate = (np.deg2rad(states(pendulum, name, fine)) for name in ("angle_deg", "rate_deg_s"))
    bob = subject_points(pendulum, 0.0)
    length = np.ptp([bob[:, 2].min() + 0.2, bob[:, 2].max()]) / np.cos(angle[0])
    energy = rate**2 / 2 - 9.81 / length * np.cos(angle)
    assert (np.diff(energy[::40]) < 0.02).all()
    assert energy[-1] < energy[0]
    rising = fine[1:][(angle[:-1] < 0) & (angle[1:] >= 0)]
    assert np.diff(rising).mean() == pytest.approx(2 * np.pi * np.sqrt(length / 9.81), rel=0.03)


@pytest.mark.parametrize("seed", range(6))
def test_pendulum_is_on_the_other_side_after_6_s(seed: int) -> None:
    pendulum = alone("pendulum", seed)
    assert pendulum.state(0.0)["angle_deg"] < -20
    assert pendulum.state(6.0)["angle_deg"] > 8


def test_parachute_sinks_evenly_and_its_canopy_settles_over_the_crate() -> None:
    parachute = alone("parachute")
    sinking = np.diff(states(parachute, "height_m", np.linspace(0, 3.5, 8)))
    assert np.ptp(sinking) < 0.05 * abs(sinking.mean())
    assert parachute.state(12.0)["height_m"] == pytest.approx(0.0, abs=0.005)
    assert parachute.state(12.0)["skirt_m"] == pytest.approx(0.0, abs=0.02)
    assert subject_points(parachute, 12.0)[:, 2].min() > -0.02


def test_sledge_gains_no_more_speed_than_its_descent_allows() -> None:
    sledge = alone("sliding")
    times = np.linspace(0, 9, 46)
    speed = states(sledge, "speed", times)
    height = np.array([subject_points(sledge, second)[:, 2].min() for second in times])
    energy = speed**2 / 2 + 9.81 * height
    assert (np.diff(energy) < 0.01).all()
    assert speed[-1] == pytest.approx(0.0, abs=0.02)
    assert height.min() > -0.03


@pytest.mark.parametrize("seed", [0, 1])
def test_train_leaves_the_view_and_comes_back(built: Built, seed: int) -> None:
    world = built("parlour", "train", seed)
    times = np.linspace(0, 12, 481)
    seen = np.array([seen_share(world, float(second)) for second in times])
    hidden = times[seen == 0]
    assert hidden.min() > 1.5
    assert hidden.max() < 4.0
    assert np.ptp(hidden) > 1.1
    assert seen[0] == 1
    assert (seen[times >= 5.0] == 1).all()


def test_vehicles_of_the_train_keep_their_distance() -> None:
    for second in np.linspace(0, 8, 17):
        poses = alone("train").poses(float(second))
        middles = [poses[name][:2, 3] for name in ("train", "first wagon", "second wagon")]
        gaps = np.linalg.norm(np.diff(middles, axis=0), axis=1)
        assert gaps == pytest.approx(0.2, abs=0.01)
