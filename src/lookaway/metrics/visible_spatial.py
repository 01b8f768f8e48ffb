"""While it is in sight, is everything where the event puts it (WRBench)?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.probes import VISIBLE_SPATIAL, mean_evidence


@metric(
    unit="evidence",
    better="higher",
    range=(0, 1),
    name="visible_spatial",
    variant="paper",
    asks=VISIBLE_SPATIAL.asks("paper"),
    version=1,
)
def paper(case: Case) -> Outcome:
    """Evidence that the target is where the event has it, that fixed things keep their places, and against a breach.

    The judge is told scene, event, target, camera and visibility, as planned.
    """
    return mean_evidence(case, VISIBLE_SPATIAL, "paper")


@metric(
    unit="evidence",
    better="higher",
    range=(0, 1),
    name="visible_spatial",
    variant="released",
    asks=VISIBLE_SPATIAL.asks("released"),
    version=1,
)
def released(case: Case) -> Outcome:
    """The same of a judge that is told the event alone."""
    return mean_evidence(case, VISIBLE_SPATIAL, "released")


@metric(
    unit="evidence",
    better="higher",
    range=(0, 1),
    name="visible_spatial",
    asks=VISIBLE_SPATIAL.asks("sound"),
    version=1,
)
def sound(case: Case) -> Outcome:
    """The same of a judge that is told event and target, and that what was asked for need not have happened."""
    return mean_evidence(case, VISIBLE_SPATIAL, "sound")
