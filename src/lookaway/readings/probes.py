"""What yes/no probes of both polarities come to: the mean of how much each answer speaks for the video (WRBench)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookaway.outcomes import Abstain, Measured
from lookaway.readings import Case
from lookaway.records import Answer

Bounds = tuple[float, float, float]  # low, value, high


@dataclass(frozen=True)
class ProbeSet:
    """Names of asks by what a yes speaks for; of each variant `name:variant`."""

    positive: tuple[str, ...]
    negative: tuple[str, ...]

    def asks(self, variant: str) -> tuple[str, ...]:
        return tuple(f"{name}:{variant}" for name in (*self.positive, *self.negative))


VISIBLE_SPATIAL = ProbeSet(("visible_place_follows", "visible_place_steady"), ("visible_place_broken",))
VISIBLE_STATE = ProbeSet(("visible_state_follows", "visible_state_advances"), ("visible_state_broken",))
REOBSERVED_SPATIAL = ProbeSet(("returned_place_right",), ("returned_place_wrong",))
REOBSERVED_STATE = ProbeSet(("returned_state_right",), ("returned_state_wrong",))


def mean_evidence(case: Case, probes: ProbeSet, variant: str) -> Measured | Abstain:
    """Mean of p for a positive probe and 1 - p for a negative one; an abstention that names the probe without answer.

    Sure answers of 0.9 to a positive and 0.2 to a negative probe come to (0.9 + 0.8) / 2 = 0.85.
    """
    found = []
    for ask in probes.asks(variant):
        answer = case.said(ask)
        sure = how_sure(answer)
        if sure is None:
            return Abstain(f"{ask}: {answer.reason or answer.status}")
        found.append(turned(sure) if ask.partition(":")[0] in probes.negative else sure)
    low, value, high = (float(np.mean(each)) for each in zip(*found, strict=True))
    return Measured(value) if low == value == high else Measured(value, low, high)


def how_sure(answer: Answer) -> Bounds | None:
    """How sure a judge is of yes, with bounds: by its token scores, or by its word where it tells none."""
    if answer.status != "ok":
        return None
    if answer.p_yes is not None:
        low = answer.p_yes if answer.p_yes_low is None else answer.p_yes_low
        high = answer.p_yes if answer.p_yes_high is None else answer.p_yes_high
        return low, answer.p_yes, high
    return None if answer.choice is None else (float(answer.choice == "yes"),) * 3


def turned(sure: Bounds) -> Bounds:
    """The same of the opposite question."""
    low, value, high = sure
    return 1 - high, 1 - value, 1 - low
