"""Raw numbers on a scale from 0 to 100."""

from __future__ import annotations


def percent_of_range(value: float, low: float, high: float) -> float:
    """100 * (value - low) / (high - low), held between 0 and 100 (MemoBench, Eq. 1).

    >>> percent_of_range(5.5, 1, 10), percent_of_range(0.2, 1, 10), percent_of_range(11, 1, 10)
    (50.0, 0.0, 100.0)
    """
    return 100 * min(max((value - low) / (high - low), 0.0), 1.0)
