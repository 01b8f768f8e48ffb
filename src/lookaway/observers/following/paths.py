"""From ties between pictures to every picture's turn against the first: the least doubtful path, and its doubts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lookaway.geometry.rotations import turn_deg
from lookaway.observers import Flags, Floats, Indices
from lookaway.observers.following.matches import Matches
from lookaway.observers.following.ties import Turn, turn_between

# A turn that a tie puts this many times further off than both its pictures' intervals allow, and at least so far.
DENIES = 2.0
DENIES_DEG = 1.0


class Tie(NamedTuple):
    """Two pictures by number, what matches in them, and the turn from the rays of one to those of the other."""

    here: int
    there: int
    matches: Matches
    turn: Turn

    def through(self, focal: float) -> Tie | None:
        """The same under another lens; None where no turn explains it."""
        turn = turn_between(self.matches.here, self.matches.there, focal)
        return None if turn is None else self._replace(turn=turn)


@dataclass(frozen=True)
class Paths:
    """Per picture, along its least doubtful path; pictures that hang together count from the first of them."""

    root: Indices  # which picture that is
    rotations: Floats  # (N, 3, 3), this picture's rays to its root's
    if_shifted: Floats  # (N, 3, 3), the same if the camera shifted too
    sd_deg: Floats  # (N, 2) about y and x: yaw and pitch
    pattern_deg: Floats  # (N,)


def least_doubtful(ties: Iterable[Tie], count: int) -> Paths:
    """Doubts add up along a path, for what a shift does it does all along."""
    best = _best(ties)
    roots, before, order = _shortest(best, count)
    rotations, if_shifted = (np.tile(np.eye(3), (count, 1, 1)) for _ in range(2))
    sd_deg, pattern_deg = np.zeros((count, 2)), np.zeros(count)
    for number in order:
        k = int(before[number])
        if k < 0:
            continue
        tie = best[min(number, k), max(number, k)]
        onward = tie.here == number
        for path, step in ((rotations, tie.turn.rotation), (if_shifted, tie.turn.if_shifted)):
            path[number] = path[k] @ (step if onward else step.T)
        sd_deg[number] = sd_deg[k] + tie.turn.sd_deg[[1, 0]]
        pattern_deg[number] = pattern_deg[k] + tie.turn.pattern_deg
    return Paths(roots, rotations, if_shifted, sd_deg, pattern_deg)


def contradicted(ties: Iterable[Tie], rotations: Floats, half_width_deg: Floats) -> Flags:
    """Pictures that one neighbour puts where the other denies them: something before the camera moved, not the camera.

    Of the two that a tie joins, the more doubtful one is meant.
    """
    denied = np.zeros(len(rotations), bool)
    widest = half_width_deg.max(axis=1)
    for tie in ties:
        if abs(tie.here - tie.there) == 1:
            off = float(turn_deg(rotations[tie.there] @ tie.turn.rotation, rotations[tie.here]))
            if off > max(DENIES_DEG, DENIES * (widest[tie.here] + widest[tie.there])):
                denied[tie.here if widest[tie.here] > widest[tie.there] else tie.there] = True
    return denied


def _best(ties: Iterable[Tie]) -> dict[tuple[int, int], Tie]:
    """Of several ties between two pictures the least doubtful."""
    best: dict[tuple[int, int], Tie] = {}
    for tie in ties:
        pair = min(tie.here, tie.there), max(tie.here, tie.there)
        if pair not in best or tie.turn.doubt_deg < best[pair].turn.doubt_deg:
            best[pair] = tie
    return best


def _shortest(best: dict[tuple[int, int], Tie], count: int) -> tuple[Indices, Indices, list[int]]:
    """Per picture its root and the picture before it on its path, below 0 for roots; and an order to walk them in."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components, dijkstra

    pairs = np.array(list(best), np.int64).reshape(-1, 2)
    doubts = np.array([tie.turn.doubt_deg for tie in best.values()])
    graph = coo_array((doubts, (pairs[:, 0], pairs[:, 1])), shape=(count, count)).tocsr()
    _, piece = connected_components(graph, directed=False)
    firsts = np.unique(piece, return_index=True)[1]
    far, before, roots = dijkstra(graph, directed=False, indices=firsts, return_predecessors=True, min_only=True)
    return roots.astype(np.int64), before.astype(np.int64), np.argsort(far, kind="stable").tolist()
