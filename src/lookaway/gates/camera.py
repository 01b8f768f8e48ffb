"""What the camera did with what was asked of it."""

from __future__ import annotations

from lookaway.gates import gate
from lookaway.geometry.camera_scores import STATIC, inactivity
from lookaway.outcomes import Abstain, Gated, NotApplicable
from lookaway.readings import Case
from lookaway.readings.camera import camera_verdict


@gate(needs=["classical"], version=2)
def camera_active(case: Case) -> Gated | Abstain | NotApplicable | None:
    """The camera made some of the motion that was asked of it."""
    inactive = camera_verdict(case, inactivity)
    if isinstance(inactive, Abstain | NotApplicable):
        return inactive
    return Gated("avoided", STATIC) if inactive else None
