"""Relational and causal changes: the state says what the picture shows, and opposites end apart."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from world_sight import Built

from lookaway.worlds import LAYOUTS, PROCESSES, World
from lookaway.worlds.colours import SUBJECT_HUES, Palette
from lookaway.worlds.mesh import pose
from lookaway.worlds.process import Process, ProcessStage
from lookaway.worlds.processes.dominoes import COUNT, YAW_DEG, domino_name
from lookaway.worlds.room import Room

CARRIED = {"pallet": "to_pallet_m", "book": "to_place_m"}
CAUSAL = {
    "switch": "share_lit",
    "dominoes": "mean_tilt_deg",
    "sprinkler": "jet_m",
    "seesaw": "tilt_deg",
    "balloon": "gas",
}
GROWING = {
    "peg": "depth_inserted_m",
    "rings": "slid_m",
    "book": "share_in_shelf",
    "dominoes": "fallen",
    "seesaw": "tilt_deg",
    **{name: CAUSAL[name] for name in ("switch", "sprinkler", "balloon")},
}
TIMES_S = np.linspace(0, 9, 46)


@cache
def room() -> Room:
    return LAYOUTS.find("parlour").build(np.random.default_rng(0), Palette(SUBJECT_HUES[0]))


@cache
def staged(process: str, seed: int = 0, opposite: bool = False) -> Process:
    """The process alone, which is much cheaper to build than a world to look at."""
    pytest.importorskip("mujoco")
    stage = ProcessStage(np.random.default_rng(seed), room(), Palette(SUBJECT_HUES[0]), opposite=opposite)
    return PROCESSES.find(process).build(stage)


def seen(world: World, second: float) -> npt.NDArray[np.bool_]:
    return world.subject_mask(world.glance(world.home, second))


def middle(world: World, second: float) -> npt.NDArray[np.float64]:
    """Mean row and column of the subject's pixels."""
    return np.argwhere(seen(world, second)).mean(axis=0)


def values(process: Process, name: str) -> npt.NDArray[np.float64]:
    return np.array([process.state(float(second))[name] for second in TIMES_S])


def heights(process: Process, second: float) -> npt.NDArray[np.float64]:
    """z of every vertex of the subject."""
    poses = process.poses(second)
    owned = [body.part for body in process.bodies if body.owner == process.subject and body.part.name in poses]
    return np.concatenate([part.mesh.moved(poses[part.name]).points[:, 2] for part in owned])


@pytest.mark.parametrize(("process", "name"), GROWING.items())
def test_the_state_only_grows_and_then_stays(process: str, name: str) -> None:
    grown = values(staged(process), name)
    assert (np.diff(grown) >= -1e-9).all()
    assert grown[0] < grown[-1]
    assert grown[-1] == grown[-2]


@pytest.mark.parametrize("process", sorted({*GROWING, *CARRIED}))
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_it_goes_on_from_the_start_past_4_s_and_has_ended_by_8_s(process: str, seed: int) -> None:
    known = staged(process, seed)
    assert known.state(0.0) != known.state(0.3)
    assert known.state(4.0) != known.state(4.3)
    assert known.state(8.0) == known.state(12.0)


@pytest.mark.parametrize(("process", "name"), CARRIED.items())
def test_what_is_carried_comes_nearer_at_an_even_pace(built: Built, process: str, name: str) -> None:
    world = built("workshop", process, 1)
    left = np.array([world.state(second)[name] for second in np.arange(0, 4.3, 0.5)])
    assert np.diff(left) == pytest.approx(np.diff(left)[0])
    assert middle(world, 8.0)[1] > middle(world, 2.0)[1] > middle(world, 0.0)[1]
    assert world.state(8.0)[name] == 0


def test_the_crate_stands_on_the_pallet_at_the_end() -> None:
    known = staged("pallet")
    assert known.state(0.0)["on_pallet"] == 0
    assert known.state(8.0)["on_pallet"] == 1
    slats = max(part.mesh.points[:, 2].max() for part in known.props.solid if part.name == "pallet")
    assert heights(known, 0.0).min() > slats + 0.3
    assert heights(known, 8.0).min() == pytest.approx(slats)


def test_the_peg_sinks_by_as_much_as_it_is_inserted(built: Built) -> None:
    known = staged("peg")
    inserted = known.state(3.0)["depth_inserted_m"] - known.state(0.0)["depth_inserted_m"]
    assert heights(known, 0.0).min() - heights(known, 3.0).min() == pytest.approx(inserted)
    rows = [middle(built("parlour", "peg", 0), second)[0] for second in (0.0, 1.5, 3.0, 4.5)]
    assert (np.diff(rows) > 0).all()


def test_rings_end_up_on_one_another(built: Built) -> None:
    world = built("workshop", "rings", 0)
    assert world.state(0.0)["stacked"] == 0
    assert world.state(8.0)["stacked"] == 5
    stack = heights(staged("rings"), 8.0)
    assert stack.max() - stack.min() == pytest.approx(world.state(8.0)["stack_m"])
    assert middle(world, 8.0)[0] > middle(world, 0.0)[0] + 20


def test_bulbs_shine_as_the_state_says(built: Built) -> None:
    world = built("parlour", "switch", 0)
    brightness = []
    for second in (0.0, 1.5, 3.0, 4.5, 6.5):
        view = world.render(world.home, second)
        brightness.append(float(view.rgb[world.subject_mask(view.instances)].mean()))
    lit = [world.state(second)["share_lit"] for second in (0.0, 1.5, 3.0, 4.5, 6.5)]
    assert np.corrcoef(brightness, lit)[0, 1] > 0.97
    assert lit[-1] == 1


def test_the_switch_is_thrown_before_most_bulbs_follow() -> None:
    for opposite in (False, True):
        known = staged("switch", opposite=opposite)
        assert known.state(0.0)["on"] == float(opposite)
        assert known.state(1.0)["on"] == float(not opposite)
        assert abs(known.state(1.0)["share_lit"] - known.state(0.0)["share_lit"]) < 0.3


def test_dominoes_fall_one_after_the_other() -> None:
    known = staged("dominoes")
    fallen = values(known, "fallen")
    assert fallen[0] == 0
    assert fallen[-1] == COUNT
    assert np.diff(fallen).max() <= 1
    assert heights(known, 8.0).max() < heights(known, 0.0).max() - 0.1


@pytest.mark.parametrize(("opposite", "towards"), [(False, 1), (True, -1)])
def test_dominoes_fall_away_from_the_end_that_is_pushed(opposite: bool, towards: int) -> None:
    known = staged("dominoes", opposite=opposite)
    upper_edge, along = [0.0, 0.0, 1.0, 0.0], pose(0, 0, 0, YAW_DEG)[:, 0]
    first, middle_one, last = (known.poses(8.0)[domino_name(number)] for number in (0, COUNT // 2, COUNT - 1))
    for leaning in (first, middle_one, last):
        assert towards * along @ leaning @ upper_edge > 0.8
    assert towards * along @ (first - last)[:, 3] < -1


def test_jets_are_as_high_as_the_state_says() -> None:
    known = staged("sprinkler")
    for second in (0.0, 2.0, 4.0):
        above = np.ptp(heights(known, second))
        assert above == pytest.approx(known.state(second)["jet_m"], abs=0.06)


def test_the_seesaw_turns_as_fast_as_its_brake_lets_it() -> None:
    """Worked by hand: the torque of (8 - 4) kg on an arm of 0.55 m, over a damping of 211 N m s, at any pace."""
    known = staged("seesaw")
    level_s = float(TIMES_S[np.argmax(values(known, "tilt_deg") > 0)])
    turned_deg = known.state(level_s + 0.2)["tilt_deg"] - known.state(level_s - 0.2)["tilt_deg"]
    assert np.deg2rad(turned_deg) / 0.4 == pytest.approx(4 * 9.81 * 0.55 / 211, rel=0.2)


def test_the_balloon_holds_as_much_as_its_radius_says(built: Built) -> None:
    world = built("parlour", "balloon", 0)
    volume = np.array([world.state(second)["radius_m"] ** 3 for second in (0.0, 1.0, 2.0, 4.0)])
    gas = np.array([world.state(second)["gas"] for second in (0.0, 1.0, 2.0, 4.0)])
    assert volume / gas == pytest.approx(volume[0] / gas[0])
    assert middle(world, 4.0)[0] < middle(world, 0.0)[0]
    assert seen(world, 4.0).mean() > 2 * seen(world, 0.0).mean()


@pytest.mark.parametrize(("process", "name"), CAUSAL.items())
def test_the_opposite_starts_and_ends_the_other_way_round(process: str, name: str) -> None:
    plain, other = staged(process), staged(process, opposite=True)
    assert plain.words.trigger != other.words.trigger
    assert plain.words.end != other.words.end
    if process != "dominoes":
        assert plain.state(0.0)[name] < plain.state(8.0)[name]
        assert other.state(0.0)[name] > other.state(8.0)[name]


def test_every_causal_change_names_its_trigger_and_has_an_opposite() -> None:
    for name in CAUSAL:
        traits = PROCESSES.find(name).traits
        assert traits.category == "causal change"
        assert traits.opposite
