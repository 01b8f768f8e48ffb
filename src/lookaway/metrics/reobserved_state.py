"""After the subject was hidden and came back, is it in the state that the event implies (WRBench)?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.probes import REOBSERVED_STATE, mean_evidence


@metric(
    unit="evidence",
    better="higher",
    range=(0, 1),
    name="reobserved_state",
    variant="paper",
    gates=["state_returns_paper"],
    asks=REOBSERVED_STATE.asks("paper"),
    phase_source="judged",
    version=1,
)
def paper(case: Case) -> Outcome:
    """Evidence that it shows the state due by then, and against an earlier or contradicting one.

    The judge is shown the whole clip and told the plan, and at which seconds the subject came back.
    """
    return mean_evidence(case, REOBSERVED_STATE, "paper")


@metric(
    unit="evidence",
    better="higher",
    range=(0, 1),
    name="reobserved_state",
    variant="released",
    gates=["subject_returns_released"],
    asks=REOBSERVED_STATE.asks("released"),
    phase_source="judged",
    version=1,
)
def released(case: Case) -> Outcome:
    """The same of a judge that is told the event alone, behind the release's gate."""
    return mean_evidence(case, REOBSERVED_STATE, "released")


@metric(
    unit="evidence",
    better="higher",
    range=(0, 1),
    name="reobserved_state",
    gates=["state_returns"],
    asks=REOBSERVED_STATE.asks("sound"),
    phase_source="judged",
    version=1,
)
def sound(case: Case) -> Outcome:
    """The same of a judge that is shown the first frame and then only frames after the return."""
    return mean_evidence(case, REOBSERVED_STATE, "sound")
