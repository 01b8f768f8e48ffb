"""A story: what a clip shows of a task's world, frame by frame. Reference models tell it otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from lookaway.geometry.script import poses_at
from lookaway.geometry.visibility import camera_hides, frames_in
from lookaway.records import Interval, Task
from lookaway.worlds.arrays import Bytes, FloatArray, Mask
from lookaway.worlds.covers import Cover, covers_at
from lookaway.worlds.world import AS_BUILT, AS_TOLD, Affine, RendererName, Staging, World

T = TypeVar("T")

NEAR_M = 0.05
MARGIN = 0.03  # of the frame, around the subject's points: its shadow and smoothed outline


@dataclass(frozen=True)
class PaintableFrame:
    """One frame as a paint gets it; what is not asked for is not rendered."""

    index: int
    rgb: Bytes
    subject: Callable[[], Mask]
    empty: Callable[[], Bytes]  # the same without the subject


Paint = Callable[[PaintableFrame], Bytes]


@dataclass(frozen=True)
class Setting:
    """Where a frame is shot: the world's surroundings and the renderer."""

    staging: Staging = AS_BUILT
    renderer: RendererName = "ray"


TRUE_SETTING = Setting()


@dataclass(frozen=True, eq=False)
class Story:
    """Per frame: when it is, which second of the process it shows, from where, behind what cover, and in which setting.

    `subject` has the transforms of world space under which the subject is shown: one identity is true, none means gone.
    `paints` change the finished picture. `crf` is the compression of the clip, None for the usual one.
    """

    task: Task
    world: World
    seconds: FloatArray
    process_s: FloatArray
    poses: FloatArray  # (N, 4, 4), in the axes of the first camera
    covers: tuple[Cover, ...]
    subject: tuple[tuple[Affine, ...], ...]
    settings: tuple[Setting, ...]
    paints: tuple[tuple[Paint, ...], ...]
    crf: int | None = None
    true_poses: FloatArray = field(repr=False, default_factory=lambda: np.zeros((0, 4, 4)))
    true_covers: tuple[Cover, ...] = field(repr=False, default=())

    @classmethod
    def true(cls, task: Task, world: World, seconds: FloatArray) -> Story:
        """What really happens."""
        poses = poses_at(task.camera, seconds, task.pitch_deg)
        covers = tuple(covers_at(task.cover, seconds))
        frames = len(seconds)
        return cls(
            task,
            world,
            seconds,
            np.array(seconds),
            poses,
            covers,
            (AS_TOLD,) * frames,
            (TRUE_SETTING,) * frames,
            ((),) * frames,
            true_poses=poses,
            true_covers=covers,
        )

    # ------------------------------------------------------------ when

    @property
    def hidden_times(self) -> list[Interval]:
        return [interval for interval in self.task.phases if interval.phase == "hidden"]

    @cached_property
    def hidden(self) -> Mask:
        """Frames in which the true subject is out of view."""
        return frames_in(self.seconds, self.task.phases, "hidden")

    @cached_property
    def returned(self) -> Mask:
        """Frames after a return, up to the next hiding."""
        return frames_in(self.seconds, self.task.phases, "returned")

    @cached_property
    def changed(self) -> Mask:
        """Frames in which a fault that came about unseen holds.

        In the middle of the hidden time a moving camera looks elsewhere, so the fault is there before the camera comes
        back to it. Behind a cover, or when the subject is away by itself, it comes about with the return.
        """
        if not self.hidden_times:
            return np.zeros(len(self.seconds), bool)
        if not camera_hides(self.task):
            return self.returned
        first = self.hidden_times[0]
        return np.asarray(self.seconds >= (first.start_s + first.end_s) / 2)

    @property
    def since_return(self) -> Mask:
        """Frames from the first return on, hidden ones as well."""
        return np.asarray(np.cumsum(self.returned) > 0)

    @property
    def back(self) -> int:
        """A frame that shows the subject some time after its first return, when the camera has come to rest."""
        first = np.flatnonzero(self.returned)
        run = first[: int(np.argmax(np.append(np.diff(first), 2) > 1)) + 1]
        return int(run[2 * len(run) // 3])

    # ------------------------------------------------------------ where

    def points(self, index: int) -> FloatArray:
        """The subject's vertices at the second of the process that a frame shows."""
        return self.world.subject_points(float(self.process_s[index]))

    def centre(self, index: int) -> FloatArray:
        points = self.points(index)
        middle: FloatArray = (points.min(axis=0) + points.max(axis=0)) / 2
        return middle

    def foot(self, index: int) -> FloatArray:
        """Below the centre, as low as the subject reaches."""
        foot = self.centre(index)
        foot[2] = self.points(index)[:, 2].min()
        return foot

    def camera(self, index: int) -> FloatArray:
        """Camera to world."""
        pose: FloatArray = self.world.home @ self.poses[index]
        return pose

    def places(self, index: int, points: FloatArray) -> FloatArray:
        """Image places as shares of width and height from the upper left corner, and depths; (N, 3)."""
        camera = self.camera(index)
        local = (points - camera[:3, 3]) @ camera[:3, :3]
        ahead = np.maximum(local[:, 2:], 1e-6)
        image = (local / ahead) @ self.world.intrinsics.T
        focal_x, focal_y = 2 * self.world.intrinsics[0, 2], 2 * self.world.intrinsics[1, 2]
        return np.stack([image[:, 0] / focal_x, image[:, 1] / focal_y, local[:, 2]], axis=1)

    def in_frame(self, index: int, points: FloatArray, margin: float = 0.0) -> Mask:
        """Which points lie in the picture, or as near to it as the margin."""
        x, y, depth = self.places(index, points).T
        across = (x > -margin) & (x < 1 + margin)
        return np.asarray(across & (y > -margin) & (y < 1 + margin) & (depth > NEAR_M))

    def frame_width_m(self, index: int) -> float:
        """How many metres the picture is wide at the subject's depth."""
        depth = float(np.median(self.places(index, self.points(index))[:, 2]))
        return depth * 2 * float(self.world.intrinsics[0, 2] / self.world.intrinsics[0, 0])

    def unseen(self, index: int) -> bool:
        """Nobody could tell: the true subject is out of view, and so is what is told of it."""
        as_asked = self.covers[index] == self.true_covers[index] and np.allclose(
            self.poses[index], self.true_poses[index], atol=1e-6
        )
        if not self.hidden[index] or not as_asked:
            return False
        cover = self.covers[index]
        if cover.dark or (cover.share >= 1 and self.subject[index] in (AS_TOLD, ())):
            return True
        points = self.points(index)
        return not any(
            self.in_frame(index, points @ turn[:3, :3].T + turn[:3, 3], MARGIN).any()
            for turn in (np.array(transform).reshape(4, 4) for transform in self.subject[index])
        )

    # ------------------------------------------------------------ told otherwise

    def with_process(self, process_s: FloatArray) -> Story:
        return replace(self, process_s=np.maximum(process_s, 0.0))

    def with_poses(self, poses: FloatArray) -> Story:
        return replace(self, poses=poses)

    def with_camera_time(self, camera_s: FloatArray) -> Story:
        """Camera and cover do at each frame what they were asked to do at those seconds."""
        asked = np.clip(camera_s, 0.0, None)
        return replace(
            self,
            poses=poses_at(self.task.camera, asked, self.task.pitch_deg),
            covers=tuple(covers_at(self.task.cover, asked)),
        )

    def with_covers(self, covers: list[Cover]) -> Story:
        return replace(self, covers=tuple(covers))

    def with_subject(self, when: Mask, placed: Callable[[int], tuple[FloatArray, ...]]) -> Story:
        """The subject under those transforms in those frames."""
        subject = [
            tuple(affine(transform) for transform in placed(index)) if when[index] else as_before
            for index, as_before in enumerate(self.subject)
        ]
        return replace(self, subject=tuple(subject))

    def with_setting(self, when: Mask, setting: Setting) -> Story:
        settings = [setting if inside else before for inside, before in zip(when, self.settings, strict=True)]
        return replace(self, settings=tuple(settings))

    def with_paint(self, when: Mask, paint: Paint) -> Story:
        paints = [(*before, paint) if inside else before for inside, before in zip(when, self.paints, strict=True)]
        return replace(self, paints=tuple(paints))

    def with_given_frames_of(self, true: Story) -> Story:
        """The same, beginning as what was given: the first frame, or a whole true prefix."""
        given = self.seconds <= self.task.prefix_s + 1e-9

        return replace(
            self,
            process_s=np.where(given, true.process_s, self.process_s),
            poses=np.where(given[:, None, None], true.poses, self.poses),
            covers=mixed(given, true.covers, self.covers),
            subject=mixed(given, true.subject, self.subject),
            settings=mixed(given, true.settings, self.settings),
            paints=mixed(given, true.paints, self.paints),
        )


def mixed(when: Mask, these: tuple[T, ...], others: tuple[T, ...]) -> tuple[T, ...]:
    """These where `when` holds, the others elsewhere."""
    return tuple(this if now else other for now, this, other in zip(when, these, others, strict=True))


def affine(transform: FloatArray) -> Affine:
    return tuple(float(value) for value in np.round(transform, 9).ravel() + 0.0)


def shifted(by: FloatArray) -> FloatArray:
    transform = np.eye(4)
    transform[:3, 3] = by
    return transform


def scaled(factors: FloatArray, about: FloatArray) -> FloatArray:
    """Larger or smaller along the world's axes; `about` stays."""
    transform = np.diag([*factors, 1.0])
    transform[:3, 3] = about - about * factors
    return transform
