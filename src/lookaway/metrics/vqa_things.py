"""Share of a bank's questions on objects and background that the video passes (MemoBench)."""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.bank_answers import pass_rate


@metric(
    unit="share", better="higher", range=(0, 1), name="vqa_things", variant="paper", asks=["answer:paper"], version=1
)
def paper(case: Case) -> Outcome:
    """Pass rate on objects and background staying what they are, by a judge that must say yes or no."""
    return pass_rate(case, "answer:paper", "things")


@metric(unit="share", better="higher", range=(0, 1), name="vqa_things", asks=["answer:sound"], version=1)
def sound(case: Case) -> Outcome:
    """The same by a judge that may say that it cannot tell, which is no pass."""
    return pass_rate(case, "answer:sound", "things")
