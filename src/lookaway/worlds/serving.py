"""The known world as a stranger's model: it gets a first frame and a prompt, and is stepped by camera scripts."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache

import numpy as np

from lookaway.errors import UsageError
from lookaway.geometry.cover import is_cover, parse_cover
from lookaway.geometry.script import duration
from lookaway.records import WorldSpec
from lookaway.sessions import TRIGGER_FIELD, Action, Opening, Picture
from lookaway.video import resize
from lookaway.worlds.session import UNTIL_TOLD_S, WorldSession
from lookaway.worlds.world import World


class FairLock:
    """A lock that somebody who waits gets before whoever had it last."""

    def __init__(self) -> None:
        self._next, self._now = threading.Lock(), threading.Lock()

    def __enter__(self) -> None:
        with self._next:
            self._now.acquire()

    def __exit__(self, *_: object) -> None:
        self._now.release()


# A world keeps what it has rendered, and sessions share worlds. Held for one frame or one world at a time, so that a
# long step of one session holds up the others by no more than that.
ONE_AT_A_TIME = FairLock()
SLACK = 1e-6  # of a frame
EXPECTS = 'give {"script": …}, a camera script in seconds such as yaw:left:60@0.5s'


class KnownWorlds:
    """Opens sessions in named worlds. Which one is told by the first frame, and by the prompt where several fit."""

    def __init__(self, specs: Mapping[str, WorldSpec], size: tuple[int, int] = (320, 180)) -> None:
        if not specs:
            raise UsageError("no world to serve")
        self._specs, self._size = specs, size

    def __call__(self, opening: Opening) -> DrivenWorld:
        height, width = opening.first_frame.shape[:2]
        spec = self._found(opening)
        if spec.start_s and f"After {spec.start_s:g} seconds" not in opening.prompt:
            spec = spec.model_copy(update={"start_s": UNTIL_TOLD_S})  # nobody said when, so that it waits to be told
        with ONE_AT_A_TIME:
            return DrivenWorld(WorldSession(built(spec, (width, height)), opening.fps))

    def first_frame(self, name: str) -> Picture:
        """What a session in that world must be opened with."""
        return self._first(self._specs[name])

    def _found(self, opening: Opening) -> WorldSpec:
        fitting = list(dict.fromkeys(self._fitting(opening)))
        if len(fitting) > 1:
            told = [spec for spec in fitting if self._prompt(spec) in opening.prompt]
            fitting = told or fitting
        if len(fitting) == 1:
            return fitting[0]
        if not fitting:
            raise UsageError(f"this first frame is that of none of the worlds here: {', '.join(self._specs)}")
        names = [name for name, spec in self._specs.items() if spec in fitting]
        raise UsageError(f"first frame and prompt fit several worlds: {', '.join(names)}; serve only one of them")

    def _fitting(self, opening: Opening) -> Iterator[WorldSpec]:
        height, width = opening.first_frame.shape[:2]
        for spec in self._specs.values():
            if np.array_equal(resize(self._first(spec), (width, height)), opening.first_frame):
                yield spec

    def _first(self, spec: WorldSpec) -> Picture:
        with ONE_AT_A_TIME:
            return first_frame(spec, self._size)

    def _prompt(self, spec: WorldSpec) -> str:
        with ONE_AT_A_TIME:
            return built(spec, self._size).facts.prompt


@lru_cache(maxsize=4)
def built(spec: WorldSpec, size: tuple[int, int]) -> World:
    return World(spec, size)


@cache
def first_frame(spec: WorldSpec, size: tuple[int, int]) -> Picture:
    world = built(spec, size)
    return world.render(world.home, 0.0).rgb


class DrivenWorld:
    """A session of the known world behind the interface that all sessions have."""

    prompt = None  # the known world reads none

    def __init__(self, stepped: WorldSession) -> None:
        self._stepped = stepped

    @property
    def first(self) -> Picture:
        with ONE_AT_A_TIME:
            return self._stepped.first.rgb

    def step(self, action: Action, text: str, frames: int) -> list[Picture]:
        """The frames while the script goes on; it must last just as long."""
        script = action.get("script")
        if not isinstance(script, str):
            raise UsageError(f"action: {EXPECTS}")
        ahead = self._stepped.fork()
        if TRIGGER_FIELD in action or ahead.trigger in text.lower():
            ahead.set_off()
        lasts = (parse_cover(script).duration if is_cover(script) else duration(script, ahead.fps)) * ahead.fps
        if abs(lasts - frames) > SLACK:
            raise UsageError(f"'{script}' lasts {lasts:g} frames at {ahead.fps:g} fps, and {frames} are asked for")
        views, shown = ahead.views(script), []
        for _ in range(frames):
            with ONE_AT_A_TIME:
                shown.append(next(views).rgb)
        self._stepped = ahead
        return shown

    def fork(self) -> DrivenWorld:
        return DrivenWorld(self._stepped.fork())

    def close(self) -> None:
        self._stepped.close()
