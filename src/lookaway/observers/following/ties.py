"""The turn between two pictures, from places that match, and how far it may be wrong.

No match is in or out by a fixed distance: each counts by a weight that falls with its distance over the usual one in
this pair. Warps of several pixels then widen the doubt instead of leaving nothing that agrees.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lookaway.observers import Flags, Floats
from lookaway.observers.following.doubts import Leftovers

MIN_AGREEING = 14
SPREAD = (0.2, 0.12)  # of the picture's width, across and down: in a narrower strip a shift looks like a turn
CAP_DEG = 2.5  # a match further off tells nothing
SAMPLE_CAP_DEG = 1.5
LEAST_SCALE_DEG = 0.05
SAMPLES, SCORED = 150, 200
ROUNDS = 6
SOFT = 1.5  # times the usual distance: a match as far off counts half
AGREES = 3.5  # times the usual distance
ALWAYS_AGREES_DEG = 0.5


@dataclass(frozen=True)
class Turn:
    """R with ray_there = R @ ray_here, and what it leaves of the matches that agree with it."""

    rotation: Floats
    agreeing: Flags  # per match
    left: Leftovers

    @property
    def share(self) -> float:
        """Of the matches: how many agree."""
        return float(self.agreeing.mean())

    @property
    def count(self) -> int:
        return int(self.agreeing.sum())

    @cached_property
    def sd_deg(self) -> Floats:
        return self.left.sd_deg()

    @cached_property
    def pattern_deg(self) -> float:
        return self.left.pattern_deg()

    @cached_property
    def if_shifted(self) -> Floats:
        """The rotation if the camera shifted as well."""
        return _small_turn(self.left.turn_if_shifted()) @ self.rotation

    @property
    def doubt_deg(self) -> float:
        """What a path that takes this turn costs."""
        return float(np.hypot(self.pattern_deg, self.sd_deg[:2].max())) + 0.01


def focal_of(hfov_deg: float) -> float:
    """In widths of the picture."""
    return float(0.5 / np.tan(np.deg2rad(hfov_deg) / 2))


def rays(places: Floats, focal: float) -> Floats:
    """Unit view rays through places on the picture."""
    ahead = np.column_stack([places / focal, np.ones(len(places))])
    return np.asarray(ahead / np.linalg.norm(ahead, axis=1, keepdims=True))


def turn_between(here: Floats, there: Floats, focal: float) -> Turn | None:
    """The turn that most matches agree with, or None where too few do, or only in a narrow strip."""
    if len(here) < MIN_AGREEING:
        return None
    a, b = rays(here, focal), rays(there, focal)
    refined = refined_turn(a, b, sampled_turn(a, b))
    if refined is None:
        return None
    rotation, weights, scale = refined
    off = np.linalg.norm(a @ rotation.T - b, axis=1)
    agreeing = off < min(np.deg2rad(CAP_DEG), max(AGREES * scale, np.deg2rad(ALWAYS_AGREES_DEG)))
    if agreeing.sum() < MIN_AGREEING or (np.ptp(there[agreeing], axis=0) < SPREAD).any():
        return None
    return Turn(
        rotation, agreeing, Leftovers.of(a[agreeing] @ rotation.T, b[agreeing], weights[agreeing], there[agreeing])
    )


def sampled_turn(a: Floats, b: Floats) -> Floats:
    """Of the rotations that two matches each suggest, the one that all are nearest to, far ones counting alike."""
    chance = np.random.default_rng(0)
    pick = chance.integers(0, len(a), (SAMPLES, 2))
    tries = _triads(b[pick[:, 0]], b[pick[:, 1]]) @ _triads(a[pick[:, 0]], a[pick[:, 1]]).transpose(0, 2, 1)
    some = chance.permutation(len(a))[:SCORED]
    cosine = tries.reshape(-1, 9) @ (b[some, :, None] * a[some, None]).reshape(-1, 9).T
    off = np.sqrt(np.maximum(0, 2 - 2 * cosine))
    return np.asarray(tries[np.minimum(off, np.deg2rad(SAMPLE_CAP_DEG)).mean(axis=1).argmin()])


def refined_turn(a: Floats, b: Floats, start: Floats, rounds: int = ROUNDS) -> tuple[Floats, Floats, float] | None:
    """Rotation, weights and usual distance (radians) after Cauchy weighing; None where too few count at all."""
    rotation, cap = start, np.deg2rad(CAP_DEG)
    for _ in range(rounds):
        left = a @ rotation.T - b
        off = np.sqrt(np.einsum("ni,ni->n", left, left))
        near = off < cap
        if np.count_nonzero(near) < MIN_AGREEING:
            return None
        scale = max(float(np.deg2rad(LEAST_SCALE_DEG)), 1.48 * float(np.median(off[near])))
        weights = np.where(near, 1 / (1 + (off / (SOFT * scale)) ** 2), 0.0)
        rotation = nearest_rotation((b * weights[:, None]).T @ a)
    return rotation, weights, scale


def nearest_rotation(matrix: Floats) -> Floats:
    """The rotation nearest to a matrix, or to each of several."""
    u, _, vt = np.linalg.svd(matrix)
    u[..., :, 2] *= np.linalg.det(u @ vt)[..., None]
    return np.asarray(u @ vt)


def _triads(first: Floats, second: Floats) -> Floats:
    """Orthonormal frames spanned by pairs of rays; degenerate pairs give frames that nothing agrees with."""
    z = np.cross(first, second)
    z /= np.maximum(np.linalg.norm(z, axis=1, keepdims=True), 1e-9)
    return np.stack([first, np.cross(z, first), z], axis=2)


def _small_turn(vector: Floats) -> Floats:
    """A rotation by a vector of radians."""
    angle = float(np.linalg.norm(vector))
    x, y, z = vector / max(angle, 1e-12)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross)
