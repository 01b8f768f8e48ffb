"""What a plugin may return instead of a bare number: a number with bounds, or a reason of one of three kinds."""

from __future__ import annotations

from dataclasses import dataclass

from lookaway.records import GateKind


@dataclass(frozen=True)
class Measured:
    """A number with what the measurement allows: bounds of a judge's belief, of a camera's angle."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def bounds(self) -> tuple[float, ...]:
        return tuple(end for end in (self.low, self.high) if end is not None)


@dataclass(frozen=True)
class Abstain:
    """The instrument could not tell."""

    reason: str


@dataclass(frozen=True)
class NotApplicable:
    """The case lies outside the metric's population."""

    reason: str


@dataclass(frozen=True)
class Gated:
    """Not asked: the model `avoided` it, the path gave `no_opportunity`, or whether it was posed is `not_judgeable`."""

    kind: GateKind
    reason: str


Outcome = float | Measured | Abstain | NotApplicable  # of a metric
