"""How many of a task's questions does the video get right, as answered by a judge?"""

from __future__ import annotations

import numpy as np

from lookaway.metrics import MEMORY_GATES, Case, Outcome, metric
from lookaway.outcomes import Abstain, NotApplicable


@metric(
    unit="share",
    better="higher",
    range=(0, 1),
    needs=["view"],
    gates=MEMORY_GATES,
    asks=["question"],
    phase_source="judged",
    version=1,
)
def question_accuracy(case: Case) -> Outcome:
    """Share of questions whose answer is the expected one; abstains when any question went unanswered."""
    if not case.questions:
        return NotApplicable("the task asks no questions")
    unanswered = [q.id for q in case.questions if case.said("question", q.id).choice is None]
    if unanswered:
        return Abstain(f"no answer to {', '.join(unanswered)}")
    return float(np.mean([case.said("question", q.id).choice == q.expected for q in case.questions]))
