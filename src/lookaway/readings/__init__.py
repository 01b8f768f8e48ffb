"""Readings: what observations mean, shared by gates and metrics. All that either may know is a Case.

    case.saw(Replay).seconds

gives an array of what the observer `replay` saw; a name that is not declared there is a type error.

    case.told("progress", Progression)

gives the fields of a structured answer, or why there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar, cast

from numpy.typing import NDArray

from lookaway.errors import ReadingError
from lookaway.observers import ObservedArrays
from lookaway.outcomes import Abstain
from lookaway.readings.told import Told
from lookaway.records import Answer, Question, Task
from lookaway.truth import KnownTruth, Truth

S = TypeVar("S", bound=ObservedArrays)
T = TypeVar("T", bound=Told)


@dataclass(frozen=True)
class Case:
    """All that a metric or gate may know: never the system, the file name or a fault."""

    task: Task
    truth: Truth | None
    seen: Mapping[str, Mapping[str, NDArray[Any]]]  # by observer and array; read it through `saw`
    answers: Mapping[str, Mapping[str, Answer]]  # by ask, then by question or prompt; read it through `said`
    questions: Sequence[Question] = ()  # of the task's bank
    round: int = 1  # which look-away, counted from 1; metrics declared with rounds=True are asked about each

    def saw(self, kind: type[S]) -> S:
        """What the observer saw whose arrays `kind` declares."""
        if kind not in self._readings:
            self._readings[kind] = kind.from_arrays(self._arrays(kind.observer))
        return cast(S, self._readings[kind])

    def said(self, ask: str, question: str = "") -> Answer:
        """The answer to an ask: of a question, or the only one that the ask has."""
        answers = self.answers.get(ask, {})
        if question in answers or (not question and len(answers) == 1):
            return answers[question or next(iter(answers))]
        raise ReadingError(f"'{ask}' has {len(answers)} answers here; say asks=[\"{ask}\"], and name the question")

    def told(self, ask: str, kind: type[T], question: str = "") -> T | Abstain:
        """The fields of a structured answer as `kind` declares them, or why the judge gave none."""
        answer = self.said(ask, question)
        return kind.read(answer) if answer.status == "ok" else Abstain(f"{ask}: {answer.reason or answer.status}")

    def only(self, observers: Iterable[str]) -> Case:
        """The case as it is to whoever needs no more than these observers."""
        chosen = set(observers)
        return replace(self, seen=MappingProxyType({name: self.seen[name] for name in self.seen if name in chosen}))

    def known(self) -> tuple[Truth, KnownTruth]:
        """The known world's truth, for metrics that declare needs_truth=WORLD."""
        if self.truth is None or self.truth.world is None:
            raise ValueError("no exact truth here; declare needs_truth=WORLD")
        return self.truth, self.truth.world

    @cached_property
    def _readings(self) -> dict[type[ObservedArrays], ObservedArrays]:
        return {}

    def _arrays(self, observer: str) -> Mapping[str, NDArray[Any]]:
        if observer not in self.seen:
            raise ReadingError(f"nothing that '{observer}' saw is here; say needs=[\"{observer}\"] to read it")
        return self.seen[observer]
