"""The field of view of a turning camera: only the right one lets one rotation explain all matches between two views.

Needs a real turn. The interval comes from drawing the pairs of views, and the matches in each, again and again. Where
the camera shifts or the picture is warped the bottom of the valley is no measurement, though it may contradict a lens.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.rotations import turn_deg
from lookaway.observers import Floats
from lookaway.observers.following import PATTERN_DEG, Follow
from lookaway.observers.following.matches import LONG_SIDE, Matches, recognised
from lookaway.observers.following.ties import focal_of, rays, refined_turn, sampled_turn, turn_between

CANDIDATES_DEG = np.arange(24.0, 121.0, 4.0)
FOCAL_STEP_DEG = 0.5
LEAST_TURN_DEG, BEST_TURN_DEG, MOST_TURN_DEG = 6.0, 20.0, 45.0  # between two views
PAIRS = 8
MIN_MATCHES = 40
WORST_PX = 4.5  # of LONG_SIDE
DRAWS = 100
COVER = 0.95
FLOOR = 0.01  # of the field of view: lenses and features are no more exact than that
CONTRADICTED = 1.1  # times what the best lens leaves; the right one does in warped and shifted video up to 1.07


@dataclass(frozen=True)
class FieldOfView:
    """The lens that explains the turns best, and what is as likely."""

    hfov_deg: float
    low: float
    high: float
    pure: bool  # only turns explain the matches, so this is a measurement
    excess: float  # what the lens that was followed with leaves of the matches, over what this one leaves

    @property
    def contradicts(self) -> bool:
        """Does it explain the matches that much better than the lens that was followed with?"""
        return self.excess > CONTRADICTED


@dataclass(frozen=True)
class _Pair:
    """Two views: matched places, and the turn between them under the lens that was followed with."""

    here: Floats
    there: Floats
    vector: Floats  # radians
    hfov_deg: float

    def residuals(self, hfov_deg: float) -> Floats:
        """How far each match lies from where the best rotation puts it, in pixels, at most WORST_PX."""
        focal = focal_of(hfov_deg)
        a, b = rays(self.here, focal), rays(self.there, focal)
        refined = refined_turn(a, b, _rotation(self.vector * focal_of(self.hfov_deg) / focal), rounds=4)
        refined = refined or refined_turn(a, b, sampled_turn(a, b), rounds=4)
        if refined is None:
            return np.full(len(a), WORST_PX)
        moved = a @ refined[0].T
        apart = np.linalg.norm(focal * moved[:, :2] / np.maximum(moved[:, 2:], 1e-3) - self.there, axis=1)
        return np.asarray(np.minimum(apart * LONG_SIDE, WORST_PX))

    def pattern_deg(self, hfov_deg: float) -> float:
        turn = turn_between(self.here, self.there, focal_of(hfov_deg))
        return np.inf if turn is None else turn.pattern_deg


def field_of_view(found: Follow) -> FieldOfView | None:
    """What the camera's horizontal field of view would best be, or None where it turns too little to tell."""
    pairs = _pairs(found)
    if not pairs:
        return None
    coarse = np.array([_cost(pairs, hfov) for hfov in CANDIDATES_DEG])
    best = float(CANDIDATES_DEG[int(coarse.argmin())])
    fine = np.arange(max(20.0, best - 6), best + 6.01, FOCAL_STEP_DEG)
    residuals = [np.stack([pair.residuals(hfov) for hfov in fine]) for pair in pairs]  # (F, K) each
    costs = np.mean([r.mean(axis=1) for r in residuals], axis=0)
    middle = _lowest(costs, fine)
    low, high = np.quantile(_drawn(residuals, fine), [(1 - COVER) / 2, (1 + COVER) / 2])
    slack = FLOOR * middle
    return FieldOfView(
        middle,
        float(min(low, middle)) - slack,
        float(max(high, middle)) + slack,
        pure=bool(np.median([pair.pattern_deg(middle) for pair in pairs]) <= PATTERN_DEG),
        excess=_cost(pairs, found.hfov_deg) / float(costs.min()),
    )


def _pairs(found: Follow) -> list[_Pair]:
    """Keyframes that a good turn lies between, the best spread ones first."""
    keys = np.array(sorted(k for k in found.features if k >= 0 and found.trusted[k]), np.int64)
    angles = turn_deg(found.rotations[keys][:, None], found.rotations[keys][None])
    rows, columns = np.nonzero(np.triu((angles >= LEAST_TURN_DEG) & (angles <= MOST_TURN_DEG)))
    order = np.argsort(np.abs(angles[rows, columns] - BEST_TURN_DEG), kind="stable")
    known = {(tie.here - 1, tie.there - 1): tie.matches for ties in found.ties for tie in ties}
    pairs: list[_Pair] = []
    for k in order[: 3 * PAIRS]:
        i, j = int(keys[columns[k]]), int(keys[rows[k]])
        matches: Matches = known.get((i, j)) or recognised(found.features[i], found.features[j])
        if len(matches.here) >= MIN_MATCHES:
            vector = _vector(found.rotations[j].T @ found.rotations[i])
            pairs.append(_Pair(matches.here, matches.there, vector, found.hfov_deg))
        if len(pairs) == PAIRS:
            break
    return pairs


def _cost(pairs: list[_Pair], hfov_deg: float) -> float:
    return float(np.mean([pair.residuals(hfov_deg).mean() for pair in pairs]))


def _drawn(residuals: list[Floats], candidates: Floats) -> NDArray[np.float64]:
    """The best field of view of each draw of pairs and matches."""
    chance = np.random.default_rng(0)
    best = []
    for _ in range(DRAWS):
        chosen = [residuals[k] for k in chance.integers(0, len(residuals), len(residuals))]
        costs = [r[:, chance.integers(0, r.shape[1], r.shape[1])].mean(axis=1) for r in chosen]
        best.append(_lowest(np.mean(costs, axis=0), candidates))
    return np.array(best)


def _lowest(cost: Floats, candidates: Floats) -> float:
    """The bottom of the valley, between candidates."""
    at = int(np.clip(cost.argmin(), 1, len(cost) - 2))
    bend, slope, _ = np.polyfit(candidates[at - 1 : at + 2] - candidates[at], cost[at - 1 : at + 2], 2)
    shift = -slope / (2 * bend) if bend > 1e-12 else 0.0
    return float(candidates[at] + np.clip(shift, -FOCAL_STEP_DEG, FOCAL_STEP_DEG))


def _vector(rotation: Floats) -> Floats:
    from scipy.spatial.transform import Rotation  # takes a third of a second to import

    return np.asarray(Rotation.from_matrix(rotation).as_rotvec())


def _rotation(vector: Floats) -> Floats:
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_rotvec(vector).as_matrix())
