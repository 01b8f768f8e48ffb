"""Views shown twice: paired by direction, on clips of a known world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from lookaway.gates import GATES
from lookaway.generators.baselines import turned_picture
from lookaway.geometry.script import poses_at
from lookaway.geometry.trajectory import pinhole, yaw_matrix
from lookaway.images import read_image
from lookaway.metrics import METRICS, Case
from lookaway.observers import Look, following
from lookaway.observers.revisit import Revisit, alike, asked_pairs, pair_views, revisit
from lookaway.observers.view import view
from lookaway.outcomes import Abstain, Gated, NotApplicable
from lookaway.records import Task, WorldSpec
from lookaway.store import Blobs
from lookaway.suites import look_aways
from lookaway.suites.known_world import SIZE, build_known_world, draft, shot
from lookaway.suites.look_aways import Timing
from lookaway.video import SharedFrames, encode
from lookaway.worlds import HFOV_DEG, world_of
from tests.builders import task as a_task

ROOM = WorldSpec(layout="workshop", process="filling", seed=1, side="right")
OTHER_ROOM = WorldSpec(layout="kitchen", process="cup", seed=0, side="right")
CUT_S = 2.0  # while the camera waits, looking away
METRIC = METRICS.get("revisit:sound")

Frames = Sequence[np.ndarray]


@dataclass(frozen=True)
class Scene:
    task: Task
    first_frame: np.ndarray
    true: Frames
    folder: Path

    @property
    def seconds(self) -> np.ndarray:
        return np.arange(self.task.frames) / self.task.fps

    def film(self, camera: str, spec: WorldSpec = ROOM) -> Frames:
        world = world_of(spec, SIZE)
        poses = world.home @ poses_at(camera, self.seconds, self.task.pitch_deg)
        return [world.render(pose, float(second)).rgb for pose, second in zip(poses, self.seconds, strict=True)]

    def cut_to(self, others: Frames) -> Frames:
        return [a if s < CUT_S else b for a, b, s in zip(self.true, others, self.seconds, strict=True)]

    def look(self, frames: Frames, crf: int = 18) -> Look:
        path = self.folder / "clip.mp4"
        encode(frames, path, self.task.fps, crf=crf)
        return Look(SharedFrames.load(path), self.task, self.first_frame, None)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    folder = tmp_path_factory.mktemp("revisit")
    blobs = Blobs(folder / "blobs")
    asked = draft("a-suite", "1", shot(ROOM, "yaw-right", "right", Timing(hidden_s=1.75, after_s=1.25), 48.0))
    task, reference, _ = build_known_world(asked, blobs)
    assert reference is not None
    with SharedFrames.load(blobs.path(reference.video)) as frames:
        true = list(frames.rgb)
    return Scene(task, read_image(blobs.path(task.first_frame)), true, folder)


def score(look: Look) -> object:
    """What the metric says of a clip: the first closed gate, or its value."""
    seen = revisit(look)
    assert isinstance(seen, Revisit)
    case = Case(look.task, None, {"revisit": seen.arrays()}, {})
    closed = [verdict for name in METRIC.gates if (verdict := GATES.get(name)(case)) is not None]
    return closed[0] if closed else METRIC.function(case)


def test_the_true_world_is_the_same_when_seen_again(scene: Scene) -> None:
    seen = revisit(scene.look(scene.true))
    assert len(seen.psnr) >= 5
    assert (seen.seconds_back - seen.seconds_out >= 2.0 - 1e-6).all()
    np.testing.assert_allclose(seen.angle_deg, 96 * (seen.seconds_out - 1), atol=0.3)
    assert seen.residual_deg.max() < 0.3
    assert seen.ssim.min() > 0.97
    assert seen.peak_deg == pytest.approx(48, abs=0.3)
    assert seen.back_deg == pytest.approx(48, abs=0.3)
    assert seen.direction > 0.99
    assert score(scene.look(scene.true)) > 42
    assert score(scene.look(scene.true, crf=35)) > 36


def test_a_slow_return_is_as_good_when_paired_by_angle_and_not_when_mirrored_in_time(scene: Scene) -> None:
    slow = scene.task.camera.replace("yaw:left:48@0.5s", "yaw:left:48@0.525s")
    assert slow != scene.task.camera
    look = scene.look(scene.film(slow))
    paired = score(look)
    assert paired == pytest.approx(score(scene.look(scene.true)), abs=1.5)
    asked = poses_at(scene.task.camera, look.frames.seconds, scene.task.pitch_deg)[:, :3, :3]
    middle = (1.0 + 3.75) / 2  # out from 1 s, back at 3.75 s
    mirrored = [
        alike(look, asked[i], np.eye(3), SIZE, i, look.frames.index_at(2 * middle - look.frames.seconds[i])).psnr
        for i in map(look.frames.index_at, revisit(look).seconds_out)
    ]
    assert np.mean(mirrored) < paired - 10


def test_another_room_on_return_is_not_the_same_place(scene: Scene) -> None:
    """Nothing in the new room matches the old one; the camera's way home is read off the new room itself."""
    look = scene.look(scene.cut_to(scene.film(scene.task.camera, OTHER_ROOM)))
    assert not view(look).trusted[-1]
    assert score(look) < 25


def test_a_melted_background_scores_between_the_same_place_and_another(scene: Scene) -> None:
    rng = np.random.default_rng(1)
    bends = [cv2.GaussianBlur(rng.normal(0, 1, SIZE[::-1]).astype(np.float32), (0, 0), 8) for _ in range(2)]
    grid = np.meshgrid(*(np.arange(n, dtype=np.float32) for n in SIZE))
    x, y = (places + 3 * bend / bend.std() for places, bend in zip(grid, bends, strict=True))
    melted = [cv2.remap(rgb, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT) for rgb in scene.true]
    assert 20 < score(scene.look(scene.cut_to(melted))) < 32


def test_a_camera_that_does_not_turn_gets_no_number(scene: Scene) -> None:
    held = score(scene.look(scene.film(f"hold@{scene.task.seconds}s")))
    assert isinstance(held, Gated)
    assert held.kind == "avoided"


def test_a_camera_that_stays_away_gets_no_number(scene: Scene) -> None:
    gone = score(scene.look(scene.film("hold@1s, yaw:right:48@0.5s, hold@3.5s")))
    assert isinstance(gone, Gated)
    assert "only 0 back" in gone.reason


@pytest.mark.parametrize(("back_deg", "retraces"), [(39.5, False), (40.5, True)])
def test_a_camera_has_come_back_when_four_fifths_of_the_way_are_undone(back_deg: float, retraces: bool) -> None:
    asked = a_task(camera="hold@1s, yaw:left:50@0.5s, hold@2s, yaw:right:50@0.5s, hold@1s", seconds=5.0)
    columns = {name: np.zeros(0, kind.dtype) for name, kind in Revisit.kinds.items() if not kind.single}
    seen = Revisit(**columns, lost_s=0.0, peak_deg=50.0, back_deg=back_deg, direction=1.0)
    closed = GATES.get("retraced")(Case(asked, None, {"revisit": seen.arrays()}, {}))
    assert closed is None if retraces else isinstance(closed, Gated)


def test_a_turned_flat_picture_gets_no_number_however_well_it_repeats_itself(scene: Scene) -> None:
    poses = poses_at(scene.task.camera, scene.seconds)
    panned = [turned_picture(scene.first_frame, pose[:3, :3], pinhole(*SIZE, HFOV_DEG)) for pose in poses]
    verdict = score(scene.look(panned))
    assert isinstance(verdict, Abstain)
    assert "blank" in verdict.reason


def test_a_turn_the_other_way_is_an_abstention(scene: Scene) -> None:
    look = scene.look(scene.true)
    mirrored = scene.task.camera.replace("yaw:right", "yaw:?").replace("yaw:left", "yaw:right").replace("?", "left")
    verdict = score(replace(look, task=scene.task.model_copy(update={"camera": mirrored})))
    assert isinstance(verdict, Abstain)
    assert "another way" in verdict.reason


def test_the_subject_and_what_the_first_frame_shows_do_not_count(scene: Scene) -> None:
    """Anything may happen there on the way back; beyond the first view it may not."""
    clean = score(scene.look(scene.true))
    poses = poses_at(scene.task.camera, scene.seconds, scene.task.pitch_deg)

    def painted(yaw_deg: float) -> Frames:
        """A red post, standing in the world, from the cut on."""
        made = []
        for rgb, pose in zip(scene.true, poses, strict=True):
            ray = pose[:3, :3].T @ yaw_matrix(yaw_deg) @ [0, 0, 1]
            frame = rgb.copy()
            if ray[2] > 0.1:
                column = SIZE[0] / 2 + ray[0] / ray[2] * pinhole(*SIZE, HFOV_DEG)[0, 0]
                cv2.line(frame, (round(column), 0), (round(column), SIZE[1]), (255, 0, 0), 40)
            made.append(frame)
        return scene.cut_to(made)

    assert score(scene.look(painted(18.0))) == pytest.approx(clean, abs=1.5)
    assert score(scene.look(painted(38.0))) < clean - 10


def test_both_observers_of_a_clip_share_its_recovered_camera(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    look = scene.look(scene.true)
    seen = view(look)
    monkeypatch.setattr(following, "followed", lambda *given: pytest.fail("the frames are matched a second time"))
    assert revisit(look).peak_deg == pytest.approx(48, abs=0.3)
    assert view(look).rotation is seen.rotation


def yaws(*parts: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Seconds and rotations of a camera at 10 frames a second; each part goes from one yaw to another in seconds."""
    degrees = np.concatenate([np.linspace(a, b, round(10 * s), endpoint=False) for a, b, s in parts])
    return np.arange(len(degrees)) / 10, np.stack([yaw_matrix(float(d)) for d in degrees])


def test_a_held_view_is_not_a_second_look() -> None:
    seconds, rotations = yaws((0, 40, 1), (40, 40, 5))
    assert len(pair_views(seconds, rotations, np.ones(len(seconds), bool))) == 0


def test_frames_that_could_not_be_placed_make_no_pairs() -> None:
    seconds, rotations = yaws((0, 40, 1), (40, 40, 2), (40, 0, 1))
    every = pair_views(seconds, rotations, np.ones(len(seconds), bool))
    np.testing.assert_array_equal(every[:4], [[1, 39], [2, 38], [3, 37], [4, 36]])
    assert len(pair_views(seconds, rotations, seconds < 3)) == 0


@pytest.mark.parametrize(
    "look", ["yaw-left", "u-turn", "forward-turn", "two-rounds", "loop", "other-view", "by-itself", "curtain"]
)
def test_only_a_retraced_path_shows_a_view_twice(look: str) -> None:
    twice = look in ("yaw-left", "u-turn", "forward-turn", "two-rounds")
    known = look_aways.find(look)
    camera = known.camera_script(known.timing, "left", 120.0 if look == "loop" else 60.0)
    task = a_task(camera=camera, seconds=known.total_s)
    assert (asked_pairs(task) >= 3) == twice
    if not twice:
        assert isinstance(GATES.get("retraced")(Case(task, None, {}, {})), NotApplicable)
