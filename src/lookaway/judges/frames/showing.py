"""Frames put before a judge otherwise than they were filmed, to see whether it looks at them."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Literal

import numpy as np

from lookaway.judges.frames import Encoding, ShownFrames, black_frames, repeated_frames, shown_frames
from lookaway.video import Frame

Showing = Literal["filmed", "shuffled", "blank", "before", "after"]  # the last two: of a clip beside it
GREY = 96


def shown_as(showing: Showing, seen: ShownFrames, beside: ShownFrames | None, encoding: Encoding) -> ShownFrames:
    match showing:
        case "filmed":
            return seen
        case "shuffled":
            return shuffled(seen)
        case "blank":
            return blanked(seen, encoding)
    assert beside is not None
    return joined(seen, beside) if showing == "before" else joined(beside, seen)


def shuffled(seen: ShownFrames) -> ShownFrames:
    """The same pictures in another order, under the times of the first; the order depends on the pictures only."""
    seed = hashlib.sha256("".join(frame.sha256 for frame in seen.frames).encode()).digest()
    order = np.random.default_rng(list(seed)).permutation(len(seen.frames))
    frames = tuple(replace(seen.frames[i], seconds=frame.seconds) for i, frame in zip(order, seen.frames, strict=True))
    return ShownFrames(seen.rule, frames, black_frames(frames), repeated_frames(frames))


def blanked(seen: ShownFrames, encoding: Encoding) -> ShownFrames:
    """As many grey pictures of the same size: whoever answers now does not look."""
    grey = [Frame(frame.index, frame.seconds, np.full_like(frame.rgb, GREY)) for frame in seen.frames]
    return shown_frames(grey, seen.rule, encoding)


def joined(first: ShownFrames, second: ShownFrames) -> ShownFrames:
    """Two clips, one after the other; the second begins where time does."""
    later = len(first.frames)
    black, repeated = (
        (*mine, *(later + position for position in theirs))
        for mine, theirs in ((first.black, second.black), (first.repeated, second.repeated))
    )
    return ShownFrames(first.rule, first.frames + second.frames, black, repeated)
