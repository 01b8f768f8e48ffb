"""While it is in sight, does its state go as the event says (WRBench)?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.probes import VISIBLE_STATE, mean_evidence


@metric(
    unit="evidence",
    better="higher",
    range=(0, 1),
    name="visible_state",
    variant="paper",
    asks=VISIBLE_STATE.asks("paper"),
    version=1,
)
def paper(case: Case) -> Outcome:
    """Evidence that the state comes to what the event says, advances or holds as it says, and against a breach.

    The judge is told scene, event, target, camera and visibility, as planned.
    """
    return mean_evidence(case, VISIBLE_STATE, "paper")


@metric(
    unit="evidence",
    better="higher",
    range=(0, 1),
    name="visible_state",
    variant="released",
    asks=VISIBLE_STATE.asks("released"),
    version=1,
)
def released(case: Case) -> Outcome:
    """The same of a judge that is told the event alone."""
    return mean_evidence(case, VISIBLE_STATE, "released")


@metric(
    unit="evidence", better="higher", range=(0, 1), name="visible_state", asks=VISIBLE_STATE.asks("sound"), version=1
)
def sound(case: Case) -> Outcome:
    """The same of a judge that is told event and target, and that what was asked for need not have happened."""
    return mean_evidence(case, VISIBLE_STATE, "sound")
