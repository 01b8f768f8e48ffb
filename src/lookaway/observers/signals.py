"""What happens to the film itself, when nobody knows the truth: cuts, jumps, slow replacement, covers, time undone.

A cut is a step after which nothing follows one turn of the camera and the pictures, aligned or not, are unlike. A slow
replacement hides from neighbours, so frames one to three seconds apart are compared while the same place stays in view.
See docs/signals.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.rotations import turn_deg
from lookaway.observers import Flags, Floats, Indices, Look, ObservedArrays, observer
from lookaway.observers.covers import details
from lookaway.observers.following import Follow, follow, turn_of_pair
from lookaway.observers.likeness import Grey, likeness, small_grey
from lookaway.observers.parallax import parallaxes
from lookaway.outcomes import Abstain

FOLLOWED_SHARE = 0.15  # of corners: fewer follow a cut
CUT_LIKENESS = 0.75  # of neighbours, aligned: a pan stays above, a cut below
JUMP_DEG, JUMP_TIMES = 6.0, 4.0  # a step within one room: so large, and so much larger than its neighbours
COVER_NEAR = 2  # frames beside a covered one that are no cuts
LAGS_S = (1.0, 2.0, 3.0)
SAME_VIEW_SHARE = 0.35  # of the lens: views further apart share too little
TIED_SHARE = 0.05  # of features: from there on it is the same place
COMPARED_FEATURES = 60  # as good as that many, where fewer are there
UNDONE_SIDE = 96
UNDONE_FRAMES = 16  # late ones that are looked for among the early ones
UNDONE_EARLY, UNDONE_LATE = 0.5, 0.75  # of the clip: a world that runs back is at the end as it was before
UNDONE_BLOCKS = (12, 7)


class Signals(ObservedArrays):
    """One row per frame; `lag_*` one per comparison of two frames."""

    seconds: Floats
    step_deg: Floats  # of the camera, from the frame before
    cut: Flags  # nothing leads from the frame before to this one
    jump: Flags  # the same room from elsewhere, at one step
    covered: Flags  # black, hazy or behind something without detail
    contrast: Floats  # local, over that of the first frame
    sharpness: Floats  # over that of the first frame
    lag_from: Indices  # earlier frame
    lag_to: Indices  # later frame, while the same place stayed in view
    lag_tied: Floats  # share of features that tie the two
    lag_likeness: Floats  # median likeness of blocks, aligned; NaN where too plain
    change: Floats  # mean grey levels from the first frame
    growth: Floats  # how much larger things have become since the first frame, as a logarithm; walking on makes it so
    parallax_deg: Floats  # (P,) per pair of frames, how far things shift against each other as in a walk; 0 a turn
    undone_grey: float  # levels between the last frames and the early frames nearest to them, in the median
    undone_block: float  # the same of the worst block; both small: time runs back


@observer(version=4, saw=Signals, seconds_per_frame=0.015)
def signals(look: Look) -> Signals | Abstain:
    """Per frame: is it cut off from the one before, has it jumped, is it covered; and is the first half undone."""
    found = follow(look)
    if isinstance(found, Abstain):
        return found
    rgb, seconds = look.frames.rgb, look.frames.seconds
    pictures = [small_grey(frame) for frame in rgb]
    shown = details(look.frames)
    covered = shown.covered
    step = steps_deg(found)
    cut = cuts(found, pictures, covered)
    pairs = lagged(found, seconds, cut | covered)
    compared = [compare(found, rgb, pictures, i, j) for i, j in pairs]
    change, growth = np.array([np.abs(picture - pictures[0]).mean() for picture in pictures]), growths(found)
    grey, block = undone(pictures)
    return Signals(
        seconds=seconds,
        step_deg=step,
        cut=cut,
        jump=jumps(step, found.stretch, cut),
        covered=covered,
        contrast=shown.contrast,
        sharpness=shown.sharpness,
        lag_from=pairs[:, 0],
        lag_to=pairs[:, 1],
        lag_tied=np.array([tied for tied, _ in compared]),
        lag_likeness=np.array([alike for _, alike in compared]),
        change=change,
        growth=growth,
        parallax_deg=parallaxes(found),
        undone_grey=grey,
        undone_block=block,
    )


def cuts(found: Follow, pictures: list[Grey], covered: Flags) -> Flags:
    """Steps at which hardly a corner follows and the pictures are unlike, as they are and aligned, both being open."""
    cut = np.zeros(len(pictures), bool)
    for i in (np.flatnonzero(found.agreeing[1:] < FOLLOWED_SHARE) + 1).tolist():
        if covered[max(0, i - COVER_NEAR) : i + COVER_NEAR].any():
            continue
        turns = [np.eye(3)]  # where hardly a corner follows, the turn that was found may be wrong
        if _together(found, i - 1, i):
            turns.append(found.own_rotations[i].T @ found.own_rotations[i - 1])
        alike = [likeness(pictures[i], pictures[i - 1], turn, found.hfov_deg) for turn in turns]
        cut[i] = not any(each >= CUT_LIKENESS for each in alike)
    return cut


def _together(found: Follow, i: int, j: int) -> bool:
    return bool(found.stretch[i] == found.stretch[j])


def jumps(step_deg: Floats, stretch: Indices, cut: Flags) -> Flags:
    """Steps much larger than those before and after, within what hangs together."""
    jump = np.zeros(len(step_deg), bool)
    for i in range(1, len(step_deg)):
        beside = np.append(step_deg[max(1, i - 3) : i], step_deg[i + 1 : i + 4])
        usual = float(np.median(beside)) if len(beside) else 0.0
        alone = step_deg[i] > JUMP_DEG and step_deg[i] > JUMP_TIMES * usual
        jump[i] = alone and stretch[i] == stretch[i - 1] and not cut[i]
    return jump


def lagged(found: Follow, seconds: Floats, broken: Flags) -> Indices:
    """Pairs of keyframes one to three seconds apart with the same place in view all the while, and nothing broken."""
    keys = np.array(sorted(k for k in found.features if k >= 0), np.int64)
    pairs = set()
    for lag in LAGS_S:
        for j in keys[seconds[keys] >= lag - 1e-6]:
            i = int(keys[np.abs(seconds[keys] - (seconds[j] - lag)).argmin()])
            between = slice(i, int(j) + 1)
            if i < j and not broken[between].any() and (found.stretch[between] == found.stretch[i]).all():
                turned = turn_deg(found.own_rotations[between], found.own_rotations[i])
                if turned.max() <= SAME_VIEW_SHARE * found.hfov_deg:
                    pairs.add((i, int(j)))
    return np.array(sorted(pairs), np.int64).reshape(-1, 2)


def compare(
    found: Follow, rgb: NDArray[np.uint8], pictures: Sequence[Grey] | Mapping[int, Grey], i: int, j: int
) -> tuple[float, float]:
    """Share of features that tie two frames, and likeness of the two, aligned by that tie or else by the path."""
    turn = turn_of_pair(found, rgb, j, i)
    fewest = max(COMPARED_FEATURES, min(len(found.features[i]), len(found.features[j])))
    onto = found.own_rotations[i].T @ found.own_rotations[j] if turn is None else turn.rotation
    tied = 0.0 if turn is None else turn.count / fewest
    return tied, likeness(pictures[i], pictures[j], onto, found.hfov_deg)


def steps_deg(found: Follow) -> Floats:
    """How far the camera turns from each frame to the next, by those two frames; 0 where nothing ties them."""
    steps = np.zeros(len(found.agreeing) + 1)
    for tie in found.ties[0]:
        if tie.here == tie.there + 1:
            steps[tie.here] = turn_deg(tie.turn.rotation)
    return steps[1:]


def growths(found: Follow) -> Floats:
    """How much things grow from frame to frame beyond what the turn explains, summed up."""
    grown = np.zeros(len(found.agreeing) + 1)
    for tie in found.ties[0]:
        if tie.here == tie.there + 1:
            left = tie.turn.left
            place = np.column_stack([left.x, left.y])
            weighed = left.weights[:, None] * place
            grown[tie.here] = -(weighed * left.left).sum() / max(1e-9, float((weighed * place).sum()))
    return np.cumsum(grown)[1:]


def undone(pictures: list[Grey]) -> tuple[float, float]:
    """Grey levels between late frames and the early frames nearest to them, overall and in the worst block: medians.

    Nothing is aligned: even a subject that moves must be where it was.
    """
    size = (UNDONE_SIDE, max(1, round(UNDONE_SIDE * pictures[0].shape[0] / pictures[0].shape[1])))
    small = np.array([cv2.resize(picture, size, interpolation=cv2.INTER_AREA) for picture in pictures])
    early = small[: max(1, int(UNDONE_EARLY * len(small)))]
    mean, block = [], []
    for j in np.linspace(UNDONE_LATE * len(small), len(small) - 1, UNDONE_FRAMES).astype(int):
        apart = np.abs(early - small[j])
        nearest = apart[apart.mean((1, 2)).argmin()]
        mean.append(float(nearest.mean()))
        block.append(float(cv2.resize(nearest, UNDONE_BLOCKS, interpolation=cv2.INTER_AREA).max()))
    return float(np.median(mean)), float(np.median(block))
