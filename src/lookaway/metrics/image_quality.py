"""How good is the quality of the frames, to CLIP-IQA+ (MemoBench)?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.picture_workers import ClipIqa
from lookaway.stats.normalised import percent_of_range


@metric(unit="share", better="higher", range=(0, 1), variant="paper", needs=["clip_iqa"], version=1)
def image_quality(case: Case) -> Outcome:
    """The mean of CLIP-IQA+ over every fourth frame: 0 bad, 1 good. Paper and release agree."""
    return quality(case)


def quality(case: Case) -> float:
    return percent_of_range(float(case.saw(ClipIqa).score.mean()), 0, 1) / 100
