"""When the view is back, is it the same thing?"""

from __future__ import annotations

from lookaway.metrics import KNOWN_GATES, WORLD, Case, Outcome, metric
from lookaway.outcomes import Abstain
from lookaway.readings.finds import explained_as_before, finds


@metric(
    unit="explained",
    better="higher",
    margin=0.05,
    range=(-1, 1),
    needs=["replay"],
    gates=KNOWN_GATES,
    needs_truth=WORLD,
    phase_source="measured",
    rounds=True,
    version=2,
)
def return_identity(case: Case) -> Outcome:
    """How well the subject's true looks, at any moment, explain what is found anywhere in the view.

    1 is as well as before it was hidden, 0 no better than nothing being there, below 0 worse.
    """
    after = finds(case)
    return after if isinstance(after, Abstain) else explained_as_before(case, after.explained)
