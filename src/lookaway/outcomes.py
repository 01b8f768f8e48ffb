"""What a plugin may return instead of a number: a reason, of one of three kinds."""

from __future__ import annotations

from dataclasses import dataclass

from lookaway.records import GateKind


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
    """The question was never posed: the model `avoided` it, or the path gave `no_opportunity`."""

    kind: GateKind
    reason: str
