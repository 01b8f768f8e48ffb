"""When the first view was left, when it was back, and which moments of the truth to compare then."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.visibility import MIN_HIDDEN_S, frames_in, phases_from_visible
from lookaway.observers import Flags, Floats, Indices
from lookaway.observers.view import HomeView
from lookaway.outcomes import Abstain
from lookaway.readings import Case
from lookaway.readings.camera import camera_lost, either_way

HOME_OVERLAP = 0.8  # share of the first view that must be back in view to call it returned
AWAY_SHARE = 0.02  # share of the subject's first box still in view below which its place is out of view
MIN_PAIRS = 3
PAIR_WITHIN_S = 0.1
TRUTH_HOME_DEG = 12.0  # a fifth of the known world's 60 degrees: about HOME_OVERLAP of the first view is back


def away_from_home(case: Case) -> Flags | Abstain:
    """Frames in which the subject's first place is out of view, in runs of at least MIN_HIDDEN_S."""
    view = case.saw(HomeView)
    unknown = camera_lost(view)
    return _away(view, view.home_in_view) if unknown is None else unknown


def home_again(case: Case) -> Flags | Abstain:
    """Frames after the last time away in which the first view is back."""
    view = case.saw(HomeView)
    unknown = camera_lost(view)
    return _back(view, view.home_in_view, view.overlap) if unknown is None else unknown


def ever_away(case: Case) -> bool | Abstain:
    """Did the camera take the subject's first place out of view, wherever in its interval it was?"""
    view = case.saw(HomeView)
    if (unknown := camera_lost(view)) is not None:
        return unknown
    told = {bool(_away(view, home).any()) for home in (view.home_in_view, *view.home_bounds.T)}
    return told.pop() if len(told) == 1 else either_way(view)


def ever_back(case: Case) -> bool | Abstain:
    """Did the first view come back after it was away, wherever in its interval the camera was?"""
    view = case.saw(HomeView)
    if (unknown := camera_lost(view)) is not None:
        return unknown
    overlaps = (view.overlap, *view.overlap_bounds.T)
    told = {bool(_back(view, view.home_in_view, overlap).any()) for overlap in overlaps}
    return told.pop() if len(told) == 1 else either_way(view)


def _away(view: HomeView, home_in_view: Floats) -> Flags:
    in_view = ~(view.trusted & (home_in_view < AWAY_SHARE))
    away = np.zeros(len(in_view), bool)
    for interval in phases_from_visible(view.seconds, in_view, MIN_HIDDEN_S):
        if interval.phase == "hidden":
            away |= (view.seconds >= interval.start_s) & (view.seconds < interval.end_s)
    return np.asarray(away & ~in_view)


def _back(view: HomeView, home_in_view: Floats, overlap: Floats) -> Flags:
    away = _away(view, home_in_view)
    back = np.zeros(len(away), bool)
    if away.any():
        last = int(np.flatnonzero(away)[-1])
        back[last + 1 :] = (view.trusted & (overlap >= HOME_OVERLAP))[last + 1 :]
    return back


class Pairs(NamedTuple):
    """Frames of the clip and of the truth taken at the same second, both views being back."""

    clip: Indices
    truth: Indices


def both_returned(case: Case) -> Pairs | Abstain:
    """Moments after the look-away when clip and truth both look at the first view and the truth shows the subject."""
    truth, world = case.known()
    back = home_again(case)
    if isinstance(back, Abstain):
        return back
    at_home = turn_deg(world.camera_to_world, world.camera_to_world[0]) < TRUTH_HOME_DEG
    returned = frames_in(truth.seconds, truth.phases, "returned")
    usable = np.flatnonzero(returned & at_home & (world.visible > 0))
    clip = np.flatnonzero(back)
    if not len(usable) or not len(clip):
        return Abstain("the truth never shows the subject again in the first view")
    seconds = case.saw(HomeView).seconds
    nearest = usable[np.abs(truth.seconds[usable][None] - seconds[clip][:, None]).argmin(1)]
    close = np.abs(truth.seconds[nearest] - seconds[clip]) <= PAIR_WITHIN_S
    if close.sum() < MIN_PAIRS:
        return Abstain(f"only {close.sum()} moments at which the clip and the truth are both back in the first view")
    return Pairs(clip[close], nearest[close])
