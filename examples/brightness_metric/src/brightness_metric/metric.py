"""Is the last frame as bright as the first?"""

from __future__ import annotations

from brightness_metric.observer import Brightness
from lookaway.metrics import Case, Outcome, metric
from lookaway.outcomes import Abstain


@metric(unit="share", better="higher", range=(0, 1), needs=["brightness"], version=1)
def brightness_kept(case: Case) -> Outcome:
    """Darker of first and last frame over the brighter; 1 is unchanged, 0 is a picture that went black or lit up."""
    first, last = (float(case.saw(Brightness).grey[i]) for i in (0, -1))
    if max(first, last) == 0:
        return Abstain("both frames are black")
    return min(first, last) / max(first, last)
