"""Metrics: pure functions from what was seen to a number or a reason. One file each.

    @metric(unit="dB", better="higher", needs=["fidelity"], version=1)
    def psnr_all(case):
        "Mean PSNR against the true clip."
        return float(case.seen["fidelity"]["psnr"].mean())

The runner checks that what a metric needs was seen and that its gates are open before it calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import NDArray

from lookaway.errors import UnknownName, UsageError
from lookaway.geometry.rounds import round_count
from lookaway.outcomes import Abstain, Measured, NotApplicable
from lookaway.records import Answer, MetricRef, PhaseSource, Question, Task, TruthPart
from lookaway.registry import Registry
from lookaway.truth import KnownTruth, Truth

Outcome = float | Measured | Abstain | NotApplicable
Better = Literal["higher", "lower", "one"]  # "one": best at exactly 1


@dataclass(frozen=True)
class Case:
    """All that a metric may know: never the system, the file name or a fault."""

    task: Task
    truth: Truth | None
    seen: Mapping[str, Mapping[str, NDArray[Any]]]
    answers: Mapping[str, Mapping[str, Answer]]  # by the name of the ask, then by question or prompt
    questions: Sequence[Question] = ()  # of the task's bank
    round: int = 1  # which look-away, counted from 1; metrics declared with rounds=True are asked about each

    def said(self, ask: str, question: str = "") -> Answer:
        """The answer to an ask: of a question, or the only one that the ask has."""
        answers = self.answers.get(ask, {})
        if question:
            return answers[question]
        if len(answers) != 1:
            raise ValueError(f"'{ask}' has {len(answers)} answers here; declare asks=['{ask}'], or name the question")
        return next(iter(answers.values()))

    def known(self) -> tuple[Truth, KnownTruth]:
        """The known world's truth, for metrics that declare needs_truth=WORLD."""
        if self.truth is None or self.truth.world is None:
            raise ValueError("no exact truth here; declare needs_truth=WORLD")
        return self.truth, self.truth.world


@dataclass(frozen=True)
class Metric:
    name: str
    variant: str
    version: int
    function: Callable[[Case], Outcome]
    unit: str
    better: Better
    margin: float  # badness up to which nothing is an alarm, whatever the noise
    range: tuple[float, float] | None
    needs: tuple[str, ...]
    reads: tuple[str, ...]  # also, where the protocol looks with them
    gates: tuple[str, ...]
    needs_truth: tuple[TruthPart, ...]  # which parts of it there must be
    asks: tuple[str, ...]  # names of asks of the protocol that its judges answer
    phase_source: PhaseSource | Literal["none"]
    doc: str
    rounds: bool = False  # has one reading per look-away

    @property
    def ref(self) -> MetricRef:
        return MetricRef(name=self.name, variant=self.variant)

    def looks_with(self, chosen: Sequence[str]) -> tuple[str, ...]:
        """The observers it is scored from, where its protocol looks with the `chosen` ones."""
        return (*self.needs, *(name for name in self.reads if name in chosen))


# Closed for a clip that never posed the memory question; they read the observer `view`.
MEMORY_GATES = ("opportunity", "by_camera", "home_bound", "turned_away", "view_returned")
# The same for any way of hiding, round by round, and open in observed twins; they read the observer `replay`.
KNOWN_GATES = ("posed", "left_view", "came_back")

# What of the truth only a known world has whole.
WORLD: tuple[TruthPart, ...] = ("clip", "poses", "masks", "state")

METRICS: Registry[Metric] = Registry("metric", "lookaway.metrics")


def metric(
    *,
    unit: str,
    better: Better,
    margin: float = 0.0,
    needs: Sequence[str] = (),
    reads: Sequence[str] = (),
    version: int,
    name: str | None = None,
    variant: str = "sound",
    range: tuple[float, float] | None = None,
    gates: Sequence[str] = (),
    needs_truth: Sequence[TruthPart] = (),
    asks: Sequence[str] = (),
    phase_source: PhaseSource | Literal["none"] = "none",
    rounds: bool = False,
) -> Callable[[Callable[[Case], Outcome]], Callable[[Case], Outcome]]:
    """Register a metric under its function's name (or `name`) and variant."""

    def register(function: Callable[[Case], Outcome]) -> Callable[[Case], Outcome]:
        made = Metric(
            name=name or function.__name__,
            variant=variant,
            version=version,
            function=function,
            unit=unit,
            better=better,
            margin=margin,
            range=range,
            needs=tuple(needs),
            reads=tuple(reads),
            gates=tuple(gates),
            needs_truth=tuple(needs_truth),
            asks=tuple(asks),
            phase_source=phase_source,
            doc=(function.__doc__ or "").strip(),
            rounds=rounds,
        )
        METRICS.add(f"{made.name}:{variant}", made)
        return function

    return register


def rounds_of(metric: Metric, task: Task) -> range:
    """The rounds in which a metric is asked of a task, counted from 1; a metric without rounds is asked once."""
    return range(1, 1 + (round_count(task) if metric.rounds else 1))


def find(metric: MetricRef | str) -> Metric:
    """A metric by `name:variant`, or by name alone where it has one variant."""
    name = str(metric)
    if ":" in name:
        return METRICS.get(name)
    found = [m for m in METRICS.all().values() if m.name == name]
    if not found:
        raise UnknownName("metric", name, {m.name for m in METRICS.all().values()})
    if len(found) > 1:
        choices = " or ".join(f"{name}:{m.variant}" for m in found)
        raise UsageError(f"metric '{name}' has several variants; write {choices}")
    return found[0]
