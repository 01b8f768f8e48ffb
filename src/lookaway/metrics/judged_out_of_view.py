"""How long is the subject out of the picture, as a judge of single frames has it?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.outcomes import Abstain
from lookaway.readings.judged_support import sound_support


@metric(unit="s", better="higher", asks=["judgeable:sound"], phase_source="judged", version=1)
def judged_out_of_view(case: Case) -> Outcome:
    """Seconds in which nothing of the subject is in the picture; 0 is a subject that never left.

    It tells how support came about and not how well: read it beside `judged_unjudgeable`.
    """
    support = sound_support(case)
    return support if isinstance(support, Abstain) else support.out_of_view_s
