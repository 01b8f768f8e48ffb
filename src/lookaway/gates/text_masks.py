"""Whether the target, found by its name, left the view at all."""

from __future__ import annotations

from lookaway.gates import gate
from lookaway.outcomes import Abstain, Gated
from lookaway.readings import Case
from lookaway.readings.text_masks import GONE_SHARE, gone_share, target_at_first


@gate(needs=["text_masks"], version=1)
def target_left(case: Case) -> Gated | Abstain | None:
    """The target is found while it should be in view, and no longer found in most frames in which it should be gone."""
    anchor = target_at_first(case)
    if isinstance(anchor, Abstain):
        return anchor
    gone = gone_share(case, anchor)
    if gone >= GONE_SHARE:
        return None
    return Gated("avoided", f"the target is still found in {1 - gone:.0%} of the frames in which it should be gone")
