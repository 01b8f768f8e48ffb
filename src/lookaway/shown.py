"""What the frames of a known world's clip show, as its maker knows: numbers, and never why they are as they are.

They lie in a log of their own. Nobody but the oracle reads it: observers, metrics, gates and other judges see pixels.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHOWN_LOG = "shown"
T = TypeVar("T")


class FrameFacts(NamedTuple, Generic[T]):
    """Of one frame numbers, of a clip arrays (N,). What cannot be said, such as the place of nothing, is NaN."""

    seconds: T
    process_s: T  # second of the true course that it shows
    visible: T  # subject pixels, as a share of those in the first frame
    due_visible: T  # the same if the subject stood where that second has it, whole and once
    copies: T  # how many subjects can be seen
    off_m: T  # from where the truth has the subject's foot at this second (for what stays: at the second shown)
    off_widths: T  # the same in the picture, in frame widths
    aside_m: T  # by how much it is put aside of where the second shown has it,
    lifted_m: T  # and by how much above
    stretch: T  # how much larger or smaller along the worst of its axes; 0 as it should be
    look_change: T  # mean change of its pixels after the rendering, from 0 to 1
    around_change: T  # the same of all other pixels
    around_shift: T  # by how much those are displaced in the worst places, in frame widths
    other_room: T  # 1 in another room or place than the true one
    light: T  # of the room, from 0 to 1
    covered: T  # how far a solid cover has come, from 0 to 1
    turn_deg: T  # of the camera, from the first view
    strays_deg: T  # of the camera, from where it was asked to look
    apart_m: T  # mean distance of the subject's points at the second shown from those at this second


@dataclass(frozen=True, eq=False)
class ShownFacts:
    """All frames of a clip, and what the state log says of them."""

    frames: FrameFacts[Floats]
    state: Floats  # (N, states) at the seconds shown
    due_state: Floats  # (N, states) at the true seconds
    rests: bool  # whether the subject stands on something

    def __len__(self) -> int:
        return len(self.state)

    def packed(self) -> bytes:
        arrays: dict[str, Any] = dict(zip(FrameFacts._fields, self.frames, strict=True))
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **arrays, state=self.state, due_state=self.due_state, rests=np.array(self.rests))
        return buffer.getvalue()


def together(told: Sequence[FrameFacts[float]]) -> FrameFacts[Floats]:
    """The facts of a clip from those of its frames."""
    return FrameFacts(*np.array(told, float).T)


def load(path: Path) -> ShownFacts:
    with np.load(path) as arrays:
        frames = FrameFacts(*(np.asarray(arrays[name], float) for name in FrameFacts._fields))
        return ShownFacts(frames, arrays["state"], arrays["due_state"], bool(arrays["rests"]))
