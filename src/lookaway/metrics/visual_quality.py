"""Do the frames look good, whatever they show (MemoBench)?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.metrics.aesthetic_score import PAPER_RANGE, RELEASED_RANGE, aesthetic
from lookaway.metrics.image_quality import quality


@metric(unit="share", better="higher", range=(0, 1), variant="paper", needs=["aesthetics", "clip_iqa"], version=1)
def visual_quality(case: Case) -> Outcome:
    """The mean of aesthetic score and image quality, each from 0 to 1; a frozen world looks as good as a living one."""
    return (aesthetic(case, PAPER_RANGE) + quality(case)) / 2


@metric(
    name="visual_quality",
    unit="share",
    better="higher",
    range=(0, 1),
    variant="released",
    needs=["aesthetics", "clip_iqa"],
    version=1,
)
def released(case: Case) -> Outcome:
    """The same, with aesthetic scores counted from 0 points on."""
    return (aesthetic(case, RELEASED_RANGE) + quality(case)) / 2
