"""How long may the subject be in the picture and cannot be made out, as a judge of single frames has it?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.outcomes import Abstain
from lookaway.readings.judged_support import sound_support


@metric(unit="s", better="lower", asks=["judgeable:sound"], phase_source="judged", version=1)
def judged_unjudgeable(case: Case) -> Outcome:
    """Seconds in which the subject is covered, dark, blurred or not to be recognised; 0 is one always told or away.

    WRBench counts this time as hidden too: a model that smears its subject has support without any look-away.
    """
    support = sound_support(case)
    return support if isinstance(support, Abstain) else support.unjudgeable_s
