"""What a session is, whoever makes it: a model behind a wire, or the known world."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]  # (height, width, 3) RGB
Action = Mapping[str, Any]  # plain JSON
TRIGGER_FIELD = "trigger"  # of an action: names what sets a process off


@dataclass(frozen=True)
class Opening:
    """What a session begins with. Its pictures have the size of the first frame."""

    first_frame: Picture
    prompt: str
    fps: float
    seed: int = 0
    context_s: float | None = None  # how far the model may look back, where its card tells


class Session(Protocol):
    """One course of events in a model's world. Frame 0 is `first`; a step shows the frames after the last one shown."""

    @property
    def first(self) -> Picture: ...

    @property
    def prompt(self) -> str | None:
        """The one really used, where it is told."""

    def step(self, action: Action, text: str, frames: int) -> list[Picture]: ...

    def fork(self) -> Session: ...

    def close(self) -> None: ...


Opens = Callable[[Opening], Session]
