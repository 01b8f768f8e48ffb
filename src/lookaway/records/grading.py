"""Can the graders be trusted?"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from lookaway.records.base import Record
from lookaway.records.instruments import Choice, JudgeRole
from lookaway.records.systems import Setting

DetectionKind = Literal["truth", "harmless", "stress", "fault", "baseline"]


class Detection(Record):
    """How well one metric, read by one instrument, notices one fault at one severity; `reason` says why a number is
    missing.

    `n` counts the clips that could show the fault to the metric: neither outside its population nor unobservable. In
    rows of faults and baselines a clip without a number is a miss; in all others it leaves the denominator.
    """

    metric: str
    variant: str
    instrument: str = Field("", description="label of who looked; two instruments never share a row")
    instrument_key: str = ""
    ask: str = Field("", description="label of what judges were asked; two ways of asking never share a row either")
    ask_key: str = ""
    kind: DetectionKind
    fault: str = Field(description="name of the reference model, without its severity")
    severity: float | None
    declared: bool = Field(description="this metric is the one that must notice this fault")
    n: int
    n_abstained: int = Field(description="of n: no number, for another reason than a gate")
    n_gated: int = Field(description="of n: a gate was closed")
    n_unobservable: int = Field(description="not of n: the clip hardly differs from the truth")
    n_harmless: int = Field(description="harmless clips with a number, behind auc and false_alarm_rate")
    auc: float | None
    threshold: float | None = Field(description="badness above which a clip alarms, mean of the two halves")
    hit_rate: float | None
    hit_low: float | None
    hit_high: float | None
    false_alarm_rate: float | None
    reason: str = ""

    @model_validator(mode="after")
    def _numbers_or_reason(self) -> Self:
        if not self.reason and None in (self.auc, self.threshold, self.hit_rate, self.hit_low, self.false_alarm_rate):
            raise ValueError(f"{self.metric} on {self.fault}: a missing number needs a reason")
        return self


class JudgeCheck(Record):
    """One thing that a good judge does or does not do; `reason` says why a number or its interval is missing."""

    name: str
    best: str = Field(description="what a judge without this bias would have")
    value: float | None = None
    low: float | None = None
    high: float | None = None
    answered: int = Field(description="questions behind the number; intervals are over clips")
    unanswered: int
    reason: str = ""


class RightAnswer(Record):
    """What is right of one thing that was asked: the whole, or one row of a form."""

    row: str = Field("", description="id of the row; empty for the whole")
    choice: Choice | None = Field(description="None where the frames do not show it, or nothing is exactly right")
    why: str


class RightAnswers(Record):
    """What the known world says to one item that a judge was asked, at the frames that it was shown."""

    media: str
    question: str
    answers: tuple[RightAnswer, ...] = ()
    reason: str = Field("", description="why nothing is known; empty where something is")


class AskGrade(Record):
    """How often one judge is right when it is asked one thing, on all clips and rows where what is right is known."""

    ask: str = Field(description="name under which metrics read it")
    label: str = Field(description="what is asked, and how")
    ask_key: str
    role: JudgeRole
    n: int = Field(description="answers, or rows of answers, to which the right one is known")
    n_yes: int = Field(description="of n: yes is right; always saying the same has the smaller part wrong")
    right: int
    abstained: int = Field(description="of n: the judge could not tell")
    invalid: int = Field(description="of n: its replies could not be read")
    failed: int = Field(description="of n: it gave none")
    unknown: int = Field(description="not of n: nothing is exactly right, or the frames do not show it")
    error: float | None = Field(description="share wrong, of those that say yes or no")
    low: float | None
    high: float | None
    reason: str = ""

    @property
    def wrong(self) -> int:
        return self.n - self.right - self.abstained - self.invalid - self.failed


class JudgeTable(Record):
    """What a calibration says of its judge; how well it notices faults stands in the DetectionTable."""

    judge: str
    settings: dict[str, Setting]
    suite: str
    version: str
    true_clips: int
    faulty_clips: int
    always_yes: float | None = Field(description="share right by always saying yes; None without a true clip")
    always_no: float | None
    right: JudgeCheck | None = Field(
        description="answers that are the true ones, on clips that show the truth; None where it is not asked the "
        "tasks' own questions"
    )
    checks: tuple[JudgeCheck, ...]
    asks: tuple[AskGrade, ...] = ()

    @property
    def beats_floors(self) -> bool:
        """Only such a judge's other numbers mean anything."""
        floors = [floor for floor in (self.always_yes, self.always_no) if floor is not None]
        low = self.right.low if self.right is not None else None
        return low is not None and bool(floors) and low > max(floors)


class DetectionTable(Record):
    """The graders graded: every registered metric against every reference model that was run."""

    suite: str
    version: str
    tasks: tuple[str, ...]
    halves: tuple[tuple[str, ...], tuple[str, ...]] = Field(description="layouts; each sets the other's thresholds")
    n_clips: int
    n_harmless: int
    false_alarms: float = Field(description="share of harmless clips that a threshold lets alarm, at most")
    unobservable_below: float
    rows: tuple[Detection, ...]
