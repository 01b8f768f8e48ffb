"""Evidence that may be looked at every night: e-processes over scenes, valid whenever one stops.

A night brings one number for every scene, such as by how much a metric got worse there. Against "on average over the
scenes it is not above 0" two bets are made, with half the stake each:

- *Every scene.* For many fixed stakes at once, the capital is multiplied by 1 + stake x number. A scene cannot cost
  more than was staked, because numbers are bounded. Where the mean over a night's scenes is at most 0, the expected
  capital does not grow in a night: a product of numbers is largest where all are equal to their mean. So scenes may
  differ from each other as they like, and come back night after night.
- *The first night.* All on one exact sign-flip test at half the level, at the end of the first night. It finds what a
  fixed test finds; where it loses, the other half goes on.

Capital c has at most the chance 1 / c ever to be reached without cause (Ville's inequality). See Waudby-Smith and
Ramdas, "Estimating means of bounded random variables by betting" (2024), and docs/decisions/0020-nightly-evidence.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lookaway.stats.intervals import Floats
from lookaway.stats.paired import sign_flip_above

STAKES = np.geomspace(0.05, 0.95, 6)  # shares of the capital at risk, should a scene be as bad as can be
LEVEL = 0.05


class NightlyEvidence(NamedTuple):
    """How much speaks against "not above 0" after each scene; `alarm_at` of them were enough, or none yet."""

    e_values: Floats  # one for each scene, in the order in which they came
    first_night_p: float | None  # of the test at the end of the first night; None while that is not whole
    alarm_at: int | None  # scenes that had come when 1 / level was first reached

    @property
    def highest(self) -> float:
        """The most that was ever reached: what was shown once stays shown."""
        return float(self.e_values.max(initial=1.0))


def evidence_above_zero(
    nights: Sequence[Floats], lowest: float, level: float = LEVEL, first_is_whole: bool = True
) -> NightlyEvidence:
    """Evidence that numbers, none below -`lowest`, are above 0 in the mean over scenes; the last night may be in parts.

    No number: evidence 1. It is at least 1 / level at some time with a chance of at most `level` if they are not.
    """
    numbers = np.concatenate([np.zeros(0), *nights])
    if len(numbers) and numbers.min() < -lowest - 1e-9:
        raise ValueError(f"a number of {numbers.min():g} lies below the bound of {-lowest:g}")
    capital = 0.5 * betting_capital(numbers, lowest)
    whole = bool(nights) and first_is_whole and len(nights[0]) > 0
    p = sign_flip_above(nights[0]) if whole else None
    if p is not None and p <= level / 2:
        capital[len(nights[0]) - 1 :] += 0.5 / (level / 2)
    reached = np.flatnonzero(capital >= 1 / level)
    return NightlyEvidence(capital, p, int(reached[0]) + 1 if len(reached) else None)


def betting_capital(numbers: Floats, lowest: float) -> Floats:
    """The mean capital of all stakes after each number: [1.0] bounded by 1, staking a half, brings 1.5."""
    logs = np.cumsum(np.log1p(np.outer(STAKES / lowest, numbers)), axis=1)
    return np.asarray(np.exp(logs).mean(axis=0), np.float64)
