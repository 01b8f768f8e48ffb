"""Intervals of plain counts, where rows are independent: Wilson's of a rate, Newcombe's of a difference of two."""

from __future__ import annotations

from typing import NamedTuple

from scipy.special import ndtri

Z = float(ndtri(0.975))


class RateInterval(NamedTuple):
    """A share of n with its 95 % interval."""

    value: float
    low: float
    high: float
    n: int


def wilson(successes: int, n: int) -> RateInterval:
    """Score interval of a rate: inside 0 to 1, and honest at 0 and n.

    >>> [round(end, 3) for end in wilson(0, 10)[:3]]
    [0.0, 0.0, 0.278]
    """
    share, spread = successes / n, Z * Z / n
    middle = (share + spread / 2) / (1 + spread)
    half = (Z / (1 + spread)) * (share * (1 - share) / n + spread / (4 * n)) ** 0.5
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return RateInterval(share, 0.0 if successes == 0 else low, 1.0 if successes == n else high, n)


def newcombe(first: RateInterval, second: RateInterval) -> tuple[float, float, float]:
    """First minus second with its interval, from the two score intervals; never beyond -1 or 1."""
    difference = first.value - second.value
    below = ((first.value - first.low) ** 2 + (second.high - second.value) ** 2) ** 0.5
    above = ((first.high - first.value) ** 2 + (second.value - second.low) ** 2) ** 0.5
    return difference, difference - below, difference + above
