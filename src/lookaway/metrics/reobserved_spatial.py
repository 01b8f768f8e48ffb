"""After the subject was hidden and came back, is it where the event implies (WRBench)?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.probes import REOBSERVED_SPATIAL, mean_evidence


@metric(
    unit="evidence",
    better="higher",
    range=(0, 1),
    name="reobserved_spatial",
    variant="paper",
    gates=["place_returns_paper"],
    asks=REOBSERVED_SPATIAL.asks("paper"),
    phase_source="judged",
    version=1,
)
def paper(case: Case) -> Outcome:
    """Evidence that it is in the place that the event implies by then, and against any other place.

    The judge is shown the whole clip and told the plan, and at which seconds the subject came back.
    """
    return mean_evidence(case, REOBSERVED_SPATIAL, "paper")


@metric(
    unit="evidence",
    better="higher",
    range=(0, 1),
    name="reobserved_spatial",
    variant="released",
    gates=["subject_returns_released"],
    asks=REOBSERVED_SPATIAL.asks("released"),
    phase_source="judged",
    version=1,
)
def released(case: Case) -> Outcome:
    """The same of a judge that is told the event alone, behind the release's gate."""
    return mean_evidence(case, REOBSERVED_SPATIAL, "released")


@metric(
    unit="evidence",
    better="higher",
    range=(0, 1),
    name="reobserved_spatial",
    gates=["place_returns"],
    asks=REOBSERVED_SPATIAL.asks("sound"),
    phase_source="judged",
    version=1,
)
def sound(case: Case) -> Outcome:
    """The same of a judge that is shown the first frame and then only frames after the return."""
    return mean_evidence(case, REOBSERVED_SPATIAL, "sound")
