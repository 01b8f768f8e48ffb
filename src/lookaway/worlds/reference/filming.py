"""One frame of a story as it is filmed: from where, when, behind what, and in which surroundings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from lookaway.records import WorldSpec
from lookaway.worlds.arrays import Bytes, FloatArray, Mask
from lookaway.worlds.covers import Cover
from lookaway.worlds.reference.story import TRUE_SETTING, Setting, Story
from lookaway.worlds.view import View
from lookaway.worlds.world import AS_TOLD, Affine, World

MomentKey = tuple[float, bytes, Cover]
DIGITS = 6


@dataclass(frozen=True)
class StoryFrame:
    """One frame of a story, to be rendered if need be."""

    world: World
    setting: Setting
    pose: FloatArray
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

    @property
    def camera(self) -> FloatArray:
        """Camera to world."""
        camera: FloatArray = self.world.home @ self.pose
        return camera

    def view(self) -> View:
        return self._rendered(self.subject)

    def mask(self) -> Mask:
        return self.world.subject_mask(self.view().instances, self.cover)

    def empty(self) -> Bytes:
        return self._rendered(()).rgb

    def pixels(self, subject: tuple[Affine, ...]) -> int:
        """How many pixels would show the subject under those transforms; nothing is lit or coloured for it."""
        return self.world.subject_pixels(self.camera, self.process_s, self.cover, subject)

    def _rendered(self, subject: tuple[Affine, ...]) -> View:
        return self.world.render(self.camera, self.process_s, cover=self.cover, subject=subject)


@lru_cache(maxsize=2)
def varied_world(spec: WorldSpec, size: tuple[int, int], setting: Setting) -> World:
    return World(spec, size, setting.renderer, setting.staging)


def pose_key(pose: FloatArray) -> bytes:
    return bytes((np.round(pose, DIGITS) + 0.0).tobytes())


def settled(story: Story, index: int) -> FloatArray:
    """The frame's pose; the true one, bit by bit, where they are the same, so that kept views are found."""
    pose, first = story.poses[index], story.true_poses[0]
    for true in (story.true_poses[index], first):
        if np.allclose(pose, true, rtol=0, atol=1e-9):
            return np.asarray(true)
    return np.asarray(pose)
