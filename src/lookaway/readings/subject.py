"""When the subject itself was seen, by its colours."""

from __future__ import annotations

from lookaway.geometry.rounds import Phases
from lookaway.geometry.visibility import phases_from_visible
from lookaway.observers.subject import SubjectMasks
from lookaway.readings import Case


def subject_phases(case: Case) -> Phases:
    """Visible, hidden and returned as measured in the video itself."""
    seen = case.saw(SubjectMasks)
    return phases_from_visible(seen.seconds, seen.visible)
