"""What a turn leaves of the matches that it was fitted to, and three doubts about the turn that this raises.

After a pure turn of a rigid world only noise is left. Warps leave errors that neighbours share, a shift of the camera
leaves a pattern over the whole picture, and is itself in part mistaken for a turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookaway.observers import Floats, Indices

CELLS = 6  # of the picture's width
SHIFTS = 60  # directions of a possible shift that are tried
MIN_SHIFTED = 20  # matches, fewer tell nothing of a shift
WITNESSES = 60  # at most: how many independent matches a direction's fit may count


@dataclass(frozen=True)
class Leftovers:
    """Per match on the plane at distance 1: where the turn puts it (x, y), what is left to where it is, and weights."""

    x: Floats
    y: Floats
    left: Floats  # (K, 2)
    weights: Floats
    cell: Indices  # of the picture: matches of one cell err together

    @classmethod
    def of(cls, turned: Floats, there: Floats, weights: Floats, places: Floats) -> Leftovers:
        """From turned rays, the rays they should be, and places on the picture."""
        put, seen = turned[:, :2] / turned[:, 2:], there[:, :2] / there[:, 2:]
        columns, rows = np.floor((places + 0.5) * CELLS).astype(np.int64).T
        return cls(put[:, 0], put[:, 1], seen - put, weights, columns * 100 + rows)

    @property
    def per_turn(self) -> Floats:
        """(K, 2, 3): how a place moves with a small turn about x, y and z."""
        x, y = self.x, self.y
        across = np.column_stack([-x * y, 1 + x * x, -y])
        down = np.column_stack([-1 - y * y, x * y, x])
        return np.stack([across, down], axis=1)

    def sd_deg(self) -> Floats:
        """Standard deviation about x, y and z, the cells of the picture being the independent witnesses."""
        per = self.per_turn
        weighed = per * self.weights[:, None, None]
        inverse = np.linalg.inv(weighed.reshape(-1, 3).T @ per.reshape(-1, 3) + 1e-9 * np.eye(3))
        pulls = (weighed * self.left[..., None]).sum(axis=1)
        _, number = np.unique(self.cell, return_inverse=True)
        sums = np.zeros((number.max() + 1, 3))
        np.add.at(sums, number, pulls)
        spread = inverse @ (sums.T @ sums) @ inverse * len(sums) / max(1, len(sums) - 1)
        return np.asarray(np.rad2deg(np.sqrt(np.diag(spread))))

    def pattern_deg(self) -> float:
        """Size of the second-order pattern that the turn leaves, beyond what noise alone would make."""
        x, y = self.x, self.y
        terms, root = np.column_stack([np.ones_like(x), x, y, x * y, x * x, y * y]), np.sqrt(self.weights)[:, None]
        pattern = terms @ np.linalg.lstsq(terms * root, self.left * root, rcond=None)[0]
        count, fitted = terms.shape
        by_chance = ((self.left - pattern) ** 2).sum(1).mean() * fitted / max(fitted, count - fitted)
        return float(np.rad2deg(np.sqrt(max(0.0, (pattern**2).sum(1).mean() - by_chance))))

    def turn_if_shifted(self) -> Floats:
        """What to turn by as well, in radians about x, y and z, if the camera shifted: too noisy as an answer.

        For each direction of a shift only what moved across it counts as turn; directions are averaged by how well
        they explain the matches, with all things ahead of the camera.
        """
        if len(self.x) < MIN_SHIFTED:
            return np.zeros(3)
        x, y, length = self._along()
        across, down = -y / np.maximum(length, 1e-6), x / np.maximum(length, 1e-6)
        moved = across * self.left[:, 0] + down * self.left[:, 1]
        turned = self.per_turn.transpose(1, 2, 0)
        per = across[:, None] * turned[0] + down[:, None] * turned[1]  # (S, 3, K)
        weighed, total = per * self.weights, self.weights.sum()
        normal = weighed @ per.transpose(0, 2, 1) + 1e-5 * total * np.eye(3)
        turns = np.linalg.solve(normal, weighed @ moved[..., None])[..., 0]
        missed = moved - (turns[:, None] @ per)[:, 0]
        cost = np.sqrt((missed**2) @ self.weights / total)
        score = cost * (1 + 0.5 * self._behind(turns, x, y, length, cost))
        fit = (score / max(float(score.min()), 1e-12)) ** 2 - 1
        weight = np.exp(-0.5 * fit * min(WITNESSES, 2 * len(np.unique(self.cell))))
        return np.asarray(weight @ turns / weight.sum())

    def _along(self) -> tuple[Floats, Floats, Floats]:
        """Per direction of shift and match, (S, K): which way it moves things, x and y, and how far at distance 1."""
        number = np.arange(SHIFTS) + 0.5
        z, turn = number / SHIFTS, np.pi * (1 + 5**0.5) * number  # evenly over half a sphere
        ring = np.sqrt(1 - z * z)
        x = self.x * z[:, None] - (ring * np.cos(turn))[:, None]
        y = self.y * z[:, None] - (ring * np.sin(turn))[:, None]
        return x, y, np.sqrt(x * x + y * y)

    def _behind(self, turns: Floats, x: Floats, y: Floats, length: Floats, cost: Floats) -> Floats:
        """Per direction: the share of matches that it would put behind the camera."""
        across, down = self.per_turn.transpose(1, 2, 0)
        rest_x, rest_y = self.left[:, 0] - turns @ across, self.left[:, 1] - turns @ down
        nearness = (rest_x * x + rest_y * y) / np.maximum(length, 0.05) ** 2
        ahead = nearness * np.sign(np.median(nearness, axis=1))[:, None] > -1.5 * cost[:, None]
        return np.asarray(1 - ahead.mean(axis=1))
