"""Is a place that the clip shows twice the same place?"""

from __future__ import annotations

import numpy as np

from lookaway.geometry.visibility import MIN_HIDDEN_S
from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.revisit import TURN_DEG, asked_pairs
from lookaway.outcomes import Abstain, Gated, NotApplicable
from lookaway.seeing import MIN_PAIRS

CAME_BACK = 0.8  # of the angle turned out
SAME_WAY = 0.5  # cosine between the asked and the made turn
MIN_SHARED = 0.03  # of the frame
MIN_TOLD = 0.1  # of what is compared


def retraced(case: Case) -> Gated | Abstain | NotApplicable | None:
    """The camera is asked to pass the same views twice, and really turned out and back."""
    if (asked := asked_pairs(case.task)) < MIN_PAIRS:
        return NotApplicable(f"the asked camera shows {asked} views beyond the first one twice, two seconds apart")
    seen = case.seen["revisit"]
    if (lost := float(seen["lost_s"])) >= MIN_HIDDEN_S:
        return Abstain(f"camera not recovered for {lost:.1f} s: it may have been anywhere meanwhile")
    if (peak := float(seen["peak_deg"])) < TURN_DEG:
        return Gated("avoided", f"the camera never turned {TURN_DEG:g} degrees away; {peak:.1f} at most")
    if (back := float(seen["back_deg"])) < CAME_BACK * peak:
        return Gated("avoided", f"the camera turned {peak:.0f} degrees away and only {back:.0f} back")
    return None


@metric(
    unit="dB",
    better="higher",
    margin=1.0,
    needs=["revisit"],
    gates=["by_camera", "retraced"],
    phase_source="measured",
    version=1,
)
def revisit(case: Case) -> Outcome:
    """Mean PSNR between views on the way out and back, paired by recovered direction; 99 is the same picture.

    Over what lies beyond the first view. Another room scores 15 to 25, a compressed true clip 37 to 48.
    """
    seen = case.seen["revisit"]
    if float(seen["direction"]) < SAME_WAY:
        return Abstain("the camera turned another way than asked")
    told = seen["told"] >= MIN_TOLD
    usable = told & (seen["shared"] >= MIN_SHARED)
    if usable.sum() < MIN_PAIRS:
        blank = "; what lies beyond the first view is blank" if (~told).any() else ""
        return Abstain(f"only {usable.sum()} views are shown twice, two seconds apart{blank}")
    return float(np.mean(seen["psnr"][usable]))
