"""Frames put before a judge otherwise than they were filmed, to see whether it looks at them."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Literal

import numpy as np

from lookaway.judges.frames import Encoding, Shown, black_frames, repeated_frames, shown
from lookaway.video import Frame

Showing = Literal["filmed", "shuffled", "blank", "before", "after"]  # the last two: of a clip beside it
GREY = 96


def shown_as(showing: Showing, seen: Shown, beside: Shown | None, encoding: Encoding) -> Shown:
    match showing:
        case "filmed":
            return seen
        case "shuffled":
            return shuffled(seen)
        case "blank":
            return blanked(seen, encoding)
    assert beside is not None
    return joined(seen, beside) if showing == "before" else joined(beside, seen)


def shuffled(seen: Shown) -> Shown:
    """The same pictures in another order, under the times of the first; the order depends on the pictures only."""
    seed = hashlib.sha256("".join(frame.sha256 for frame in seen.frames).encode()).digest()
    order = np.random.default_rng(list(seed)).permutation(len(seen.frames))
    frames = tuple(replace(seen.frames[i], seconds=frame.seconds) for i, frame in zip(order, seen.frames, strict=True))
    return Shown(seen.rule, frames, black_frames(frames), repeated_frames(frames))


def blanked(seen: Shown, encoding: Encoding) -> Shown:
    """As many grey pictures of the same size: whoever answers now does not look."""
    grey = [Frame(frame.index, frame.seconds, np.full_like(frame.rgb, GREY)) for frame in seen.frames]
    return shown(grey, seen.rule, encoding)


def joined(first: Shown, second: Shown) -> Shown:
    """Two clips, one after the other; the second begins where time does."""
    later = len(first.frames)
    black, repeated = (
        (*mine, *(later + position for position in theirs))
        for mine, theirs in ((first.black, second.black), (first.repeated, second.repeated))
    )
    return Shown(first.rule, first.frames + second.frames, black, repeated)
