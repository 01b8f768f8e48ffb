"""Reference models: each does what it declares, from the moment it declares, and nothing else."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, cast

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.builders import task as plain_task

from lookaway import models
from lookaway.errors import GenerationError, UnknownName, UsageError
from lookaway.generators import Commission
from lookaway.generators.known_world import TruePictures, _true_pictures, known_world, pictures
from lookaway.records import Interval, Task, WorldSpec
from lookaway.store import Blobs
from lookaway.suites import find
from lookaway.suites.known_world import build_known_world
from lookaway.video import resize
from lookaway.worlds import World, world_of
from lookaway.worlds.covers import Cover
from lookaway.worlds.reference import REFERENCE, ReferenceModel, parsed
from lookaway.worlds.reference.filming import StoryFrame
from lookaway.worlds.reference.harmless import retimed
from lookaway.worlds.reference.story import Story, affine, shifted
from lookaway.worlds.world import STAYS, Staging

pytest.importorskip("mujoco")
pytest.importorskip("embreex")

SIZE = (160, 90)
TASKS = {
    "moves": ("diorama-mini", "parlour0_ball_left"),
    "changes": ("diorama-mini", "kitchen0_cup_left"),
    "cover": ("diorama", "beach1_candle_cardboard_R"),
    "lights": ("diorama", "workshop0_yarn_lights-off_L"),
    "by-itself": ("diorama", "kitchen0_train_by-itself_L"),
    "rounds": ("diorama", "beach2_conveyor_two-rounds_L"),
}
FAULTS = [name for name in REFERENCE.names() if REFERENCE.find(name).kind == "fault"]
HARMLESS = [name for name in REFERENCE.names() if REFERENCE.find(name).kind == "harmless"]
OTHER_RATE = {"fewer-frames", "more-frames"}
WHOLE_PICTURE = {"blurred", "noisy", "brighter", "darker", "colour-cast", "relit", "other-renderer"}
WHOLE_PICTURE |= {"strong-blur", "shifted-view", "low-light"}
WHILE_SEEN = {
    "static-camera",
    "under-rotated",
    "jump-cut",
    "camera-drag",
    "never-triggered",
    "slowed",
    "dim-lights",
    "gaping-cover",
}
NOTICED = 0.15  # mean difference in display values: a twentieth of a subject that covers a hundredth of the picture
RESTING = 10  # frames at the end, when every camera is back
COARSE = (20, 11)  # so small that a few pixels of motion hardly matter


@dataclass(frozen=True)
class Filmed:
    task: Task
    world: World
    true: TruePictures


@cache
def built(kind: str) -> Filmed:
    suite, id = TASKS[kind]
    draft = next(draft for draft in find(suite).drafts() if draft.id == id)
    blobs = Blobs(Path(mkdtemp()))
    task, reference, _ = build_known_world(draft, blobs, SIZE)
    assert reference is not None
    true = _true_pictures(blobs.path(reference.video), task)
    assert true is not None
    assert task.world is not None
    return Filmed(task, world_of(task.world, SIZE), true)


@cache
def told(kind: str, name: str) -> Story:
    task = built(kind).task
    model, severity = parsed(name)
    rng = np.random.default_rng([0, zlib.crc32(task.id.encode())])
    fps = model.shape.fps or task.fps
    seconds = np.arange(round(task.seconds * fps) + 1) / fps
    return model.told(Story.true(task, built(kind).world, seconds), severity, rng)


@cache
def shown(kind: str, name: str) -> NDArray[np.uint8]:
    return np.stack(list(pictures(told(kind, name), SIZE, built(kind).true)))


def difference(kind: str, name: str) -> NDArray[np.float64]:
    """Mean difference from the truth, frame by frame."""
    return np.asarray(np.abs(shown(kind, name).astype(float) - shown(kind, "truth")).mean(axis=(1, 2, 3)))


def needs_model(name: str, kind: str) -> ReferenceModel:
    model = REFERENCE.find(name)
    if why := model.applies(built(kind).task):
        pytest.skip(why)
    return model


def rungs(name: str) -> list[str]:
    return [f"{name}@{rung:g}" for rung in REFERENCE.find(name).ladder]


# ---------------------------------------------------------------- what is declared


@pytest.mark.parametrize("name", REFERENCE.names())
def test_a_reference_model_says_what_it_is(name: str) -> None:
    model = REFERENCE.find(name)
    assert model.summary
    assert model.version >= 1
    if model.ladder:
        steps = np.diff(model.ladder)
        assert len(model.ladder) % 2 == 1
        assert (steps > 0).all() or (steps < 0).all()
        assert model.unit
        assert model.plain in model.ladder
    if model.kind == "fault":
        assert model.fails
        assert not set(model.fails) & set(model.keeps)
    else:
        assert not model.fails
        assert not model.ladder


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_declares_metrics_that_exist(name: str) -> None:
    from lookaway.metrics import METRICS

    known = {metric.name for metric in METRICS.all().values()}
    assert {*REFERENCE.find(name).fails, *REFERENCE.find(name).keeps} <= known


def test_every_rung_has_a_card_of_its_own() -> None:
    card = models.load("teleported@0.2")
    assert card.name == "teleported@0.2"
    assert card.settings["severity"] == 0.2
    assert models.load("teleported").settings == card.settings  # the bare name means the middle
    assert models.load("frozen").settings["severity"] == 1.0
    assert models.load("vanished").settings["severity"] == 1.0
    assert (models.load("other-size").width, models.load("other-size").height) == (480, 270)
    assert {"frozen", "held-first-frame", "blurred"} <= set(models.names())


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("teleportd", UnknownName, "did you mean teleported"),
        ("teleported@far", UsageError, "'far' is not a number; write teleported@0.05"),
        ("teleported@", UsageError, "is not a number"),
        ("blurred@0.5", UsageError, "'blurred' has no severity; write the name alone"),
        ("static-camera@0.5", UsageError, "'static-camera' has no severity"),
    ],
)
def test_a_card_that_cannot_be_made_says_why(name: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        models.load(name)


def test_a_task_that_cannot_show_a_fault_says_why() -> None:
    ball, cup = built("moves").task, built("changes").task
    assert REFERENCE.find("wrong-state").applies(ball) == "the subject's state does not change"
    assert REFERENCE.find("wrong-state").applies(cup) == ""
    assert REFERENCE.find("dim-lights").applies(ball) == "no lights go out"
    assert REFERENCE.find("static-camera").applies(built("cover").task) == "the camera does not move"
    assert REFERENCE.find("frozen").applies(ball.model_copy(update={"phases": ()})) == (
        "the subject is never out of view and back"
    )
    assert REFERENCE.find("frozen").applies(plain_task()) == "not a task of the known world"


def test_what_has_ended_cannot_be_skipped_and_what_floats_cannot_sink() -> None:
    ball = built("moves").task
    assert ball.world is not None
    late = tuple(
        Interval(phase=phase, start_s=start, end_s=end)
        for phase, start, end in (("visible", 0.0, 1.0), ("hidden", 1.0, 18.0), ("returned", 18.0, 19.0))
    )
    skipped, sunk = REFERENCE.find("skipped-ahead"), REFERENCE.find("sunk")
    assert skipped.applies(ball) == ""
    ended = "the process has ended, or soon will have, when the view returns"
    assert skipped.applies(ball.model_copy(update={"phases": late})) == ended
    aloft = ball.model_copy(update={"world": ball.world.model_copy(update={"process": "balloon"})})
    assert (sunk.applies(ball), sunk.applies(aloft)) == ("", "the subject is in the air")


def test_the_generator_refuses_what_a_task_cannot_show(tmp_path: Path) -> None:
    task = built("moves").task

    class Posed(Commission):
        def trajectory(self) -> Any:
            return object()

    nothing = cast(Any, None)
    commission = Posed(nothing, nothing, task, models.load("dim-lights"), tmp_path, nothing)
    with pytest.raises(GenerationError, match="cannot show 'dim-lights': no lights go out"):
        known_world(commission)


# ---------------------------------------------------------------- what is shown


@pytest.mark.parametrize("kind", TASKS)
@pytest.mark.parametrize("name", sorted({*REFERENCE.names()} - WHOLE_PICTURE))
def test_the_first_frame_is_the_true_one(name: str, kind: str) -> None:
    needs_model(name, kind)
    story, true = told(kind, name), told(kind, "truth")
    first, own = StoryFrame.of(story, 0), StoryFrame.of(true, 0)
    assert (first.key, first.subject, first.setting, story.paints[0]) == (own.key, own.subject, own.setting, ())


@pytest.mark.parametrize("kind", TASKS)
@pytest.mark.parametrize("name", sorted({*FAULTS} - WHILE_SEEN))
def test_what_goes_wrong_unseen_leaves_the_visible_part_alone(name: str, kind: str) -> None:
    needs_model(name, kind)
    story, true = told(kind, name), told(kind, "truth")
    for index in np.flatnonzero(~true.hidden & ~true.returned):
        first, own = StoryFrame.of(story, index), StoryFrame.of(true, index)
        assert (first.key, first.subject, first.setting) == (own.key, own.subject, own.setting)
        assert not story.paints[index]


@pytest.mark.parametrize("kind", ["moves", "changes"])
@pytest.mark.parametrize("name", sorted({*FAULTS} - {"jump-cut"}))
def test_a_fault_shows_at_the_middle_rung(name: str, kind: str) -> None:
    model = needs_model(name, kind)
    story = told(kind, "truth")
    seen = story.returned | story.hidden if model.fails[0] in ("left_view", "turn_share") else story.returned
    assert difference(kind, name if model.middle is None else f"{name}@{model.middle:g}")[seen].mean() > NOTICED


@pytest.mark.parametrize(("kind", "name"), [("cover", "gaping-cover"), ("lights", "dim-lights")])
def test_a_cover_that_fails_leaves_the_subject_in_view(kind: str, name: str) -> None:
    story = told(kind, name)
    for index in np.flatnonzero(story.hidden):
        assert StoryFrame.of(story, index).mask().sum() > 20, f"frame {index}"
    assert not any(
        StoryFrame.of(told(kind, "truth"), index).mask().sum() > 20 for index in np.flatnonzero(story.hidden)
    )


@pytest.mark.parametrize("kind", ["by-itself", "rounds", "cover"])
@pytest.mark.parametrize("name", ["teleported", "duplicated", "vanished", "wrong-size", "wrong-colour", "ghost"])
def test_a_fault_shows_however_the_subject_was_hidden(name: str, kind: str) -> None:
    story = told(kind, name)
    last = int(np.flatnonzero(story.returned)[-1])
    true, wrong = StoryFrame.of(told(kind, "truth"), last), StoryFrame.of(story, last)
    assert (wrong.key, wrong.subject) != (true.key, true.subject) or story.paints[last]


GROWS = ["frozen", "floating", "wrong-colour", "wrong-shape", "wrong-size", "ghost", "vanished", "duplicated"]
GROWS += ["background-melt", "wrong-place", "under-rotated", "never-returns", "faded-memory", "slowed"]


@pytest.mark.parametrize(
    ("name", "kind"), [*((name, "changes") for name in (*GROWS, "other-room")), ("frozen", "moves")]
)
def test_a_worse_fault_differs_more(name: str, kind: str) -> None:
    needs_model(name, kind)
    grown = [float(difference(kind, rung).mean()) for rung in rungs(name)]
    assert grown[-1] > grown[0]
    assert all(later > 0.85 * earlier for earlier, later in pairwise(grown))


@pytest.mark.parametrize("name", sorted({*HARMLESS} - OTHER_RATE - {"other-renderer"}))
def test_a_harmless_variation_is_nearer_to_the_truth_than_another_room(name: str) -> None:
    true, harmless, other = (
        np.stack([resize(frame, COARSE) for frame in shown("changes", one)[-RESTING:]]).ravel()
        for one in ("truth", name, "other-room@1")
    )
    assert np.corrcoef(true, harmless)[0, 1] > 0.85 > np.corrcoef(true, other)[0, 1]


def test_the_other_renderer_shows_the_same_world() -> None:
    from lookaway.worlds.extras import need

    if not hasattr(need("mujoco"), "GLContext"):
        pytest.skip("no OpenGL")
    story = told("changes", "other-renderer")
    last = len(story.seconds) - 1
    drawn, traced = StoryFrame.of(story, last), StoryFrame.of(told("changes", "truth"), last)
    assert np.abs(drawn.view().rgb.astype(float) - traced.view().rgb).mean() < 30
    assert (drawn.mask() & traced.mask()).sum() > 0.9 * traced.mask().sum()


@pytest.mark.parametrize(("name", "fps"), [("fewer-frames", 12.0), ("more-frames", 24.0)])
def test_another_rate_shows_the_same_seconds(name: str, fps: float) -> None:
    story = told("changes", name)
    assert models.load(name).fps == fps
    quarter = round(0.25 * fps)
    known = built("changes").true
    found = [known.found(StoryFrame.of(story, index)) is not None for index in range(0, len(story.seconds), quarter)]
    assert all(found)


# ---------------------------------------------------------------- one by one


def test_the_static_camera_stays() -> None:
    frames, kind = shown("changes", "static-camera"), "changes"
    assert np.allclose(told(kind, "static-camera").poses, np.eye(4))
    corner = frames[:, :20, :20].astype(float)
    assert np.abs(corner - corner[0]).mean() < 1.5


@pytest.mark.parametrize("kind", ["moves", "cover", "rounds"])
def test_a_retrieved_view_is_the_last_one_and_goes_on_from_there(kind: str) -> None:
    story = told(kind, "retrieval-memory")
    away = story.hidden_times[0]
    back = int(np.flatnonzero(story.seconds >= away.end_s)[0])
    assert away.start_s - 0.6 < story.process_s[back] < away.start_s
    assert np.diff(story.process_s[back : back + 3]) == pytest.approx(np.diff(story.seconds[back : back + 3]))
    assert story.subject == told(kind, "truth").subject


def test_a_faded_memory_changes_the_subject_and_spares_its_place() -> None:
    true, story = told("changes", "truth"), told("changes", "faded-memory@0.25")
    last = int(np.flatnonzero(true.returned)[-1])
    near = cv2.dilate(StoryFrame.of(true, last).mask().astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    change = np.abs(shown("changes", "faded-memory@0.25")[last].astype(float) - shown("changes", "truth")[last]).mean(2)
    assert change[near].mean() > 10
    assert change[~near].max() == 0
    assert story.process_s == pytest.approx(true.process_s)


def test_a_slowed_world_is_half_as_far_at_every_moment() -> None:
    true, story = told("changes", "truth"), told("changes", "slowed@0.5")
    assert story.process_s == pytest.approx(true.process_s / 2)


def test_a_teleported_subject_stands_aside_by_the_share_it_is_told_to() -> None:
    true, story = told("changes", "truth"), told("changes", "teleported@0.2")
    places = [
        np.flatnonzero(StoryFrame.of(one, true.back).mask().any(axis=0)).mean() / SIZE[0] for one in (true, story)
    ]
    assert abs(places[1] - places[0]) == pytest.approx(0.2, abs=0.03)


def test_a_double_stands_beside_the_subject() -> None:
    true, story = told("changes", "truth"), told("changes", "duplicated@1")
    areas = [StoryFrame.of(one, true.back).mask().sum() for one in (true, story)]
    assert areas[1] == pytest.approx(2 * areas[0], rel=0.2)


def test_a_subject_that_is_gone_leaves_the_empty_room() -> None:
    story = told("changes", "vanished")
    shot = StoryFrame.of(story, story.back)
    assert not shot.mask().any()
    assert np.array_equal(shot.view().rgb, shot.empty())


def test_in_another_room_the_subject_stays_where_it_is() -> None:
    true, story = told("changes", "truth"), told("changes", "other-room@3")
    masks = [StoryFrame.of(one, true.back).mask() for one in (true, story)]
    assert (masks[0] & masks[1]).sum() > 0.95 * masks[0].sum()


def test_a_dragged_subject_keeps_its_place_in_the_picture() -> None:
    story = told("changes", "camera-drag@1")
    away = int(np.flatnonzero(story.hidden)[len(np.flatnonzero(story.hidden)) // 2])
    at_home = story.world.render(story.world.home, float(story.seconds[away]))
    dragged = StoryFrame.of(story, away).mask()
    resting = story.world.subject_mask(at_home.instances)
    assert (dragged & resting).sum() > 0.9 * resting.sum()


def test_what_stood_still_unseen_is_met_on_the_way_back() -> None:
    story = told("moves", "frozen")
    late = [index for index in np.flatnonzero(story.hidden) if StoryFrame.of(story, index).mask().any()]
    assert late, "the ball has not moved on, so the camera must meet it before the true one"
    assert min(late) > np.flatnonzero(story.hidden).mean()


def test_frames_that_the_true_clip_has_are_not_rendered_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rendered = []
    plain = World.render

    def counted(self: World, *args: Any, **named: Any) -> Any:
        rendered.append(args)
        return plain(self, *args, **named)

    monkeypatch.setattr(World, "render", counted)
    for name, most in (("truth", 0), ("small-size", 0), ("vanished", told("changes", "truth").returned.sum())):
        story = told("changes", name)
        rendered.clear()
        assert len(list(pictures(story, SIZE, built("changes").true))) == len(story.seconds)
        assert len(rendered) <= most


# ---------------------------------------------------------------- clocks, worked by hand


def clock(name: str, phases: tuple[tuple[float, float], ...] = ((1.0, 3.0),), total_s: float = 5.0) -> Story:
    """A clip at one frame per second whose subject is hidden in those intervals, as that model tells it."""
    intervals: list[Interval] = [Interval(phase="visible", start_s=0, end_s=phases[0][0])]
    for (start, end), then in zip(phases, [*(start for start, _ in phases[1:]), total_s + 1], strict=True):
        intervals.append(Interval(phase="hidden", start_s=start, end_s=end))
        intervals.append(Interval(phase="returned", start_s=end, end_s=then))
    spec = WorldSpec(layout="parlour", process="ball", seed=0)
    task = plain_task(
        id="a", camera="hold@1s, yaw:left:90@1s, yaw:right:90@1s, hold@9s", seconds=total_s, fps=1.0, world=spec
    )
    model, severity = parsed(name)
    whole = Story.true(task.model_copy(update={"phases": tuple(intervals)}), cast(Any, None), np.arange(total_s + 1))
    return model.told(whole, severity, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("name", "process_s"),
    [
        ("truth", [0, 1, 2, 3, 4, 5]),
        ("frozen@1", [0, 1, 1, 1, 2, 3]),
        ("frozen@0.5", [0, 1, 1, 2, 3, 4]),
        ("reset@1", [0, 1, 0, 0, 1, 2]),
        ("reset@0.5", [0, 1, 0.5, 1.5, 2.5, 3.5]),
        ("undone@0.5", [0, 1, 0.5, 0, 1, 2]),
        ("undone@1", [0, 1, 0, 0, 1, 2]),
        ("skipped-ahead@1", [0, 1, 3, 5, 6, 7]),
        ("never-triggered@0.4", [0, 0, 0, 1, 2, 3]),
        ("slower", [0, 0.8, 1.6, 2.4, 3.2, 4]),
    ],
)
def test_a_clock_goes_as_it_is_told(name: str, process_s: list[float]) -> None:
    assert clock(name).process_s.tolist() == pytest.approx(process_s)


@pytest.mark.parametrize(
    ("name", "process_s"),
    [
        ("frozen@1", [0, 1, 1, 2, 2, 3]),
        ("undone@1", [0, 1, 0, 1, 0, 1]),
        ("reset@1", [0, 1, 0, 1, 0, 1]),
    ],
)
def test_every_round_has_its_own_fault(name: str, process_s: list[float]) -> None:
    assert clock(name, ((1.0, 2.0), (3.0, 4.0))).process_s.tolist() == pytest.approx(process_s)


def test_a_short_memory_forgets_only_what_is_hidden_for_longer() -> None:
    assert [len(placed) for placed in clock("short-memory@2.5").subject] == [1] * 6
    assert [len(placed) for placed in clock("short-memory@1.5").subject][3:] == [0] * 3


def test_a_jump_cut_skips_the_asked_share_of_the_way_out() -> None:
    story = told("changes", "jump-cut@0.6")
    told_deg, true_deg = (
        np.rad2deg(np.arctan2(poses[:, 0, 2], poses[:, 2, 2])) for poses in (story.poses, story.true_poses)
    )
    whole = np.abs(true_deg).max()
    assert np.abs(np.diff(told_deg)).max() > 0.6 * whole
    assert np.abs(np.diff(true_deg)).max() < 0.2 * whole
    assert (np.abs(np.diff(told_deg)) > 0.2 * whole).sum() == 1


@pytest.mark.parametrize(("name", "factor"), [("quick-camera", 0.85), ("slow-camera", 1.15)])
def test_the_wait_makes_room_for_a_quicker_or_slower_camera(name: str, factor: float) -> None:
    story = told("changes", name)
    fine = np.arange(0, story.task.seconds, 0.001)
    retold = Story.true(story.task, story.world, fine)
    camera_s = retimed(retold, factor)
    moving = np.abs(np.diff(retold.with_camera_time(camera_s).poses, axis=0)).max(axis=(1, 2)) > 1e-9
    asked = np.abs(np.diff(retold.poses, axis=0)).max(axis=(1, 2)) > 1e-9
    assert moving.sum() / asked.sum() == pytest.approx(factor, abs=0.01)
    assert np.allclose(story.poses[-1], story.true_poses[-1])


# ---------------------------------------------------------------- the world that shows it


def test_the_subject_is_shown_once_for_each_transform() -> None:
    world = told("changes", "truth").world
    aside = affine(shifted(np.array([-0.5, 0.0, 0.0])))
    counts = [
        world.subject_mask(world.render(world.home, 0.0, subject=subject).instances).sum()
        for subject in ((), (STAYS,), (STAYS, aside))
    ]
    assert counts[0] == 0
    assert counts[2] > 1.5 * counts[1] > 0
    gone = world.render(world.home, 0.0, without=frozenset({world.subject}))
    assert gone is world.render(world.home, 0.0, subject=())


def test_a_staged_room_keeps_the_eye_and_the_subject() -> None:
    spec = WorldSpec(layout="parlour", process="ball", seed=0)
    plain, staged = World(spec, (64, 36)), World(spec, (64, 36), staging=Staging(room=("workshop", 1)))
    assert np.array_equal(plain.home, staged.home)
    assert np.array_equal(plain.subject_points(1.0), staged.subject_points(1.0))
    one, other = plain.render(plain.home, 0.0), staged.render(staged.home, 0.0)
    assert np.array_equal(plain.subject_mask(one.instances), staged.subject_mask(other.instances))
    assert np.abs(one.rgb.astype(float) - other.rgb).mean() > 20


def test_furniture_that_is_removed_is_gone() -> None:
    spec = WorldSpec(layout="parlour", process="ball", seed=0)
    world = World(spec, (64, 36))
    name = sorted(world.names_in(world.home) & world.room_parts - {""})[0]
    emptier = World(spec, (64, 36), staging=Staging(removed=frozenset({name})))
    assert name not in emptier.names_in(emptier.home)


def test_a_closed_cover_hides_a_fault_until_it_opens() -> None:
    story = told("cover", "frozen")
    closed = [index for index, cover in enumerate(story.covers) if cover == Cover("cardboard", 1.0)]
    assert closed
    assert all(story.unseen(index) for index in closed)
