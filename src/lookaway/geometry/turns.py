"""How far a camera path turns: three numbers that papers call by one name."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.trajectory import Floats


class Turns(NamedTuple):
    """Degrees. Of a pan out and back by 60: net 0, path 120, peak 60."""

    net: float  # from the first view to the last
    path: float  # all steps together, whichever way they go
    peak: float  # from the first view to the farthest one; never more than 180


def turns_of(poses: Floats) -> Turns:
    """Of a path (N, 3, 3) or (N, 4, 4), one pose a frame; a path that stands still has none."""
    from_first = turn_deg(poses, poses[:1])
    steps = turn_deg(poses[:-1], poses[1:])
    return Turns(float(from_first[-1]), float(np.sum(steps)), float(from_first.max()))
