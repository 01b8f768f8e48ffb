"""One clip's camera, followed once for all observers: how every frame is turned from the first view, and how surely.

    found = follow(look)
    found.rotations[i], found.half_width_deg[i]

Corners are followed from frame to frame; every few frames features are recognised in pictures of the same direction, so
that coming back closes the loop. Each tie has a turn and its doubts; a frame is placed along its least doubtful path.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from weakref import WeakKeyDictionary

import numpy as np

from lookaway.observers import Flags, Floats, Indices, Look, ObservedArrays
from lookaway.observers.following.interval import Doubts
from lookaway.observers.following.matches import Features, Image, features, grey, recognised
from lookaway.observers.following.paths import Paths, Tie, contradicted, least_doubtful
from lookaway.observers.following.ties import MIN_AGREEING, Turn, focal_of, nearest_rotation, turn_between
from lookaway.observers.following.walk import walked
from lookaway.outcomes import Abstain
from lookaway.video import SharedFrames, resize

PATTERN_DEG = 0.06  # left after a turn: more, and the camera shifted as well or the picture is warped
SURE_TURN = 0.5  # confidence below it: no pure turn

__all__ = [
    "MIN_AGREEING",
    "SURE_TURN",
    "CameraTurns",
    "Features",
    "Follow",
    "features",
    "follow",
    "followed",
    "grey",
    "turn_of_pair",
]


class CameraTurns(ObservedArrays):
    """What every observer of the camera sees: one row per frame, turns counted from the first one."""

    seconds: Floats
    rotation: Floats  # (N, 3, 3)
    trusted: Flags  # could the frame be placed?
    confidence: Floats  # 0 to 1; from SURE_TURN on it is a pure turn of a rigid world
    half_width_deg: Floats  # (N, 2) of the nominal 90 % interval of yaw and pitch; 0: not known; infinite: not placed


@dataclass(frozen=True)
class Follow:
    """One row per frame of the video, turns counted from the task's first picture."""

    hfov_deg: float  # that they are read with
    rotations: Floats  # (N, 3, 3): this camera's rays to the first one's; where it is not trusted, the last trusted one
    trusted: Flags  # does it hang together with the first picture, and do its neighbours agree where it is?
    confidence: Floats  # 1 a pure turn, SURE_TURN leaves a pattern of PATTERN_DEG, towards 0 a shift or a warped world
    half_width_deg: Floats  # (N, 2) of yaw and pitch, nominal 90 %; infinite where not trusted
    agreeing: Floats  # share of corners that follow one turn from the frame before; towards 0 a cut
    stretch: Indices  # 0 hangs together with the first picture, k with the k-th frame that does not
    own_rotations: Floats  # (N, 3, 3): to the first frame of the stretch; where neighbours disagree, the one before
    features: dict[int, Features]  # of the keyframes, by frame; -1 is the first picture
    paths: tuple[Paths, ...]  # by step of the keyframes; row 0 is the first picture
    ties: tuple[tuple[Tie, ...], ...]  # by step, in numbers of pictures: frame + 1

    def through(self, hfov_deg: float) -> Follow:
        """The same clip through another lens; its pictures are not looked at again."""
        focal = focal_of(hfov_deg)
        known = {id(tie): tie.through(focal) for ties in self.ties for tie in ties}
        ties = [[tied for tie in ties if (tied := known[id(tie)]) is not None] for ties in self.ties]
        return _solved(ties, self.agreeing, self.features, hfov_deg)


_KNOWN: WeakKeyDictionary[SharedFrames, tuple[tuple[float, int, bytes], Follow | Abstain]] = WeakKeyDictionary()


def follow(look: Look) -> Follow | Abstain:
    """The clip's camera under the task's field of view.

    Kept as long as the frames are, so that all observers of one clip share the work.
    """
    asked = (look.task.hfov_deg, len(look.frames), look.first_frame.tobytes())
    if look.frames not in _KNOWN or _KNOWN[look.frames][0] != asked:
        _KNOWN[look.frames] = asked, _followed(look)
    return _KNOWN[look.frames][1]


def _followed(look: Look) -> Follow | Abstain:
    if len(look.frames) < 2:
        return Abstain("a single frame has no camera motion")
    height, width = look.frames.rgb.shape[1:3]
    found = followed(look.frames.rgb, resize(look.first_frame, (width, height)), look.task.hfov_deg)
    if (points := len(found.features[-1])) < MIN_AGREEING:
        return Abstain(f"the first frame has only {points} features to follow; it is blank or dark")
    if not found.trusted[0]:
        return Abstain("the video does not start at the task's first frame: another task's video?")
    return found


def followed(frames: Image, first: Image, hfov_deg: float) -> Follow:
    """Every frame (N, height, width, 3) placed against a first picture of the same size."""
    pictures = chain([grey(first)], (grey(rgb) for rgb in frames))
    taken = walked(pictures, len(frames) + 1, focal_of(hfov_deg))
    seen = {number - 1: found for number, found in taken.features.items()}
    return _solved(taken.ties, np.array(taken.agreeing[1:]), seen, hfov_deg)


def _solved(ties: list[list[Tie]], agreeing: Floats, seen: dict[int, Features], hfov_deg: float) -> Follow:
    """The two sets of ties, each solved by itself, in one."""
    paths = tuple(least_doubtful(each, len(agreeing) + 1) for each in ties)
    rooted = np.logical_and.reduce([path.root[1:] == 0 for path in paths])
    every, wide = (
        nearest_rotation(np.sum([path.rotations for path in paths], axis=0)),
        Doubts.of(paths).half_width_deg(),
    )
    allowed = ~contradicted(ties[0], every, wide)
    own = every[np.maximum.accumulate(np.where(allowed, np.arange(len(every)), 0))][1:]
    widths, trusted = wide[1:], rooted & allowed[1:]
    pattern = np.max([path.pattern_deg[1:] for path in paths], axis=0)
    last = np.maximum.accumulate(np.where(trusted, np.arange(len(trusted)), -1))
    found = Follow(
        hfov_deg=hfov_deg,
        rotations=np.where((last >= 0)[:, None, None], own[last], np.eye(3)),
        trusted=trusted,
        confidence=np.where(trusted, 1 / (1 + (pattern / PATTERN_DEG) ** 2), 0.0),
        half_width_deg=np.where(trusted[:, None], widths, np.inf),
        agreeing=agreeing,
        stretch=np.where(rooted, 0, np.maximum(1, paths[0].root[1:])),
        own_rotations=own,
        features=seen,
        paths=paths,
        ties=tuple(tuple(each) for each in ties),
    )
    for array in (found.rotations, found.trusted, found.confidence, found.half_width_deg, found.own_rotations):
        array.flags.writeable = False  # they are shared
    return found


def turn_of_pair(found: Follow, frames: Image, here: int, there: int) -> Turn | None:
    """The turn between two frames by what is recognised in both, features being found once; None where none is."""
    for frame in (here, there):
        if frame not in found.features:
            found.features[frame] = features(grey(frames[frame]))
    matches = recognised(found.features[here], found.features[there])
    return turn_between(matches.here, matches.there, focal_of(found.hfov_deg))
