"""A clip's own clock: which moments of the true process do its frames look like, before and after it looked away?

Before the look-away the process goes on along `moment = start + rate * second`; afterwards along
`moment = restart + rate * second`, with the same rate. Both lines are fitted to the frames' unlikeness curves at once,
and with them one for each further stretch of the clip that is to tell the rate. A world that kept time has
restart = start.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.trajectory import Floats

RATES = np.round(np.arange(-0.2, 2.5001, 0.05), 2)
STEPS_PER_S = 32
RATE_SLACK = 0.25  # all frames together tell the rate, each alone its moment
LEAST_RATE = 0.25  # slower, and what little goes on is no clock

Curves = NDArray[np.float32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Clock:
    """Lines before and after, and which other offsets fit nearly as well."""

    rate: float
    rates: tuple[float, float]  # lowest and highest that fit nearly as well
    start: float
    restart: float
    restarts: Floats  # every restart that fits nearly as well
    slip: float  # seconds of the process between the two lines, at the least

    @property
    def ticks(self) -> bool:
        """Did the clip show any progress that a rate can be read from?"""
        return self.rate >= LEAST_RATE and self.rates[1] - self.rates[0] <= self.rate

    @property
    def stands(self) -> bool:
        """Is there no progress at all, by any rate that fits?"""
        return self.rates[1] < LEAST_RATE

    def expected(self, second: float) -> float:
        """The moment due at that second by the clip's own clock."""
        return self.start + self.rate * second


def read_clock(moments: Floats, seconds: Floats, curves: Curves, stretch: NDArray[np.int64] | Flags) -> Clock:
    """The clock of frames at `seconds` whose unlikeness to each moment is a row of `curves`.

    Frames of the last `stretch` are after the look-away, those of the last but one before it; earlier ones, if there
    are any, tell the rate and nothing else.
    """
    lines = [_Line(moments, seconds[stretch == number], curves[stretch == number]) for number in np.unique(stretch)]
    *_, early, late = lines
    costs = np.array([[line.best(rate).cost * line.weight for line in lines] for rate in RATES])
    totals = costs.sum(axis=1)
    slack = sum(line.slack * line.weight for line in lines)
    peak = int(totals.argmin())
    likely = _run(totals <= totals.min() + RATE_SLACK * slack, peak)
    rate = _refined(RATES, totals, peak)
    start, restart = early.best(rate), late.best(rate)
    slips = [_apart(early.best(rate), late.best(rate)) for rate in RATES[likely]]
    return Clock(
        rate=rate,
        rates=(float(RATES[likely][0]), float(RATES[likely][-1])),
        start=start.offset,
        restart=restart.offset,
        restarts=restart.near,
        slip=min(slips, default=0.0),
    )


@dataclass(frozen=True)
class _Fit:
    cost: float
    offset: float
    near: Floats


def _apart(early: _Fit, late: _Fit) -> float:
    """The least distance between offsets that fit."""
    return float(np.abs(late.near[:, None] - early.near[None]).min())


class _Line:
    """The frames of one stretch of the clip."""

    def __init__(self, moments: Floats, seconds: Floats, curves: Curves) -> None:
        self._moments, self._seconds = moments, seconds
        fine = np.arange(round(moments[-1] * STEPS_PER_S) + 1) / STEPS_PER_S
        self._fine = np.stack([np.interp(fine, moments, curve) for curve in curves])
        least, middle = self._fine.min(axis=1), np.median(self._fine, axis=1)
        self.slack = float(np.mean(0.02 * (middle - least) + 0.02 * least) + 0.03)
        self.weight = len(seconds)

    def best(self, rate: float) -> _Fit:
        """The offset that fits best at that rate, the one nearest to 0 among equals."""
        last = self._fine.shape[1] - 1
        middle = float(self._seconds.mean())
        offsets = np.arange(last + 1) / STEPS_PER_S - rate * middle
        places = (offsets[None] + rate * self._seconds[:, None]) * STEPS_PER_S
        index = np.clip(np.rint(places), 0, last).astype(int)
        total = np.take_along_axis(self._fine, index, axis=1).mean(axis=0)
        good = total <= total.min() + self.slack
        peak = int(total.argmin())
        return _Fit(float(total[peak]), _refined(offsets, total, peak), offsets[good])


def _run(good: Flags, at: int) -> slice:
    """The unbroken run of good places around one of them."""
    low = high = at
    while low > 0 and good[low - 1]:
        low -= 1
    while high < len(good) - 1 and good[high + 1]:
        high += 1
    return slice(low, high + 1)


def _refined(places: Floats, cost: Floats, at: int) -> float:
    """The bottom of the parabola through a place and its neighbours."""
    if not 0 < at < len(places) - 1:
        return float(places[at])
    a, b, c = cost[at - 1 : at + 2]
    bend = a - 2 * b + c
    shift = 0.5 * (a - c) / bend if bend > 1e-9 else 0.0
    return float(places[at] + np.clip(shift, -0.5, 0.5) * (places[at + 1] - places[at]))
