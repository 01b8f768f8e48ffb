"""Whether the subject, followed from its box alone, was hidden and due again, and whether its colours tell it."""

from __future__ import annotations

from lookaway.gates import gate
from lookaway.observers.subject_track import SubjectTrack
from lookaway.outcomes import Abstain, Gated
from lookaway.readings import Case
from lookaway.readings.camera import PATH_PLACED_SHARE
from lookaway.readings.track import (
    BACK_FRAMES,
    IN_SIGHT,
    NEVER_AWAY,
    NOT_OUT,
    STANDS_OUT,
    absences,
    place_out_of_view,
    was_due,
)

WATCHED = ("observed", "static")  # twins that are asked to keep the subject in sight


@gate(needs=["subject_track"], version=1)
def subject_left(case: Case) -> Gated | None:
    """The subject was out of sight for half a second, once at least, however it was hidden."""
    if absences(case):
        return None
    return _never(case, IN_SIGHT)


@gate(needs=["subject_track"], version=1)
def stands_out(case: Case) -> Abstain | None:
    """Its colours tell the subject from the rest of the first frame."""
    precision = case.saw(SubjectTrack).precision
    if precision >= STANDS_OUT:
        return None
    return Abstain(f"{NOT_OUT}: of all that has them in the first frame, {precision:.0%} is the subject")


@gate(needs=["subject_track"], version=1)
def subject_due(case: Case) -> Gated | None:
    """Having been hidden, the subject or its first place came back into view."""
    if was_due(case):
        return None
    return Gated("avoided", "neither the subject nor its first place came back into view")


@gate(needs=["subject_track"], version=1)
def place_left(case: Case) -> Gated | Abstain | None:
    """The camera turned the subject's first place out of view for a few frames."""
    seen = case.saw(SubjectTrack)
    if (trusted := seen.trusted.mean()) < PATH_PLACED_SHARE:
        return Abstain(f"camera not recovered: {trusted:.0%} of frames could be placed")
    if place_out_of_view(seen).sum() >= BACK_FRAMES:
        return None
    return _never(case, NEVER_AWAY)


def _never(case: Case, reason: str) -> Gated:
    """A twin that is asked to keep watching does not avoid the question."""
    return Gated("no_opportunity" if case.task.twin in WATCHED else "avoided", reason)
