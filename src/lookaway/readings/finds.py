"""What the search for the subject found after a look-away."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookaway.observers import Floats
from lookaway.observers.replay import Replay
from lookaway.observers.replaying.search import FOUND
from lookaway.outcomes import Abstain
from lookaway.readings import Case

AS_WELL = 0.9  # of the best view before the look-away: what is worse may be covered in part
NOTHING_FOUND = "nothing that looks like the subject was found after the look-away"
NONE_WHOLE = "no frame after the look-away shows the subject's place whole"


class Finds(NamedTuple):
    """A row for each searched frame; places are shares of the frame."""

    explained: Floats  # by the true looks at the moment that fits best
    due_explained: Floats  # by those at the moment that was due
    place_x: Floats
    place_y: Floats
    due_x: Floats
    due_y: Floats
    extra: Floats  # area of further things that look like the subject, in areas of the subject


def finds(case: Case) -> Finds | Abstain:
    """What was found after the look-away of the case's round."""
    seen = case.saw(Replay)
    mine = seen.found_round == case.round
    if not mine.any():
        return Abstain(NONE_WHOLE)
    places = (seen.place_x, seen.place_y, seen.due_x, seen.due_y)
    return Finds(*(column[mine] for column in (seen.explained, seen.due_explained, *places, seen.extra)))


def is_missing(case: Case, round: int) -> bool:
    """Was the subject searched for after that look-away, and not found?"""
    seen = case.saw(Replay)
    explained = seen.explained[seen.found_round == round]
    return bool(len(explained) and np.median(explained) < FOUND)


def explained_as_before(case: Case, explained: Floats) -> float:
    """Median of explained shares, over the share explained before the first look-away.

    So a clip that draws the subject in its own manner, throughout, is not blamed for it.
    """
    shown = case.saw(Replay).shown
    before = float(np.median(shown[shown >= AS_WELL * shown.max()])) if len(shown) else 1.0
    share = float(np.median(explained))
    return float(np.clip(share / before if share > 0 and before >= FOUND else share, -1, 1))
