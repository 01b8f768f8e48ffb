"""Metrics: pure functions from what was seen to a number or a reason. One file each.

    @metric(unit="dB", better="higher", needs=["fidelity"], version=1)
    def psnr_all(case):
        "Mean PSNR against the true clip."
        return float(case.saw(Fidelity).psnr.mean())

The runner checks that what a metric and its gates need was seen and that its gates are open before it calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from lookaway.errors import UnknownName, UsageError
from lookaway.gates import GATES
from lookaway.geometry.rounds import round_count
from lookaway.observers import OBSERVERS
from lookaway.outcomes import Outcome
from lookaway.readings import Case
from lookaway.records import MetricRef, PhaseSource, Task, TruthPart
from lookaway.registry import Registry

__all__ = [
    "KNOWN_GATES",
    "MEMORY_GATES",
    "METRICS",
    "WORLD",
    "Better",
    "Case",
    "Metric",
    "Outcome",
    "another_setting",
    "find",
    "metric",
    "rounds_of",
]

Better = Literal["higher", "lower", "one"]  # "one": best at exactly 1


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
    needs: tuple[str, ...]  # observers whose arrays it reads itself
    reads: tuple[str, ...]  # also, where the protocol looks with them
    gates: tuple[str, ...]
    needs_truth: tuple[TruthPart, ...]  # which parts of it there must be
    asks: tuple[str, ...]  # names of asks of the protocol that its judges answer
    phase_source: PhaseSource | Literal["none"]
    doc: str
    rounds: bool = False  # has one reading per look-away
    either: bool = False  # one ask is enough, where the others do not hold of a task

    @property
    def ref(self) -> MetricRef:
        return MetricRef(name=self.name, variant=self.variant)

    @property
    def observers(self) -> tuple[str, ...]:
        """Those that it needs itself, and then those that its gates need."""
        gates = (need for name in self.gates for need in GATES.get(name).needs)
        return tuple(dict.fromkeys((*self.needs, *gates)))

    @property
    def unverified(self) -> tuple[str, ...]:
        """Its observers that have never looked here with the weights that they are meant for."""
        return tuple(name for name in self.observers if OBSERVERS.get(name).unverified)

    @property
    def all_asks(self) -> tuple[str, ...]:
        """Names of what its gates ask, and then of what it asks itself."""
        gates = (ask for name in self.gates for ask in GATES.get(name).asks)
        return tuple(dict.fromkeys((*gates, *self.asks)))

    def looks_with(self, chosen: Sequence[str]) -> tuple[str, ...]:
        """The observers it is scored from, where its protocol looks with the `chosen` ones."""
        return tuple(dict.fromkeys((*self.observers, *(name for name in self.reads if name in chosen))))


# Closed for a clip that never posed the memory question, by the observer `view`.
MEMORY_GATES = ("opportunity", "by_camera", "home_bound", "turned_away", "view_returned")
# The same for any way of hiding, round by round, and open in observed twins, by the observer `replay`.
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
    either: bool = False,
) -> Callable[[Callable[[Case], Outcome]], Callable[[Case], Outcome]]:
    """Register a metric under its function's name (or `name`) and variant. Its gates must exist by then."""

    for each in gates:
        GATES.get(each)

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
            either=either,
        )
        METRICS.add(f"{made.name}:{variant}", made)
        return function

    return register


def another_setting(default: Metric, variant: str, function: Callable[[Case], Outcome], **changes: Any) -> None:
    """Register a variant that is as `default` in all but its function and the changes."""
    doc = (function.__doc__ or "").strip()
    METRICS.add(f"{default.name}:{variant}", replace(default, variant=variant, function=function, doc=doc, **changes))


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
