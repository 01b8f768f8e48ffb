"""The field of view of a turning camera: only the right one lets one rotation explain all matches between views.

Needs a real turn. The interval comes from drawing the pairs of views, and the matches in each, again and again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.rotations import turn_deg
from lookaway.observers import Floats
from lookaway.observers.features import matched
from lookaway.observers.turning import (
    LONG_SIDE,
    SURE_TURN,
    Features,
    Image,
    Turns,
    confidence_of,
    features,
    pattern_px,
    rays,
    rotation_between,
)

CANDIDATES_DEG = np.arange(24.0, 121.0, 4.0)
FOCAL_STEP_DEG = 0.5
LEAST_TURN_DEG = 6.0
BEST_TURN_DEG = 20.0
PAIRS = 8
MIN_MATCHES = 40
WORST_PX = 3.0
DRAWS = 100
COVER = 0.95
FLOOR = 0.01  # of the field of view: lenses and features are no more exact than that


@dataclass(frozen=True)
class FieldOfView:
    hfov_deg: float
    low: float
    high: float


def field_of_view(frames: Image, turns: Turns) -> FieldOfView | None:
    """What the camera's horizontal field of view is, or None where it turns too little, or shifts too much, to tell.

    `turns` may be under any field of view: a wrong one scales the angles between views, not their order.
    """
    pairs = _pairs(frames, turns)
    if not pairs:
        return None
    coarse = np.array([_cost(pairs, hfov) for hfov in CANDIDATES_DEG])
    best = float(CANDIDATES_DEG[int(coarse.argmin())])
    fine = np.arange(max(20.0, best - 6), best + 6.01, FOCAL_STEP_DEG)
    residuals = [np.stack([_residuals(*pair, hfov) for hfov in fine]) for pair in pairs]  # (F, K) each
    drawn = _drawn(residuals, fine)
    middle = _lowest(np.mean([r.mean(axis=1) for r in residuals], axis=0), fine)
    low, high = np.quantile(drawn, [(1 - COVER) / 2, (1 + COVER) / 2])
    if np.median([_pair_confidence(*pair, middle) for pair in pairs]) < SURE_TURN:
        return None
    slack = FLOOR * middle
    return FieldOfView(middle, float(min(low, middle)) - slack, float(max(high, middle)) + slack)


Pair = tuple[Floats, Floats]


def _pairs(frames: Image, turns: Turns) -> list[Pair]:
    """Matched places of views that a good turn lies between, the best spread ones first."""
    placed = np.flatnonzero(turns.trusted)
    angles = turn_deg(turns.rotations[placed][:, None], turns.rotations[placed][None])
    rows, columns = np.nonzero(np.triu(angles >= LEAST_TURN_DEG))
    order = np.argsort(np.abs(angles[rows, columns] - BEST_TURN_DEG), kind="stable")
    found: list[Pair] = []
    used: list[tuple[int, int]] = []
    seen: dict[int, Features] = {}
    for k in order:
        i, j = int(placed[rows[k]]), int(placed[columns[k]])
        if any(abs(i - a) + abs(j - b) < 4 for a, b in used):
            continue  # nearly the same pair tells nearly the same
        used.append((i, j))
        here, there = (seen.setdefault(n, features(frames[n])) for n in (i, j))
        index = matched(here.descriptors, there.descriptors)
        if len(index) >= MIN_MATCHES:
            found.append((here.plane[index[:, 0]], there.plane[index[:, 1]]))
        if len(found) == PAIRS or len(used) == 3 * PAIRS:
            break
    return found


def _pair_confidence(here: Floats, there: Floats, hfov_deg: float) -> float:
    a, b = rays(here, hfov_deg), rays(there, hfov_deg)
    rotation = rotation_between(a, b)
    return 0.0 if rotation is None else confidence_of(pattern_px(rotation, a, b, hfov_deg))


def _cost(pairs: list[Pair], hfov_deg: float) -> float:
    return float(np.mean([_residuals(*pair, hfov_deg).mean() for pair in pairs]))


def _residuals(here: Floats, there: Floats, hfov_deg: float) -> Floats:
    """How far each match lies from where the best rotation puts it, in pixels of the working size, at most WORST_PX."""
    a, b = rays(here, hfov_deg), rays(there, hfov_deg)
    rotation = rotation_between(a, b)
    if rotation is None:
        return np.full(len(a), WORST_PX)
    moved = a @ rotation.T
    focal = 0.5 / np.tan(np.deg2rad(hfov_deg) / 2)
    ahead = np.maximum(moved[:, 2:], 1e-3)
    apart = np.linalg.norm(focal * moved[:, :2] / ahead - there, axis=1) * LONG_SIDE
    return np.asarray(np.minimum(apart, WORST_PX))


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
