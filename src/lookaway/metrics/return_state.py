"""When the view is back, does the subject look as it should by then?"""

from __future__ import annotations

from lookaway.metrics import KNOWN_GATES, WORLD, Case, Outcome, metric
from lookaway.outcomes import Abstain
from lookaway.readings.finds import explained_as_before, finds


@metric(
    unit="explained",
    better="higher",
    margin=0.02,
    range=(-1, 1),
    needs=["replay"],
    gates=KNOWN_GATES,
    needs_truth=WORLD,
    phase_source="measured",
    rounds=True,
    version=2,
)
def return_state(case: Case) -> Outcome:
    """How well the true looks due at that moment explain the subject, wherever it is.

    1 is as well as before it was hidden, 0 no better than nothing being there, below 0 worse.
    """
    after = finds(case)
    return after if isinstance(after, Abstain) else explained_as_before(case, after.due_explained)
