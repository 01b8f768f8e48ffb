"""What it is worth: a number or a reason."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import model_serializer, model_validator

from lookaway.records.base import Record
from lookaway.records.systems import CaseId


class MetricRef(Record):
    """A metric in one of its variants, written `name:variant`; without a variant, the only one there is.

    >>> MetricRef.model_validate("world_clock:sound")
    MetricRef(name='world_clock', variant='sound')
    >>> str(MetricRef(name="world_clock", variant="sound"))
    'world_clock:sound'
    """

    name: str
    variant: str = ""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, given: Any) -> Any:
        if not isinstance(given, str):
            return given
        name, _, variant = given.partition(":")
        return {"name": name, "variant": variant}

    @model_serializer
    def _as_text(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return f"{self.name}:{self.variant}" if self.variant else self.name

    def may_be(self, other: MetricRef) -> bool:
        """The same metric, as far as their variants are said."""
        return self.name == other.name and (self.variant == other.variant or not (self.variant and other.variant))


ScoreStatus = Literal["ok", "not_applicable", "gated", "abstained", "no_output", "failed"]
GateKind = Literal["avoided", "no_opportunity", "not_judgeable"]


class Score(Record):
    """A number or a reason."""

    task: str  # its id, as in the suite
    system: str  # the model or reference that was asked
    seed: int  # which of its tries
    branch: str = ""  # which way on from there; task, system, seed and branch are the case
    round: int = 1  # which look-away of the clip it is about; 1 where there is one, or the metric reads them all
    protocol: str  # that the metric is read in; the same metric may be scored under several
    metric: str  # its name, without the variant
    variant: str  # such as sound, paper or released; two of them never share a cell
    version: int  # of the metric
    instrument: str  # label of who looked, such as view@3+replay@2, the judge among them; none where nobody had to
    instrument_key: str = ""  # names exactly that one: two of them never share a cell
    ask: str = ""  # label of what a judge was asked, and how; empty where nobody was asked
    ask_key: str = ""  # names exactly that ask
    phase_source: str  # where the phases it reads come from; none where it reads none
    subject: str  # name of the task's first subject
    status: ScoreStatus  # ok exactly where there is a value
    gate: GateKind | None = None  # why the question was not posed; for gated scores alone
    value: float | None = None  # in the metric's unit
    low: float | None = None  # what the measurement allows at least; None where the instrument tells no bounds
    high: float | None = None  # and at most; both or neither, and apart from the sampling interval of a cell
    reason: str = ""  # why there is no value, in words; never empty then
    evidence: tuple[str, ...] = ()  # blobs of the arrays that it was computed from

    @model_validator(mode="after")
    def _number_or_reason(self) -> Self:
        if (self.status == "ok") != (self.value is not None):
            raise ValueError(f"{self.metric}: a score has a value exactly when it is ok, not when {self.status}")
        if self.status != "ok" and not self.reason:
            raise ValueError(f"{self.metric}: a score without a value needs a reason")
        if (self.low is None) != (self.high is None) or (self.low is not None and self.value is None):
            raise ValueError(f"{self.metric}: a value has both bounds of its measurement or none")
        if (self.status == "gated") != (self.gate is not None):
            raise ValueError(f"{self.metric}: exactly the gated scores name their gate")
        return self

    @property
    def case(self) -> CaseId:
        return CaseId(task=self.task, system=self.system, seed=self.seed, branch=self.branch)
