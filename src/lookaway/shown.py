"""What the frames of a known world's clip show, as its maker knows: numbers, and never why they are as they are.

They lie in a log of their own. Nobody but the oracle reads it: observers, metrics, gates and other judges see pixels.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHOWN_LOG = "shown"


class FrameFacts(NamedTuple):
    """One frame. What cannot be said, such as the place of a subject that is not there, is NaN."""

    seconds: float
    process_s: float  # second of the true course that it shows
    visible: float  # subject pixels, as a share of those in the first frame
    due_visible: float  # the same if the subject stood where that second has it, whole and once
    copies: float  # how many subjects can be seen
    off_m: float  # from where the truth has the subject's foot at this second (for what stays: at the second shown)
    off_widths: float  # the same in the picture, in frame widths
    aside_m: float  # by how much it is put aside of where the second shown has it,
    lifted_m: float  # and by how much above
    stretch: float  # how much larger or smaller along the worst of its axes; 0 as it should be
    look_change: float  # mean change of its pixels after the rendering, from 0 to 1
    around_change: float  # the same of all other pixels
    around_shift: float  # by how much those are displaced in the worst places, in frame widths
    other_room: float  # 1 in another room or place than the true one
    light: float  # of the room, from 0 to 1
    covered: float  # how far a solid cover has come, from 0 to 1
    turn_deg: float  # of the camera, from the first view
    strays_deg: float  # of the camera, from where it was asked to look
    apart_m: float  # mean distance of the subject's points at the second shown from those at this second


@dataclass(frozen=True, eq=False)
class ShownFacts:
    """All frames of a clip: an array (N,) for every number of `FrameFacts`, and what the state log says."""

    frames: dict[str, Floats]
    state: Floats  # (N, states) at the seconds shown
    due_state: Floats  # (N, states) at the true seconds
    rests: bool  # whether the subject stands on something

    @classmethod
    def of(
        cls, told: Sequence[FrameFacts], state: Sequence[Floats], due_state: Sequence[Floats], rests: bool
    ) -> ShownFacts:
        columns = np.array(told, float).T
        frames = {name: column for name, column in zip(FrameFacts._fields, columns, strict=True)}
        return cls(frames, np.array(state), np.array(due_state), rests)

    def __getattr__(self, name: str) -> Floats:
        if name not in FrameFacts._fields:
            raise AttributeError(name)
        return self.frames[name]

    def __len__(self) -> int:
        return len(self.state)

    def packed(self) -> bytes:
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer, **self.frames, state=self.state, due_state=self.due_state, rests=np.array(self.rests)
        )
        return buffer.getvalue()


def load(path: Path) -> ShownFacts:
    with np.load(path) as arrays:
        frames = {name: np.asarray(arrays[name], float) for name in FrameFacts._fields}
        return ShownFacts(frames, arrays["state"], arrays["due_state"], bool(arrays["rests"]))
