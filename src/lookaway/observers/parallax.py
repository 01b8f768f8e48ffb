"""Does the camera walk? Then things shift against each other as no turn shifts them, and all along lines to one point.

A warped picture or a wrong lens leaves as much behind as a walk does. But what a walk leaves, a walk explains.
"""

from __future__ import annotations

import cv2
import numpy as np

from lookaway.observers import Floats
from lookaway.observers.following import Follow
from lookaway.observers.following.matches import Matches
from lookaway.observers.following.paths import Tie
from lookaway.observers.following.ties import MIN_AGREEING, focal_of, nearest_rotation, rays, sampled_turn

LEAST_LAG = 4  # frames: in less nobody walks far
FEWEST = 30  # matches
ROUNDS = 6
LEAST_OFF_DEG = 0.05  # a match nearer to its place counts no more
LEAST_LEFT_DEG = 0.02  # no picture is told more finely
EXPLAINED = 4.0  # times as much is left by the best turn as by the best walk: a warp leaves both alike
LENSES = (0.8, 0.9, 1.0, 1.1, 1.2)  # of the declared field of view: what one of them explains is no walk
PARTS, PART_WIDE = (-0.3, 0.0, 0.3), 0.4  # of the width: where one thing may move by itself
TRIED = 12  # pairs: those that a turn explains least
SEED = 0  # of the walk's samples


def parallaxes(found: Follow) -> Floats:
    """Per pair of frames, in degrees: how far things shift beyond a turn as a walk explains; the median of the matches.

    Of the pairs that a turn explains least; 0 where it is a warp, or a turn through another lens than the declared one.
    """
    ties = sorted(_apart(found), key=lambda tie: -_left_by_turn(tie.matches, found.hfov_deg))[:TRIED]
    return np.array([parallax_deg(tie.matches, found.hfov_deg) for tie in ties])


def parallax_deg(matches: Matches, hfov_deg: float) -> float:
    """What no lens explains, nor a thing that moves by itself in one part of the picture."""
    lens = min((hfov_deg * times for times in LENSES), key=lambda each: _left_by_turn(matches, each))
    left = min(_left_by_turn(_without(matches, middle), lens) for middle in (None, *PARTS))
    return left if left > EXPLAINED * _left_by_walk(matches, hfov_deg) else 0.0


def _without(matches: Matches, middle: float | None) -> Matches:
    """What lies beside an upright part of the picture."""
    beside = np.abs(matches.there[:, 0] - middle) > PART_WIDE / 2 if middle is not None else slice(None)
    return matches._replace(here=matches.here[beside], there=matches.there[beside])


def _apart(found: Follow) -> list[Tie]:
    """Ties over some frames, each once."""
    ties = {(tie.there, tie.here): tie for step in found.ties for tie in step if tie.here - tie.there >= LEAST_LAG}
    return [tie for tie in ties.values() if len(tie.matches.here) >= FEWEST]


def _rays(matches: Matches, hfov_deg: float) -> tuple[Floats, Floats]:
    focal = focal_of(hfov_deg)
    return rays(matches.here, focal), rays(matches.there, focal)


def _left_by_turn(matches: Matches, hfov_deg: float) -> float:
    """Degrees that the best turn leaves in the median, far matches pulling no more than near ones; 0: too few."""
    a, b = _rays(matches, hfov_deg)
    if len(a) < MIN_AGREEING:
        return 0.0
    rotation = sampled_turn(a, b)
    for _ in range(ROUNDS):
        off = np.linalg.norm(a @ rotation.T - b, axis=1)
        weights = 1 / np.maximum(off, np.deg2rad(LEAST_OFF_DEG))
        rotation = nearest_rotation((b * weights[:, None]).T @ a)
    return float(np.rad2deg(np.median(np.linalg.norm(a @ rotation.T - b, axis=1))))


def _left_by_walk(matches: Matches, hfov_deg: float) -> float:
    """Degrees from the lines on which a camera that turned and walked would see them, in the median."""
    a, b = _rays(matches, hfov_deg)
    cv2.setRNGSeed(SEED)
    here, there = a[:, :2] / a[:, 2:], b[:, :2] / b[:, 2:]
    essential, _ = cv2.findEssentialMat(here, there, np.eye(3), method=cv2.LMEDS, prob=0.99)
    if essential is None or essential.shape != (3, 3):
        return float("inf")
    lines = a @ essential.T
    off = np.abs((lines * b).sum(1)) / np.maximum(np.linalg.norm(lines, axis=1), 1e-12)
    return max(LEAST_LEFT_DEG, float(np.rad2deg(np.median(off))))
