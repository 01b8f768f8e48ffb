"""Does the video pose the return test, as a judge of single frames has it (WRBench's support)?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.outcomes import Abstain
from lookaway.readings.judged_support import JudgedSupport, paper_support, released_support, sound_support


@metric(
    unit="rate",
    better="higher",
    range=(0, 1),
    name="judged_support",
    variant="paper",
    asks=["judgeable:paper"],
    phase_source="judged",
    version=1,
)
def paper(case: Case) -> Outcome:
    """1 when the judge made the subject out, lost it for half a second and could tell place and state again; else 0."""
    return _holds(paper_support(case))


@metric(
    unit="rate",
    better="higher",
    range=(0, 1),
    name="judged_support",
    variant="released",
    asks=["judgeable:released", "judgeable_rescue:released"],
    phase_source="judged",
    version=1,
)
def released(case: Case) -> Outcome:
    """1 when a second that can be judged is followed by one that cannot, and that by one that can; else 0."""
    return _holds(released_support(case))


@metric(
    unit="rate",
    better="higher",
    range=(0, 1),
    name="judged_support",
    asks=["judgeable:sound"],
    phase_source="judged",
    version=1,
)
def sound(case: Case) -> Outcome:
    """As `paper`, of a judge that also says what hides the subject; it must be back for half a second as well."""
    return _holds(sound_support(case))


def _holds(support: JudgedSupport | Abstain) -> Outcome:
    return support if isinstance(support, Abstain) else float(support.holds)
