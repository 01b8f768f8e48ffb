"""Reference models: the known world itself, whole, with a named fault, or varied."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lookaway.cache import cached_clip
from lookaway.errors import GenerationError
from lookaway.generators import CLIP_CRF, Commission, Made, generator
from lookaway.geometry.trajectory import Floats
from lookaway.records import Task, WorldSpec
from lookaway.video import SharedFrames, encode, resize
from lookaway.worlds import View, World, world_of
from lookaway.worlds.covers import Cover
from lookaway.worlds.reference import REFERENCE
from lookaway.worlds.reference.conditions import NEVER_AWAY
from lookaway.worlds.reference.story import TRUE_SETTING, PaintableFrame, Setting, Story
from lookaway.worlds.world import AS_TOLD, Affine

Picture = NDArray[np.uint8]
MomentKey = tuple[float, bytes, Cover]
DIGITS = 6
SAME_SHAPE = 0.01
SEED_SPREAD = 0.1  # seeds other than 0 make a fault stronger or weaker by up to this share


@generator(version=3, extra="worlds", seconds_per_frame=0.01)
def known_world(commission: Commission) -> Made:
    """The task's own world along the asked camera, told as the reference model on the card tells it."""
    task = commission.task
    if task.world is None:
        raise GenerationError(f"{task.id}: not a task of the known world; reference models cannot make it")
    path = commission.trajectory()
    if path is None:
        raise GenerationError(f"{task.id}: the known world needs camera poses, not '{commission.request.control.kind}'")
    name, severity = commission.card.settings.get("reference"), commission.card.settings.get("severity")
    if not isinstance(name, str) or isinstance(severity, str):
        raise GenerationError(
            f'{commission.card.name}: settings need reference = "NAME" and, at most, a number as severity'
        )
    model = REFERENCE.find(name)
    why_not = model.applies(task)
    if why_not == NEVER_AWAY and task.yoked:
        name, severity, model = "truth", None, REFERENCE.find("truth")  # what it does unseen it does not do here
    elif why_not:
        raise GenerationError(f"{task.id}: cannot show '{name}': {why_not}")
    seed = commission.request.case.seed
    rng = np.random.default_rng([seed, zlib.crc32(task.id.encode())])
    if seed and model.ladder:
        severity = model.severity(severity) * rng.uniform(1 - SEED_SPREAD, 1 + SEED_SPREAD)
    request = commission.request
    as_filmed = request.task_instance == task.instance  # not so along a branch, whose camera goes another way
    true_clip = commission.true_clips().path(task.id) if as_filmed else None
    content = [task.instance, name, severity, seed, request.frames, request.fps, request.width, request.height]
    content += [path.camera_to_world.tobytes().hex(), None if true_clip is None else true_clip.stem]

    def make(clip: Path) -> None:
        asked, own = (request.width, request.height), (task.width, task.height)
        size = own if alike(asked, own) else asked
        story = model.told(Story.true(task, world_of(task.world, size), path.seconds), severity, rng)
        true = _true_pictures(true_clip, task) if true_clip is not None and size == own else None
        encode(pictures(story, asked, true), clip, request.fps, crf=CLIP_CRF if story.crf is None else story.crf)

    return cached_clip(content, commission.workdir / "clip.mp4", make)


def alike(size: tuple[int, int], other: tuple[int, int]) -> bool:
    """May a picture be scaled from one size to the other without being distorted?"""
    return abs(size[0] * other[1] / (size[1] * other[0]) - 1) < SAME_SHAPE


def pictures(story: Story, size: tuple[int, int], true: TruePictures | None) -> Iterator[Picture]:
    """The frames of a story, at that size; those that the true clip has already are taken from there."""
    for index in range(len(story.seconds)):
        shot = StoryFrame.of(story, index)
        rgb = true.found(shot) if true else None
        shown = PaintableFrame(index, shot.view().rgb if rgb is None else rgb, shot.mask, shot.empty)
        for paint in story.paints[index]:
            shown = PaintableFrame(index, paint(shown), shot.mask, shot.empty)
        yield resize(shown.rgb, size)


@dataclass(frozen=True)
class StoryFrame:
    """One frame of a story, to be rendered if need be."""

    world: World
    setting: Setting
    pose: Floats
    process_s: float
    cover: Cover
    subject: tuple[Affine, ...]

    @classmethod
    def of(cls, story: Story, index: int) -> StoryFrame:
        """The frame; told as it truly is where nobody can see the difference."""
        setting, pose, cover = story.settings[index], settled(story, index), story.covers[index]
        if setting == TRUE_SETTING and story.unseen(index):
            return cls(story.world, setting, pose, float(story.seconds[index]), cover, AS_TOLD)
        world = story.world
        if setting != TRUE_SETTING:
            world = varied_world(world.spec, world.size, setting)
        return cls(world, setting, pose, float(story.process_s[index]), cover, story.subject[index])

    @property
    def key(self) -> MomentKey:
        second = 0.0 if self.world.spec.variant == "still" else self.process_s
        return round(second, DIGITS), pose_key(self.pose), self.cover

    def view(self) -> View:
        return self._rendered(self.subject)

    def mask(self) -> NDArray[np.bool_]:
        return self.world.subject_mask(self.view().instances, self.cover)

    def empty(self) -> Picture:
        return self._rendered(()).rgb

    def _rendered(self, subject: tuple[Affine, ...]) -> View:
        return self.world.render(self.world.home @ self.pose, self.process_s, cover=self.cover, subject=subject)


@dataclass(frozen=True)
class TruePictures:
    """The frames of a task's true clip, by what they show."""

    frames: SharedFrames
    index: dict[MomentKey, int]

    def found(self, shot: StoryFrame) -> Picture | None:
        """The true frame that shows just this, if there is one."""
        if shot.setting != TRUE_SETTING or shot.subject != AS_TOLD or shot.key not in self.index:
            return None
        rgb: Picture = self.frames.rgb[self.index[shot.key]]
        return rgb


@lru_cache(maxsize=2)  # clips of one task are made one after the other
def _true_pictures(clip: Path, task: Task) -> TruePictures | None:
    """None where the true clip is not of the task's own size and rate."""
    frames = SharedFrames.load(clip, long_side=None)
    if frames.rgb.shape[:3] != (task.frames, task.height, task.width):
        return None
    assert task.world is not None
    seconds = np.arange(task.frames) / task.fps
    story = Story.true(task, world_of(task.world, (task.width, task.height)), seconds)
    return TruePictures(frames, {StoryFrame.of(story, index).key: index for index in range(task.frames)})


@lru_cache(maxsize=2)
def varied_world(spec: WorldSpec, size: tuple[int, int], setting: Setting) -> World:
    return World(spec, size, setting.renderer, setting.staging)


def pose_key(pose: Floats) -> bytes:
    return bytes((np.round(pose, DIGITS) + 0.0).tobytes())


def settled(story: Story, index: int) -> Floats:
    """The frame's pose; the true one, bit by bit, where they are the same, so that kept views are found."""
    pose, first = story.poses[index], story.true_poses[0]
    for true in (story.true_poses[index], first):
        if np.allclose(pose, true, rtol=0, atol=1e-9):
            return np.asarray(true)
    return np.asarray(pose)
