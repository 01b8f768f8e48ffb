"""The known world as a stranger's interactive model that goes wrong while its camera looks elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from lookaway.geometry.script import poses_at, yaw_at
from lookaway.records import WorldSpec
from lookaway.sessions import Action, Opening, Picture, Session
from lookaway.worlds import World, world_of

AWAY_DEG = 30.0


@dataclass
class FaultyWorld:
    """Stepped by camera scripts. Unseen, its world stops (`frozen`) or goes back to its start (`reset`)."""

    world: World
    fps: float
    fault: Literal["frozen", "reset"]
    scripts: tuple[str, ...] = ()
    shown: int = 1
    lost_s: float = 0.0
    prompt: str | None = field(default=None)

    @property
    def first(self) -> Picture:
        return self.world.render(self.world.home, 0.0).rgb

    def step(self, action: Action, text: str, frames: int) -> list[Picture]:
        self.scripts = (*self.scripts, str(action["script"]))
        seconds = np.arange(self.shown, self.shown + frames) / self.fps
        script = ", ".join(self.scripts)
        poses = self.world.home @ poses_at(script, seconds, self.world.pitch_deg)
        away = np.abs(yaw_at(script, seconds, self.world.pitch_deg)) > AWAY_DEG
        self.shown += frames
        return [self._frame(*each) for each in zip(poses, seconds.tolist(), away.tolist(), strict=True)]

    def _frame(self, pose: np.ndarray, second: float, away: bool) -> Picture:
        if away:
            self.lost_s = self.lost_s + 1 / self.fps if self.fault == "frozen" else second
        return self.world.render(pose, max(0.0, second - self.lost_s)).rgb

    def fork(self) -> Session:
        return replace(self)

    def close(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True)
class FaultyWorlds:
    """Opens sessions of one world that has a fault."""

    spec: WorldSpec
    fault: Literal["frozen", "reset"]

    def __call__(self, opening: Opening) -> Session:
        height, width = opening.first_frame.shape[:2]
        return FaultyWorld(world_of(self.spec, (width, height)), opening.fps, self.fault)
