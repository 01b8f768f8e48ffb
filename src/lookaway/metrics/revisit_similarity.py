"""Does the clip show after the return what the true clip shows, to CLIP (MemoBench, its code alone)?"""

from __future__ import annotations

import numpy as np

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.returned_views import ReturnedViews
from lookaway.stats.normalised import percent_of_range


@metric(
    unit="cosine",
    better="higher",
    range=(0, 1),
    variant="released",
    needs=["returned_views"],
    needs_truth=("clip",),
    phase_source="mapped",
    version=1,
)
def revisit_similarity(case: Case) -> Outcome:
    """The mean cosine of three returned frames and the true frames beside them; 1 is the same, below 0 counts as 0."""
    return percent_of_range(float(np.mean(case.saw(ReturnedViews).cosine)), 0, 1) / 100
