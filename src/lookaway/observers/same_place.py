"""Views that the clip shows twice, when nobody knows the truth: is it the same place? Two numbers for each pair.

Frames are paired by where the camera looks: the first view with the views after the camera came back to it, views
beyond it on the way out and back, and the view before something covered it, or the light went out, with that after.
Ties between features split a room whose things have moved from one that was made up anew; likeness of blocks splits
both from another room. See docs/signals.md.
"""

from __future__ import annotations

import numpy as np

from lookaway.geometry.rotations import turn_deg
from lookaway.observers import Flags, Floats, Indices, Look, ObservedArrays, observer
from lookaway.observers.covers import details
from lookaway.observers.following import Follow, follow
from lookaway.observers.likeness import small_grey
from lookaway.observers.revisit import LEFT_DEG, NEAR_DEG, pair_views, some_pairs
from lookaway.observers.signals import compare
from lookaway.outcomes import Abstain

HOME_FRAMES = 3  # after the return, compared with the first view
APART_S = 1.0
COVERED_S = 0.25  # a cover that hides the view for less is a flicker
UNCOVERED_S = 1.0  # after a cover, in which the view is compared with that before
EDGE_FRAMES = 2  # beside a cover, on its way in or out


class SamePlace(ObservedArrays):
    """Two columns have a row per frame, those from `seconds_out` to `likeness` one per pair."""

    seconds: Floats
    turned_deg: Floats  # from the first view; where a frame could not be placed, of the last that could
    seconds_out: Floats
    seconds_back: Floats
    angle_deg: Floats  # of the earlier view, from the first one
    tied: Floats  # share of features that tie the two
    likeness: Floats  # median likeness of blocks, aligned; NaN where too plain
    left_deg: float  # how far the first view was left
    home_deg: float  # how near the camera came to it again, later; infinite: never placed after it left


@observer(version=3, saw=SamePlace, seconds_per_frame=0.004)
def same_place(look: Look) -> SamePlace | Abstain:
    """Per pair of views of one direction: the share of features that tie them, and how alike they are."""
    found = follow(look)
    if isinstance(found, Abstain):
        return found
    seconds, turned = look.frames.seconds, turn_deg(found.rotations)
    pairs = np.concatenate(
        [
            home_pairs(found, seconds),
            some_pairs(pair_views(seconds, found.rotations, found.trusted)),
            covered_pairs(found, seconds, details(look.frames).covered),
        ]
    )
    pictures = {k: small_grey(look.frames.rgb[k]) for k in np.unique(pairs)}
    numbers = [compare(found, look.frames.rgb, pictures, int(i), int(j)) for i, j in pairs]
    placed = np.where(found.trusted, turned, 0.0)
    peak = int(placed.argmax())
    later = turned[peak:][found.trusted[peak:]]
    return SamePlace(
        seconds=seconds,
        turned_deg=turned,
        seconds_out=seconds[pairs[:, 0]],
        seconds_back=seconds[pairs[:, 1]],
        angle_deg=turned[pairs[:, 0]],
        tied=np.array([tied for tied, _ in numbers]),
        likeness=np.array([alike for _, alike in numbers]),
        left_deg=float(placed[peak]),
        home_deg=float(later.min()) if len(later) else float("inf"),
    )


def home_pairs(found: Follow, seconds: Floats) -> Indices:
    """The first frame with some of those after the view had been left and was back."""
    turned = turn_deg(found.rotations)
    left = np.maximum.accumulate(np.where(found.trusted, turned, 0.0)) >= LEFT_DEG
    back = np.flatnonzero(left & found.trusted & (turned <= NEAR_DEG) & (seconds >= APART_S))
    back = _some(back)
    return np.column_stack([np.zeros(len(back), np.int64), back]).astype(np.int64)


def covered_pairs(found: Follow, seconds: Floats, covered: Flags) -> Indices:
    """The last frame before each cover with some after it, unless the camera is known to have turned in between.

    Where nothing ties the two, another place and a camera that turned far under the cover look the same.
    """
    pairs: list[tuple[int, int]] = []
    edges = np.flatnonzero(np.diff(covered, prepend=False, append=False)).reshape(-1, 2)
    last_end = 0
    for start, end in edges.tolist():
        before, after = max(last_end, start - 1 - EDGE_FRAMES), end + EDGE_FRAMES
        last_end = end
        if start == 0 or after >= len(covered) or seconds[end] - seconds[start] < COVERED_S:
            continue
        until = int(np.searchsorted(seconds, seconds[after] + UNCOVERED_S, side="right"))
        opened = np.arange(after, until)[~np.logical_or.accumulate(covered[after:until])]
        tied = found.stretch[opened] == found.stretch[before]
        turned = turn_deg(found.own_rotations[opened], found.own_rotations[before]) > NEAR_DEG
        pairs += [(before, int(j)) for j in _some(opened[~(tied & turned)])]
    return np.array(pairs, np.int64).reshape(-1, 2)


def _some(frames: Indices) -> Indices:
    """A few of them, spread evenly."""
    picked = np.linspace(0, max(0, len(frames) - 1), min(len(frames), HOME_FRAMES)).round().astype(int)
    return np.asarray(frames[np.unique(picked)])
