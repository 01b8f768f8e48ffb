"""The known world stepped like an interactive model: open, step, fork, close.

    session = WorldSession.open(WorldSpec(layout="parlour", process="ball", seed=0))
    frames = session.step("yaw:left:60@0.5s")
    watching = session.fork()

A session and a clip of the same script show identical frames: every pose is worked out from the whole script so far.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lookaway.errors import UsageError
from lookaway.geometry.cover import is_cover, parse_cover
from lookaway.geometry.script import duration, in_seconds, poses_at
from lookaway.records import WorldSpec
from lookaway.worlds.covers import covers_at
from lookaway.worlds.view import View
from lookaway.worlds.world import World, world_of

SLACK = 1e-6  # of a frame, so that a step of exactly n frames gives n
UNTIL_TOLD_S = 1e6  # a process that starts then waits until it is set off


@dataclass(frozen=True)
class _Story:
    """All that was asked so far."""

    camera: tuple[str, ...] = ()
    cover: tuple[str, ...] = ()

    def told(self, action: str) -> _Story:
        """The story with one more action; what does not act waits as long."""
        if is_cover(action):
            wait = f"hold@{parse_cover(action).duration!r}s"
            return _Story((*self.camera, wait), (*self.cover, action))
        wait = f"hold@{duration(action)!r}s"
        return _Story((*self.camera, action), (*self.cover, wait))

    @property
    def camera_script(self) -> str:
        return ", ".join(self.camera)

    @property
    def cover_script(self) -> str:
        script = ", ".join(self.cover)
        return script if is_cover(script) else ""


class WorldSession:
    """One course of events in one world; forks share the world and nothing else."""

    def __init__(self, world: World, fps: float, story: _Story | None = None, frames_shown: int = 1) -> None:
        self._world: World | None = world
        self.fps = fps
        self._story = story or _Story()
        self.frames_shown = frames_shown

    @classmethod
    def open(cls, spec: WorldSpec, size: tuple[int, int] = (320, 180), fps: float = 16.0) -> WorldSession:
        """A session at second 0, the camera at home."""
        if not 0 < fps <= 1000:
            raise UsageError(f"a session needs a frame rate above 0 and up to 1000, not {fps:g}")
        return cls(World(spec, size), fps)

    @property
    def first(self) -> View:
        """What the camera sees before the first step."""
        return self._opened().render(self._opened().home, 0.0)

    @property
    def state(self) -> dict[str, float]:
        """The world's true state at the last frame shown."""
        return self._opened().state((self.frames_shown - 1) / self.fps)

    @property
    def trigger(self) -> str:
        """What sets its process off, in words; `none` where it runs by itself."""
        return self._opened().facts.words.trigger

    def step(self, action: str) -> list[View]:
        """Do what a camera or cover script says, and see the frames that come to pass meanwhile."""
        return list(self.views(action))

    def views(self, action: str) -> Iterator[View]:
        """The frames of a step, each rendered when it is asked for."""
        world = self._opened()
        story = self._story.told(action if is_cover(action) else in_seconds(action, self.fps))
        frames = math.floor(duration(story.camera_script) * self.fps + SLACK) + 1
        seconds = np.arange(self.frames_shown, frames) / self.fps
        poses = world.home @ poses_at(story.camera_script, seconds, world.pitch_deg)
        covers = covers_at(story.cover_script, seconds)
        self._story, self.frames_shown = story, frames
        for pose, second, cover in zip(poses, seconds, covers, strict=True):
            yield world.render(pose, float(second), cover=cover)

    def set_off(self) -> None:
        """The process that waits begins now, at the frame shown last; one that has begun goes on."""
        world, second = self._opened(), (self.frames_shown - 1) / self.fps
        if world.spec.start_s > second:
            self._world = world_of(world.spec.model_copy(update={"start_s": second}), world.size)

    def fork(self) -> WorldSession:
        """Another session that has come this way and goes on by itself."""
        return WorldSession(self._opened(), self.fps, self._story, self.frames_shown)

    def close(self) -> None:
        """Let go of the world; a closed session cannot be stepped."""
        self._world = None

    def _opened(self) -> World:
        if self._world is None:
            raise UsageError("this session is closed; open another one")
        return self._world
