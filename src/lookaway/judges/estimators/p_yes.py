"""How strongly a judge says yes, from the scores of its first token."""

from __future__ import annotations

import math
from collections.abc import Iterable

from lookaway.judges.estimators.verdict import Verdict
from lookaway.records import Choice, TokenScores

LEAST_MASS = 0.5  # below it the judge is not answering yes or no, but beginning some other sentence
WIDEST_P_YES = 0.1  # bounds further apart than this are no measurement
_MOST_SUM = 1.001  # probabilities add up to one, but for rounding
_MOST_LOG = math.log(_MOST_SUM)


def p_yes(scores: TokenScores, least_mass: float = LEAST_MASS, widest: float = WIDEST_P_YES) -> Verdict:
    """Yes / (yes + no) over all their spellings, with bounds for the spellings that the scores leave out.

    With every spelling listed the bounds meet. A spelling left out holds at most `unlisted_most`, and all of them
    together at most what the listed tokens leave of one.
    """
    if not set(scores.yes) or not set(scores.no) or set(scores.yes) & set(scores.no):
        return Verdict("p_yes", "invalid", reason="the spellings of yes and no must be known and differ")
    if any(not score <= _MOST_LOG for score in (*scores.logprobs.values(), scores.unlisted_most or 0.0)):
        return Verdict("p_yes", "invalid", reason="token scores are no probabilities: one is above 1")
    listed = math.fsum(math.exp(score) for score in scores.logprobs.values())
    if listed > _MOST_SUM:
        return Verdict("p_yes", "invalid", reason=f"token scores are no probabilities: they add up to {listed:.3f}")
    yes, no = _mass(scores, scores.yes), _mass(scores, scores.no)
    mass = yes + no
    if mass == 0 or mass < least_mass:
        reason = f"the judge is not answering yes or no: they hold {mass:.3f} of its belief, below {least_mass:g}"
        return Verdict("p_yes", "abstained", reason=reason, answer_mass=mass)
    low = yes / (mass + _hidden(scores, scores.no, 1 - listed))
    more = _hidden(scores, scores.yes, 1 - listed)
    high = (yes + more) / (mass + more)
    point = yes / mass
    if high - low > widest:
        reason = f"p_yes is only known to lie between {low:.3f} and {high:.3f}"
        return Verdict("p_yes", "abstained", None, reason, None, low, high, mass)
    choice, reason = _choice(low, high)
    return Verdict("p_yes", "ok", choice, reason, point, low, high, mass)


def _mass(scores: TokenScores, spellings: Iterable[str]) -> float:
    return math.fsum(math.exp(scores.logprobs[s]) for s in sorted(set(spellings)) if s in scores.logprobs)


def _hidden(scores: TokenScores, spellings: Iterable[str], rest: float) -> float:
    """The most that spellings left out of the list can hold."""
    missing = len(set(spellings) - scores.logprobs.keys())
    if missing == 0 or rest <= 0:
        return 0.0
    return rest if scores.unlisted_most is None else min(missing * math.exp(scores.unlisted_most), rest)


def _choice(low: float, high: float) -> tuple[Choice | None, str]:
    if low > 0.5:
        return "yes", ""
    if high < 0.5:
        return "no", ""
    return None, "p_yes may lie on either side of one half"
