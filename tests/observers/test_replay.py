"""What the observer `replay` reads off real clips of the known world, beside what is known of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway import suites, truth
from lookaway.gates import GATES
from lookaway.generators.known_world import pictures
from lookaway.geometry.rounds import asked_phases
from lookaway.images import read_image
from lookaway.metrics import Case, find, rounds_of
from lookaway.observers import Look
from lookaway.observers.replay import Replay, replay
from lookaway.observers.replaying.scene import scene_of
from lookaway.outcomes import Abstain
from lookaway.readings.sight import sight_phases
from lookaway.records import Reference, Task, WorldSpec
from lookaway.store import Blobs
from lookaway.suites.known_world import draft, shot
from lookaway.video import SharedFrames, encode
from lookaway.worlds import world_of
from lookaway.worlds.reference import parsed
from lookaway.worlds.reference.story import Story
from tests.builders import task as any_task

BALL, GLASS = "parlour0_ball_left", "workshop1_filling_right"
CURTAIN, CARDBOARD, DARK, ASIDE, ITSELF = (
    "bedroom2_ice_curtain_R",
    "bedroom1_sliding_cardboard_L",
    "beach1_bowl_lights-off_R",
    "bedroom2_ball_other-view_L",
    "street0_patrol_by-itself_L",
)
OBSERVED = "market1_ice_head-turn_L_observed"
STREET = WorldSpec(layout="street", process="filling", seed=3, side="right", pace=0.4)  # goes on until the end
THREE = draft("a-suite", "1", shot(STREET, "three-rounds", "left"), id="three_rounds")


@pytest.fixture(scope="module")
def blobs(tmp_path_factory: pytest.TempPathFactory) -> Blobs:
    return Blobs(tmp_path_factory.mktemp("replay"))


@cache
def built(id: str, blobs: Blobs) -> tuple[Task, Reference]:
    known = [d for suite in ("diorama-mini", "diorama") for d in suites.find(suite).drafts()]
    drafts = {d.id: d for d in (*known, THREE)}
    task, reference, *_ = drafts[id].built(blobs)
    assert reference is not None
    return task, reference


@cache
def case(id: str, told: str, blobs: Blobs) -> Case:
    """A task's clip as a reference model tells it, encoded, decoded and observed."""
    task, reference = built(id, blobs)
    model, severity = parsed(told)
    size = (model.shape.width or task.width, model.shape.height or task.height)
    fps = model.shape.fps or task.fps
    seconds = np.arange(round(task.seconds * fps) + 1) / fps
    assert task.world is not None
    world = world_of(task.world, (task.width, task.height))
    hiding = task.model_copy(update={"phases": asked_phases(task)})  # in a twin, faults come about as in its task
    story = model.told(Story.true(hiding, world, seconds), severity, np.random.default_rng(0))
    video = Path(blobs.root) / f"{id}-{told}.mp4"
    encode(pictures(story, size, None), video, fps, crf=story.crf or 18)
    known = truth.load(reference, blobs.root)
    look = Look(SharedFrames.load(video), task, read_image(blobs.path(task.first_frame)), known)
    seen = replay(look)
    assert not isinstance(seen, Abstain), seen.reason
    return Case(task, known, {"replay": seen.arrays()}, {})


def value(name: str, given: Case) -> Any:
    return find(name).function(given)


@pytest.mark.parametrize("told", ["truth", "compressed", "jitter", "small-size", "fewer-frames", "late"])
@pytest.mark.parametrize("id", [BALL, GLASS])
def test_the_truth_and_its_harmless_variations_read_right(id: str, told: str, blobs: Blobs) -> None:
    given = case(id, told, blobs)
    assert GATES.get("left_view")(given) is None
    assert GATES.get("came_back")(given) is None
    assert value("clock_error", given) < 0.05
    assert value("return_place", given) < 0.02
    assert value("return_state", given) > 0.9
    assert value("return_identity", given) > 0.9
    assert value("return_count", given) < 0.1
    assert value("background_same", given) > 0.9
    assert value("cut", given) < 1.3


@pytest.mark.parametrize("id", [BALL, CURTAIN, DARK, ASIDE, ITSELF])
def test_phases_are_measured_in_the_video_to_a_few_frames(id: str, blobs: Blobs) -> None:
    given = case(id, "truth", blobs)
    true = given.task.phases
    measured = sight_phases(given)
    assert [i.phase for i in measured] == [i.phase for i in true]
    for mine, exact in zip(measured, true, strict=True):
        assert mine.start_s == pytest.approx(exact.start_s, abs=0.2)


def test_the_camera_is_recovered_wherever_it_goes(blobs: Blobs) -> None:
    given = case(ASIDE, "truth", blobs)
    seen, (_, world) = given.saw(Replay), given.known()
    true = np.linalg.inv(world.camera_to_world[0]) @ world.camera_to_world
    assert seen.trusted.mean() > 0.9
    away = np.linalg.norm(seen.pose[:, :3, 3] - true[:, :3, 3], axis=1)[seen.trusted]
    assert np.median(away) < 0.01


@pytest.mark.parametrize(("id", "clock"), [(BALL, 0.0), (GLASS, 0.0)])
def test_a_frozen_world_stands_at_zero(id: str, clock: float, blobs: Blobs) -> None:
    given = case(id, "frozen@1", blobs)
    assert value("world_clock", given) == pytest.approx(clock, abs=0.1)
    assert value("clock_error", given) > 0.3


def test_an_undone_world_runs_below_zero(blobs: Blobs) -> None:
    assert value("world_clock", case(BALL, "undone@0.5", blobs)) == pytest.approx(-0.5, abs=0.1)


def test_a_world_at_another_rate_keeps_its_own_time(blobs: Blobs) -> None:
    given = case(BALL, "slower", blobs)
    assert value("world_clock", given) == pytest.approx(1.0, abs=0.05)
    assert value("absolute_clock", given) == pytest.approx(0.8, abs=0.05)


@pytest.mark.parametrize("id", [BALL, ASIDE])
def test_a_displaced_subject_is_found_where_it_is(id: str, blobs: Blobs) -> None:
    given = case(id, "teleported@0.2", blobs)
    assert value("return_place", given) == pytest.approx(0.2, abs=0.04)
    assert value("return_identity", given) > 0.7


@pytest.mark.parametrize(
    ("told", "metric", "low", "high"),
    [
        ("vanished@1", "return_count", 0.9, 1.1),
        ("duplicated@1", "return_count", 0.5, 1.5),
        ("wrong-colour@0.5", "return_identity", -1.0, 0.6),
        ("ghost@0.6", "return_identity", -1.0, 0.75),
        ("background-melt@0.03", "background_same", -1.0, 0.6),
        ("other-room@2", "background_same", -1.0, 0.5),
        ("never-returns@1", "came_back", 0.0, 0.0),
        ("camera-drag@1", "left_view", 0.0, 0.2),
        ("under-rotated@0.5", "turn_share", 0.45, 0.55),
        ("static-camera", "turn_share", 0.0, 0.02),
        ("jump-cut@0.6", "cut", 2.0, 20.0),
    ],
)
def test_a_fault_shows_in_the_metric_that_must_notice_it(
    told: str, metric: str, low: float, high: float, blobs: Blobs
) -> None:
    assert low <= value(metric, case(BALL, told, blobs)) <= high


@pytest.mark.parametrize(
    ("id", "told"), [(CURTAIN, "gaping-cover@0.5"), (CARDBOARD, "gaping-cover@0.5"), (DARK, "dim-lights@0.25")]
)
def test_a_cover_that_does_not_cover_hides_nothing(id: str, told: str, blobs: Blobs) -> None:
    assert value("left_view", case(id, "truth", blobs)) > 0.85
    alarm = 1 - find("left_view").margin  # ice is clear: what shows of it counts in two frames of three
    assert value("left_view", case(id, told, blobs)) < alarm


@pytest.mark.parametrize("id", [CURTAIN, DARK])
def test_a_subject_that_grew_is_no_cover(id: str, blobs: Blobs) -> None:
    # clear ice looks much alike in any size; what matters is that it is looked at
    assert 0 < value("return_identity", case(id, "wrong-size@1.5", blobs)) < 0.98


def test_a_clip_that_looks_away_once_is_read_before_and_after(blobs: Blobs) -> None:
    seen = case(BALL, "truth", blobs).saw(Replay)
    assert set(seen.read_round) == {0, 1}
    assert (seen.late == (seen.read_round == 1)).all()
    assert set(seen.found_round) == set(seen.background_round) == {1}


@pytest.mark.every_world
@pytest.mark.parametrize(("told", "clock"), [("truth", 1.0), ("frozen@1", 0.0), ("undone@0.5", -0.5)])
def test_every_look_away_has_a_clock_of_its_own(told: str, clock: float, blobs: Blobs) -> None:
    given = case(THREE.id, told, blobs)
    metric = find("world_clock")
    rounds = [replace(given, round=number) for number in rounds_of(metric, given.task)]
    assert [metric.function(each) for each in rounds] == pytest.approx([clock] * 3, abs=metric.margin)
    for each in rounds:
        assert all(GATES.get(name)(each) is None for name in metric.gates)
        assert value("return_identity", each) > 0.9
        assert value("return_count", each) < 0.1
        assert value("background_same", each) > 0.9


@pytest.mark.every_world
def test_what_vanished_while_nobody_looked_is_missing_in_every_round(blobs: Blobs) -> None:
    given = case(THREE.id, "vanished@1", blobs)
    for number in (1, 2, 3):
        assert value("return_count", replace(given, round=number)) == pytest.approx(1.0, abs=0.1)


def test_an_observed_twin_reads_right_about_the_hidden_time_of_its_task(blobs: Blobs) -> None:
    given = case(OBSERVED, "truth", blobs)
    metric = find("world_clock")
    assert all(GATES.get(name)(given) is None for name in metric.gates)
    assert metric.function(given) == pytest.approx(1.0, abs=metric.margin)
    assert value("clock_error", given) < 0.05
    assert value("absolute_clock", given) == pytest.approx(1.0, abs=0.05)
    assert value("return_place", given) < 0.02
    assert value("return_state", given) > 0.9
    assert value("return_identity", given) > 0.9
    assert value("return_count", given) < 0.1
    assert value("background_same", given) > 0.9


@pytest.mark.parametrize(
    ("told", "metric", "low", "high"),
    [
        ("frozen@1", "world_clock", -0.1, 0.1),
        ("frozen@1", "clock_error", 0.3, 1.1),
        ("undone@0.5", "world_clock", -0.6, -0.4),
        ("teleported@0.2", "return_place", 0.16, 0.24),
        ("vanished@1", "return_count", 0.9, 1.1),
    ],
)
def test_what_goes_wrong_before_everybodys_eyes_shows_in_an_observed_twin(
    told: str, metric: str, low: float, high: float, blobs: Blobs
) -> None:
    assert low <= value(metric, case(OBSERVED, told, blobs)) <= high


def test_what_was_rendered_for_a_task_is_kept_as_it_was(
    blobs: Blobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOKAWAY_CACHE", str(tmp_path))
    task, reference = built(BALL, blobs)
    known = truth.load(reference, blobs.root)
    scene_of.cache_clear()
    rendered = scene_of(known, task)
    scene_of.cache_clear()
    with monkeypatch.context() as without_worlds:
        without_worlds.setattr("lookaway.worlds.world_of", None)
        kept = scene_of(known, task)
    for stand, again in zip(rendered.stands, kept.stands, strict=True):
        assert all(np.array_equal(array, again.arrays()[name]) for name, array in stand.arrays().items())
        assert np.array_equal(stand.shown, again.shown)
        assert (stand.shown[-1] != stand.shown[0]).any()  # the ball rolls: something is to be kept
    assert len(kept.points) == len(known.seconds)
    assert all(map(np.array_equal, rendered.points, kept.points))
    assert not np.array_equal(kept.points[0], kept.points[-1])
    monkeypatch.setattr("lookaway.worlds.world_of", None)
    with pytest.raises(TypeError):  # through another lens it is rendered anew
        scene_of(known, task.model_copy(update={"hfov_deg": task.hfov_deg + 1}))


def test_elsewhere_there_is_nothing_to_render(blobs: Blobs) -> None:
    task, reference = built(BALL, blobs)
    frames = SharedFrames.load(truth.load(reference, blobs.root).video)
    assert isinstance(replay(Look(frames, any_task(), read_image(blobs.path(task.first_frame)), None)), Abstain)
