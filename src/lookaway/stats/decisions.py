"""A metric's decision between two clips beside what people prefer: better 1, no difference 0, worse -1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookaway.outcomes import Abstain
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.raters import confusion
from lookaway.stats.rates import RateInterval, wilson

NO_PREFERENCE = "people prefer neither clip in any pair"
NO_TIE = "people prefer one clip in every pair"
NOTHING_JUDGED = "no pair that both judge"


def decided(differences: Floats, tie_band: float) -> Floats:
    """The first clip's score minus the second's, as a decision: [0.3, -0.05, nan] at 0.1 -> [1, 0, nan]."""
    return np.where(np.abs(differences) <= tie_band, 0.0, np.sign(differences))


class DecisionAgreement(NamedTuple):
    """WRBench's three shares: `strict` where people prefer one, `tie` where they do not, `exact` over both."""

    exact: RateInterval | Abstain
    strict: RateInterval | Abstain
    tie: RateInterval | Abstain
    reversals: int  # people prefer one, the decision is for the other


def decision_agreement(people: Floats, decisions: Floats) -> DecisionAgreement:
    """Over pairs that both judge; NaN is a pair that somebody did not."""
    both = ~np.isnan(people) & ~np.isnan(decisions)
    wanted, met = people[both], people[both] == decisions[both]
    tied = wanted == 0
    return DecisionAgreement(
        exact=_share(met, NOTHING_JUDGED),
        strict=_share(met[~tied], NO_PREFERENCE),
        tie=_share(met[tied], NO_TIE),
        reversals=int((wanted * decisions[both] < 0).sum()),
    )


def fitted_tie_band(people: Floats, differences: Floats) -> float | Abstain:
    """The band with the most exact agreement on these pairs; of equals the narrowest. Report it on other pairs."""
    both = ~np.isnan(people) & ~np.isnan(differences)
    if not both.any():
        return Abstain(NOTHING_JUDGED)
    wanted, by = people[both], differences[both]
    bands = np.concatenate([[0.0], np.unique(np.abs(by))])
    met = np.array([(decided(by, band) == wanted).sum() for band in bands])
    return float(bands[met.argmax()])


class Judgeability(NamedTuple):
    """Of pairs that people can judge the share that the instrument judges, of others the share that it declines."""

    judgeable: RateInterval | Abstain
    not_judgeable: RateInterval | Abstain

    @property
    def balanced(self) -> float | Abstain:
        """Mean of the two; 0.5 is chance."""
        if isinstance(self.judgeable, Abstain):
            return self.judgeable
        if isinstance(self.not_judgeable, Abstain):
            return self.not_judgeable
        return (self.judgeable.value + self.not_judgeable.value) / 2


def judgeability(people: Floats, instrument: Floats) -> Judgeability:
    """1 where it can be judged, 0 where not, NaN where nobody asked."""
    table = confusion(people, instrument)
    return Judgeability(
        _counted(table.yes_yes, table.yes_yes + table.yes_no, "people can judge no pair"),
        _counted(table.no_no, table.no_no + table.no_yes, "people can judge every pair"),
    )


def _share(met: np.ndarray[tuple[int], np.dtype[np.bool_]], reason: str) -> RateInterval | Abstain:
    return _counted(int(met.sum()), len(met), reason)


def _counted(successes: int, n: int, reason: str) -> RateInterval | Abstain:
    return wilson(successes, n) if n else Abstain(reason)
