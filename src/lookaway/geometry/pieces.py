"""A camera script cut into pieces: what it does between two moments, as a script of its own."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from lookaway.geometry.moves import ORBIT, VERBS, Move, Verb
from lookaway.geometry.parsing import parse
from lookaway.geometry.poses import eased, plain

LEAST_S = 1e-9  # shorter is no piece


def piece(script: str, start_s: float, end_s: float, fps: float, pitch_deg: float = 0.0) -> str:
    """The script from `start_s` to `end_s`; after its last move the camera stands.

    An eased move is said as steady ones that are where it is at every frame.
    """
    said, begins = [], 0.0
    for move in plain(parse(script, fps), pitch_deg):
        ends = begins + move.seconds
        for since, until in _cuts(move, max(start_s, begins), min(end_s, ends), fps):
            shares = (np.array([since, until]) - begins) / move.seconds
            before, after = shares if move.easing == "steady" else eased(move.easing, shares)
            said.append(f"{_doing(move, float(after - before))}@{float(until - since)!r}s")
        begins = ends
    if (rest := end_s - max(start_s, begins)) > LEAST_S:
        said.append(f"hold@{float(rest)!r}s")
    return ", ".join(said)


def _cuts(move: Move, since: float, until: float, fps: float) -> Iterator[tuple[float, float]]:
    """From when to when the move goes at one speed, as far as frames can tell."""
    frames = [] if move.easing == "steady" else [n / fps for n in range(math.ceil(since * fps), int(until * fps) + 1)]
    times = [since, *(t for t in frames if since + LEAST_S < t < until - LEAST_S), until]
    return ((a, b) for a, b in itertools.pairwise(times) if b - a > LEAST_S)


def _doing(move: Move, share: float) -> str:
    """That share of a move, without how long it lasts."""
    doings = [_sized(name, verb, move, share) for name, verb in VERBS.items() if getattr(move, verb.field)]
    if move.orbit_deg:
        doings.append(f"{_sized('orbit', ORBIT, move, share)}:{move.radius_m!r}")
    return "+".join(doings) or "hold"


def _sized(name: str, verb: Verb, move: Move, share: float) -> str:
    size = getattr(move, verb.field)
    return f"{name}:{verb.more if size > 0 else verb.less}:{abs(size) * share!r}"
