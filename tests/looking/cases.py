"""Films of which nothing is known but the subject's box, each looked at by every observer that needs no truth."""

from __future__ import annotations

from functools import cache

import numpy as np

from lookaway.metrics import Case
from lookaway.observers import OBSERVERS, ObservedArrays
from tests.observers.panorama import PLACE, RED, Disc, away_and_back, filmed, look_at

LOOKERS = ("classical", "view", "signals", "same_place", "subject_track")


def rolling(i: int) -> list[Disc]:
    return [(PLACE[0] + 0.1 * i, PLACE[1], RED)]


@cache
def looked_at_cases() -> dict[str, Case]:
    """By what happens in them."""
    true, empty = filmed(away_and_back(), rolling), filmed(away_and_back(), lambda i: [])
    made = {
        "true": true,
        "vanished": np.concatenate([true[:30], empty[30:]]),
        "static camera": filmed([0.0] * len(true), rolling),
    }
    return {kind: _case(frames) for kind, frames in made.items()}


def _case(frames: np.ndarray) -> Case:
    look = look_at(frames, camera="")
    seen = {}
    for name in LOOKERS:
        arrays = OBSERVERS.get(name).function(look)
        assert isinstance(arrays, ObservedArrays), arrays
        seen[name] = arrays.arrays()
    return Case(look.task, None, seen, {})
