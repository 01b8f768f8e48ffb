"""The subject before and after a look-away, by learned features."""

from __future__ import annotations

import numpy as np

from lookaway.observers.tracking.sights import SubjectSights
from lookaway.outcomes import Abstain
from lookaway.readings import Case
from lookaway.readings.finds import NOTHING_FOUND
from lookaway.readings.track import Absence, absences


def learned_identity(seen: SubjectSights, absence: Absence) -> float | None:
    """The median over its sights after a look-away of the likeness to the likest before; None without such sights."""
    before, after = (np.isin(seen.frames, sights) for sights in (absence.before, absence.after))
    if not before.any() or not after.any():
        return None
    return float(np.median((seen.class_token[after] @ seen.class_token[before].T).max(axis=1).clip(-1, 1)))


def least_learned_identity(case: Case, seen: SubjectSights) -> float | Abstain:
    """The least over the look-aways after which it was found again."""
    told = [learned_identity(seen, absence) for absence in absences(case) if absence.refound]
    known = [likeness for likeness in told if likeness is not None]
    return min(known) if known else Abstain(NOTHING_FOUND)
