"""Fitting a frame's tones to the true picture, so that exposure, cast and renderer do not count as change."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

EVERY_PX = 4
ROUNDS = 3
MIN_PIXELS = 200
STEADY = 1e-3

Picture = NDArray[np.float32]
Curves = NDArray[np.float64]


def fitted(seen: Picture, true: NDArray[np.uint8], where: NDArray[np.bool_]) -> Picture:
    """`seen` with the tone curves that bring it nearest to `true`."""
    return toned(seen, tone_curves(seen, true, where))


def tone_curves(seen: Picture, true: NDArray[np.uint8], where: NDArray[np.bool_]) -> Curves:
    """A quadratic curve per channel from the tones of one picture to those of another, fitted robustly at some pixels.

    Where too few pixels are shared, the curves change nothing.
    """
    chosen = np.zeros_like(where)
    chosen[::EVERY_PX, ::EVERY_PX] = where[::EVERY_PX, ::EVERY_PX]
    if chosen.sum() < MIN_PIXELS:
        return np.array([[0.0, 1.0, 0.0]] * 3)
    return np.stack([_curve(seen[chosen, c] / 255.0, true[chosen, c] / 255.0) for c in range(3)])


def toned(seen: Picture, curves: Curves) -> Picture:
    result = np.empty_like(seen)
    for channel, curve in enumerate(curves):
        whole = seen[..., channel] / 255.0
        result[..., channel] = 255.0 * (curve[0] + curve[1] * whole + curve[2] * whole * whole)
    return result


def _curve(x: Picture, y: NDArray[np.float64]) -> Curves:
    powers = np.stack([np.ones_like(x), x, x * x], axis=1).astype(np.float64)
    weights = np.ones(len(x))
    for _ in range(ROUNDS):
        weighted = powers * weights[:, None]
        normal = powers.T @ weighted / len(x) + STEADY * np.eye(3)
        curve = np.linalg.solve(normal, weighted.T @ y / len(x) + STEADY * np.array([0.0, 1.0, 0.0]))
        weights = 1 / np.maximum(np.abs(powers @ curve - y), 0.02)
        weights /= weights.mean()
    return np.asarray(curve, np.float64)
