"""Is a place that the clip shows twice the same place?"""

from __future__ import annotations

import numpy as np

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.revisit import Revisit
from lookaway.outcomes import Abstain
from lookaway.readings.view import MIN_PAIRS

SAME_WAY = 0.5  # cosine between the asked and the made turn
MIN_SHARED = 0.03  # of the frame
MIN_TOLD = 0.1  # of what is compared


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
    seen = case.saw(Revisit)
    if seen.direction < SAME_WAY:
        return Abstain("the camera turned another way than asked")
    told = seen.told >= MIN_TOLD
    usable = told & (seen.shared >= MIN_SHARED)
    if usable.sum() < MIN_PAIRS:
        blank = "; what lies beyond the first view is blank" if (~told).any() else ""
        return Abstain(f"only {usable.sum()} views are shown twice, two seconds apart{blank}")
    return float(np.mean(seen.psnr[usable]))
