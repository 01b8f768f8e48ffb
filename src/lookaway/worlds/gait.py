"""Walking along a path: feet that stay where they are set down until they are lifted again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.rounded import curve

HEEL_STRIKE_DEG, TOE_OFF_DEG = -14.0, 36.0
CURVE_PIECES = 24
NEAR_M = 0.01


class Path:
    """A smooth way over the floor, measured by the distance walked."""

    def __init__(self, points: Sequence[Sequence[float]], closed: bool = False) -> None:
        self._points = curve(points, CURVE_PIECES, closed)
        steps = np.linalg.norm(np.diff(self._points, axis=0), axis=1)
        self._walked = np.concatenate([[0.0], np.cumsum(steps)])
        self.length, self.closed = float(self._walked[-1]), closed

    def at(self, walked: float) -> FloatArray:
        """Place (x, y) after that distance; an open path goes on straight beyond its ends."""
        within = walked % self.length if self.closed else float(np.clip(walked, 0, self.length))
        beyond = 0.0 if self.closed else walked - within
        return self._on(within) + beyond * self.direction(within)

    def direction(self, walked: float) -> FloatArray:
        """Unit vector ahead."""
        middle = walked if self.closed else float(np.clip(walked, NEAR_M, self.length - NEAR_M))
        ahead = self._on(middle + NEAR_M) - self._on(middle - NEAR_M)
        unit: FloatArray = ahead / np.linalg.norm(ahead)
        return unit

    def _on(self, walked: float) -> FloatArray:
        within = walked % self.length if self.closed else walked
        return np.array([np.interp(within, self._walked, self._points[:, axis]) for axis in (0, 1)])

    def heading_deg(self, walked: float) -> float:
        """Counter-clockwise from x."""
        x, y = self.direction(walked)
        return float(np.degrees(np.arctan2(y, x)))

    def beside(self, walked: float, left_m: float) -> FloatArray:
        """A place that far to the left of the path."""
        x, y = self.direction(walked)
        return self.at(walked) + left_m * np.array([-y, x])


@dataclass(frozen=True)
class Footfall:
    """One foot at one instant: where along the path, how high, and how far its heel is up (degrees)."""

    along_m: float
    lift_m: float
    pitch_deg: float


@dataclass(frozen=True)
class Gait:
    """How a walker sets its feet; `stop_m` is where both feet come to stand."""

    stride_m: float
    lift_m: float
    duty: float = 0.6  # share of a stride that a foot is on the ground
    stop_m: float = np.inf

    @property
    def last_m(self) -> float:
        """The distance after which every foot has come to rest."""
        return self.stop_m + 0.7 * self.stride_m

    def body_m(self, walked: float) -> float:
        """Where the body is: ahead with the walk, gently held at the stop."""
        ease = 0.4 * self.stride_m
        if walked <= self.stop_m - ease:
            return walked
        late = min(walked - self.stop_m + ease, 2 * ease)
        return self.stop_m - ease + late - late**2 / (4 * ease)

    def phase(self, walked: float, offset: float) -> float:
        """Share of the stride since that foot was last set down."""
        return (walked / self.stride_m + offset) % 1.0

    def foot(self, walked: float, offset: float) -> Footfall:
        """The foot whose stride is ahead by that share."""
        phase = self.phase(walked, offset)
        planted = walked + (self.duty / 2 - phase) * self.stride_m
        before, here, after = (min(planted + n * self.stride_m, self.stop_m) for n in (-1, 0, 1))
        came, goes = (here - before) / self.stride_m, (after - here) / self.stride_m
        if phase < self.duty:
            stood = phase / self.duty
            landing = HEEL_STRIKE_DEG * came * max(1 - stood / 0.15, 0.0)
            leaving = TOE_OFF_DEG * goes * max((stood - 0.6) / 0.4, 0.0) ** 1.5
            return Footfall(here, 0.0, landing + leaving)
        swung = (phase - self.duty) / (1 - self.duty)
        eased = swung**2 * (3 - 2 * swung)
        pitch = goes * (TOE_OFF_DEG * (1 - eased) + HEEL_STRIKE_DEG * eased)
        return Footfall(here + (after - here) * eased, goes * self.lift_m * np.sin(np.pi * swung), pitch)
