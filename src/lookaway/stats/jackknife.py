"""95 % intervals for any smooth number that is made of totals over scenes, such as a ratio of two rates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.intervals import Estimate, scene_mean

Summary = Callable[[Floats], float]  # of the totals, one per column; not a number where they do not suffice


def jackknifed(scenes: Floats, summary: Summary) -> Estimate | None:
    """What the column totals of (scenes, columns) come to, with an interval from leaving out each scene in turn.

    For a mean over scenes of equal size it is the interval of `scene_mean`. None where the totals do not suffice; no
    interval where they would not without some scene.
    """
    order = np.lexsort(scenes.T)
    scenes, totals, many = scenes[order], scenes[order].sum(axis=0), len(scenes)
    value = summary(totals)
    if not np.isfinite(value):
        return None
    if many < 2:
        return Estimate(value, None, None, "too few scenes (1)")
    return left_out(value, np.array([summary(totals - one) for one in scenes]))


def left_out(value: float, without: Floats) -> Estimate:
    """A number with its interval from what it is without each of two scenes or more."""
    many = len(without)
    if not np.isfinite(without).all():
        return Estimate(value, None, None, "hangs on a single scene")
    found = scene_mean(many * value - (many - 1) * without, np.ones(many))
    if found.low is None or found.high is None:
        return Estimate(value, None, None, found.method)
    off = value - found.value  # the pseudo-values' mean is off by the bias, which has no part in what is printed
    return Estimate(value, found.low + off, found.high + off, f"jackknife, {found.method}")
