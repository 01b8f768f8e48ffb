"""What the task asks: known before anybody looks."""

from __future__ import annotations

from lookaway.gates import gate
from lookaway.geometry.visibility import camera_hides, comes_home, has_opportunity
from lookaway.outcomes import Gated, NotApplicable
from lookaway.readings import Case

NEVER_POSED = "what is asked never hides the subject long enough and brings it back"


@gate(version=1)
def opportunity(case: Case) -> Gated | None:
    """The asked camera path could hide the subject and bring it back."""
    if has_opportunity(case.task):
        return None
    return Gated("no_opportunity", NEVER_POSED)


@gate(version=1)
def posed(case: Case) -> Gated | None:
    """What is asked can hide the subject and bring it back, or the clip is an observed twin of such a task."""
    if case.task.yoked or has_opportunity(case.task):
        return None
    return Gated("no_opportunity", NEVER_POSED)


@gate(version=1)
def by_camera(case: Case) -> NotApplicable | None:
    """It is the camera that is asked to hide the subject, or nothing is asked and the camera may do anything."""
    if camera_hides(case.task) or _unasked(case):
        return None
    return NotApplicable("the subject is hidden by a cover or leaves by itself; this metric reads the camera")


@gate(version=1)
def home_bound(case: Case) -> NotApplicable | None:
    """The camera is asked, if anything, to come back to the first view."""
    if _unasked(case) or comes_home(case.task):
        return None
    return NotApplicable("the camera is asked to return to another viewpoint; this metric compares the first one")


def _unasked(case: Case) -> bool:
    return not case.task.camera_asked and not case.task.cover
