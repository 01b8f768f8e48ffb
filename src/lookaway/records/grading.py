"""Can the graders be trusted?"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from lookaway.records.base import Record
from lookaway.records.systems import Setting

DetectionKind = Literal["truth", "harmless", "stress", "fault", "baseline"]


class Detection(Record):
    """How well one metric notices one fault at one severity; `reason` says why a number is missing.

    `n` counts the clips that could show the fault to the metric: neither outside its population nor unobservable. In
    rows of faults and baselines a clip without a number is a miss; in all others it leaves the denominator.
    """

    metric: str
    variant: str
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
    right: JudgeCheck = Field(description="answers that are the true ones, on clips that show the truth")
    checks: tuple[JudgeCheck, ...]

    @property
    def beats_floors(self) -> bool:
        """Only such a judge's other numbers mean anything."""
        floors = [floor for floor in (self.always_yes, self.always_no) if floor is not None]
        return self.right.low is not None and bool(floors) and self.right.low > max(floors)


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
