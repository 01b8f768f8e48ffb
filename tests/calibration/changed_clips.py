"""A clip of a red disc that rolls while the camera looks away and back, with everything about it known."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from lookaway.calibration.own_clips.seen_clip import AwaySpan, SeenClip
from lookaway.geometry.trajectory import yaw_matrix
from tests.observers.panorama import FPS, HFOV_DEG, PLACE, RED, Disc, away_and_back, box_of, filmed

EMPTY: list[Disc] = []


def rolling(i: int) -> list[Disc]:
    return [(PLACE[0] + 0.1 * i, PLACE[1], RED)]


@cache
def frames(empty: bool = False, aside_deg: float = 0.0) -> np.ndarray:
    """The clip; without the disc; or as from elsewhere in the room."""
    yaws = [yaw + aside_deg for yaw in away_and_back()]
    return filmed(yaws, lambda i: EMPTY if empty else rolling(i))


@cache
def a_clip() -> SeenClip:
    rgb, yaws = frames(), away_and_back()
    masks = np.abs(rgb.astype(int) - frames(empty=True)).max(3) > 25
    hidden = np.flatnonzero(~masks.any((1, 2)))
    return SeenClip(
        rgb=rgb,
        fps=FPS,
        hfov_deg=HFOV_DEG,
        rotations=np.stack([yaw_matrix(yaw) for yaw in yaws]),
        trusted=np.ones(len(rgb), bool),
        box=box_of(*PLACE),
        masks=masks,
        away=AwaySpan(int(hidden[0]), int(np.argmax(yaws)) + 7, int(hidden[-1]) + 1),
        why_not_away="",
        why_no_subject="",
    )


def another_clip() -> SeenClip:
    rgb = frames(aside_deg=150.0)
    return replace(a_clip(), rgb=rgb, masks=np.zeros((len(rgb), 1, 1), bool))
