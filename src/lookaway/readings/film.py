"""What signals without truth mean: the film itself, and whether a place that is shown twice is one place."""

from __future__ import annotations

from typing import Literal

import numpy as np

from lookaway.observers import Flags
from lookaway.observers.same_place import SamePlace
from lookaway.observers.signals import TIED_SHARE, Signals
from lookaway.outcomes import Abstain

REPLACED_LIKENESS = 0.7  # of a view that stayed: below it, and untied, the place was replaced bit by bit
UNDONE_GREY, UNDONE_BLOCK = 3.0, 10.0  # levels: time runs back where late frames are as near as that to early ones
STILL_GREY = 2.0  # levels from the first frame: a film that never changes more is a still picture
WALKED_DEG = 0.2  # things shift by more against each other: the camera walks
WALKED_PAIRS = 3  # of frames must show it
GREW = 0.25  # of a logarithm: things have become a quarter larger or smaller
SAME_LIKENESS = 0.85
OTHER_LIKENESS = 0.57  # of two rooms
LEFT_DEG = 15.0  # from the first view, to have left it

PlaceWord = Literal["the same", "the same, much changed", "changed or made up anew", "another", "too plain to tell"]


def place_word(tied: float, likeness: float) -> PlaceWord:
    """What two views of one direction show, by the share of features that tie them and their likeness."""
    if np.isnan(likeness):
        return "too plain to tell"
    if tied >= TIED_SHARE:
        return "the same" if likeness >= SAME_LIKENESS else "the same, much changed"
    return "changed or made up anew" if likeness >= OTHER_LIKENESS else "another"


def slowly_replaced(seen: Signals) -> Flags:
    """Per comparison of two frames with the same place in view all the while: is it another place?"""
    return np.asarray((seen.lag_tied < TIED_SHARE) & (seen.lag_likeness < REPLACED_LIKENESS))


def is_still(seen: Signals) -> bool:
    return bool(seen.change.max() < STILL_GREY)


def is_undone(seen: Signals) -> bool | Abstain:
    """Is the second half the first one backwards? A film that never changes has no direction."""
    if is_still(seen):
        return Abstain("the picture never changes, so time has no direction")
    return seen.undone_grey < UNDONE_GREY and seen.undone_block < UNDONE_BLOCK


def walked_deg(seen: Signals) -> float:
    """How far things shift against each other as only a walk of the camera makes them, in a few pairs of frames."""
    return float(np.sort(seen.parallax_deg)[-WALKED_PAIRS]) if len(seen.parallax_deg) >= WALKED_PAIRS else 0.0


def never_twice(seen: SamePlace) -> str:
    """Why no view is shown twice; empty where some are."""
    if len(seen.tied):
        return ""
    if seen.left_deg < LEFT_DEG:
        return f"the camera never turned {LEFT_DEG:g} degrees away; {seen.left_deg:.0f} at most"
    home = "" if np.isinf(seen.home_deg) else f", {seen.home_deg:.0f} degrees from the first one at the nearest"
    return f"the camera turned {seen.left_deg:.0f} degrees away and shows no view twice{home}"
