"""Gates: is this case comparable at all? A closed gate is a reason, never a score.

A gate looks at the same Case as the metric behind it and returns a Gated, or None when it is open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lookaway import replayed
from lookaway.errors import UnknownName
from lookaway.geometry.camera_scores import STATIC, inactivity
from lookaway.geometry.visibility import camera_hides, comes_home, has_opportunity
from lookaway.metrics import Case
from lookaway.metrics.revisit import retraced
from lookaway.outcomes import Abstain, Gated, NotApplicable
from lookaway.seeing import away_from_home, camera_score, home_again

GateFunction = Callable[[Case], Gated | Abstain | NotApplicable | None]


@dataclass(frozen=True)
class Gate:
    function: GateFunction
    asks: tuple[str, ...] = ()


def opportunity(case: Case) -> Gated | None:
    """The asked camera path could hide the subject and bring it back."""
    if has_opportunity(case.task):
        return None
    return Gated("no_opportunity", "what is asked never hides the subject long enough and brings it back")


def posed(case: Case) -> Gated | None:
    """What is asked can hide the subject and bring it back, or the clip is an observed twin of such a task."""
    return None if case.task.yoked else opportunity(case)


def by_camera(case: Case) -> NotApplicable | None:
    """It is the camera that is asked to hide the subject."""
    if camera_hides(case.task):
        return None
    return NotApplicable("the subject is hidden by a cover or leaves by itself; this metric reads the camera")


def home_bound(case: Case) -> NotApplicable | None:
    """The camera is asked to come back to the first view."""
    if comes_home(case.task):
        return None
    return NotApplicable("the camera is asked to return to another viewpoint; this metric compares the first one")


def turned_away(case: Case) -> Gated | Abstain | None:
    """The camera really took the subject's place out of view."""
    away = away_from_home(case)
    if isinstance(away, Abstain):
        return away
    return None if away.any() else Gated("avoided", "the camera never turned away from the subject's place")


def view_returned(case: Case) -> Gated | Abstain | None:
    """Having turned away, the camera came back to the first view."""
    back = home_again(case)
    if isinstance(back, Abstain):
        return back
    return None if back.any() else Gated("avoided", "the camera never came back to the first view")


def camera_active(case: Case) -> Gated | Abstain | NotApplicable | None:
    """The camera made some of the motion that was asked of it."""
    inactive = camera_score(case, inactivity)
    if isinstance(inactive, Abstain | NotApplicable):
        return inactive
    return Gated("avoided", STATIC) if inactive else None


def ever_hidden(case: Case) -> Gated | Abstain | None:
    """The subject really was out of sight for a while, once at least, by camera, cover or its own motion."""
    if (unknown := replayed.lost(case)) is not None:
        return unknown
    reason = replayed.stayed_in_sight(case)
    return Gated("avoided", reason) if reason else None


def left_view(case: Case) -> Gated | Abstain | None:
    """The subject really was out of sight in this round; an observed twin is asked about that of its task."""
    if (unknown := replayed.lost(case)) is not None:
        return unknown
    reason = "" if case.task.yoked else replayed.stayed_in_sight(case, case.round)
    return Gated("avoided", reason) if reason else None


def came_back(case: Case) -> Gated | None:
    """Afterwards, and before the next round, its place could be seen again as fully as asked."""
    reason = "" if case.task.yoked else replayed.stayed_away(case, case.round)
    return Gated("avoided", reason) if reason else None


GATES: dict[str, GateFunction] = {
    "opportunity": opportunity,
    "posed": posed,
    "by_camera": by_camera,
    "home_bound": home_bound,
    "turned_away": turned_away,
    "view_returned": view_returned,
    "camera_active": camera_active,
    "ever_hidden": ever_hidden,
    "left_view": left_view,
    "came_back": came_back,
    "retraced": retraced,
}


def get(name: str) -> Gate:
    if name not in GATES:
        raise UnknownName("gate", name, GATES)
    return Gate(GATES[name])
