"""What StEvo-Bench's verifiers ask, told of any video without truth and without a judge, as far as that can be.

The subject is followed from its box (`subject_track`), the film and the place are read by `signals` and `same_place`.
What these cannot tell stays unsaid: a floating or a sunken thing looks to them like any other.
"""

from __future__ import annotations

import numpy as np

from lookaway.judges.prompting.context import NONE, hiding_kind
from lookaway.observers.same_place import SamePlace
from lookaway.observers.signals import Signals
from lookaway.observers.subject_track import SubjectTrack
from lookaway.outcomes import Abstain, NotApplicable
from lookaway.readings import Case
from lookaway.readings.film import OTHER_LIKENESS, is_still, slowly_replaced
from lookaway.readings.finds import NOTHING_FOUND
from lookaway.readings.track import (
    IN_SIGHT,
    NOT_OUT,
    STANDS_OUT,
    Absence,
    absences,
    another_share,
    identity,
    is_replaced,
    moved_deg,
    places,
    was_due,
    way_deg,
    whole,
    worst,
)
from lookaway.readings.verdicts import Verdict, every_verdict

SAME_LOOKS = 0.5  # of identity: below it, another thing (protocol `real`)
DOUBLED = 0.5  # of the frames after a look-away
REPLACED = 0.5  # of comparisons
GOES_DEG = 3.0  # a subject that would go less far while hidden, at its pace, has no way to tell
FURTHER, STOOD = 0.5, 0.25  # of what is due at its pace before: from there on it went on, up to there it stood still


def hidden_as_followed(case: Case) -> Verdict:
    """Was it out of sight for half a second, or was nothing to hide it?"""
    if hiding_kind(case.task) == NONE:
        return 1.0
    return _unfollowed(case) or float(bool(absences(case)))


def _unfollowed(case: Case) -> Abstain | None:
    precision = case.saw(SubjectTrack).precision
    return None if precision >= STANDS_OUT else Abstain(NOT_OUT)


def started_as_followed(case: Case) -> Verdict:
    """Nothing to be done is 1, a picture that never changes 0; whose effect a change is, nobody can tell."""
    if case.task.action_control == NONE:
        return 1.0
    return (
        0.0 if is_still(case.saw(Signals)) else Abstain("that something changes does not tell what it is the effect of")
    )


def progressed_as_followed(case: Case) -> Verdict | NotApplicable:
    """Is it further along its way, at least half as far as at its pace before it was hidden?"""
    if case.task.event == "none":
        return NotApplicable("nothing happens in this task")
    if not case.task.moves:
        return Abstain("how far a change in place should get, nobody can tell without the truth")
    if (unknown := _unfollowed(case)) is not None:
        return unknown
    gone = absences(case)
    if not gone:
        return Abstain(IN_SIGHT)
    if not gone[0].refound:
        return Abstain(NOTHING_FOUND)
    share = _along(case.saw(SubjectTrack), gone[0])
    if share is None:
        return Abstain("it hardly moves in sight, so that its pace cannot be told")
    if STOOD < share < FURTHER:
        return Abstain(f"it got {share:.0%} as far as its pace before: neither a standstill nor plain progress")
    return float(share >= FURTHER)


def _along(seen: SubjectTrack, absence: Absence) -> float | None:
    """How much of its way at its pace before it went while hidden; None where it hardly moved."""
    last, going, now = way_deg(seen, absence)
    length = float(np.hypot(*going))
    return float((now - last) @ going) / length**2 if length >= GOES_DEG else None


def plausible_as_followed(case: Case) -> Verdict:
    """Does it come back as the same thing, in a room that is not replaced bit by bit?"""
    if (unknown := _unfollowed(case)) is not None:
        return unknown
    film = case.saw(Signals)
    room = 1.0 if not len(film.lag_tied) else float(slowly_replaced(film).mean() <= REPLACED)
    least = worst(case, lambda seen, absence: -identity(seen, absence))
    thing: Verdict = least if isinstance(least, Abstain) else float(-least >= SAME_LOOKS)
    return every_verdict([room, thing])


def coherent_as_followed(case: Case) -> Verdict:
    """One take, of one place, in which it comes back once and neither gone nor replaced?"""
    return every_verdict([float(not case.saw(Signals).cut.any()), _one_place(case), _one_subject(case)])


def _one_place(case: Case) -> Verdict:
    alike = case.saw(SamePlace).likeness
    told = alike[~np.isnan(alike)]
    return float(np.median(told) >= OTHER_LIKENESS) if len(told) else 1.0


def _one_subject(case: Case) -> Verdict:
    if (unknown := _unfollowed(case)) is not None:
        return unknown
    gone = absences(case)
    if not gone:
        return 1.0
    if not was_due(case):
        return Abstain("neither the subject nor its first place came back into view")
    if not all(absence.refound for absence in gone) or is_replaced(case):
        return 0.0
    another = another_share(case)
    return another if isinstance(another, Abstain) else float(another <= DOUBLED)


def nearer_its_first_place(case: Case) -> float | Abstain:
    """1 where it comes back at the place that it had at first, -1 at the one it was last seen at; the most of all."""
    seen = case.saw(SubjectTrack)
    told = [_nearer_first(seen, absence) for absence in absences(case) if absence.refound]
    known = [each for each in told if each is not None]
    return max(known) if known else Abstain("it had hardly left its first place when it was hidden, or is not found")


def _nearer_first(seen: SubjectTrack, absence: Absence) -> float | None:
    spots = places(seen, np.append(0, whole(seen, absence.before)[-1:]))
    from_last, from_first = moved_deg(seen, absence)
    left = float(np.hypot(*(spots[1] - spots[0])))
    return (from_last - from_first) / max(from_last + from_first, left) if left >= GOES_DEG else None
