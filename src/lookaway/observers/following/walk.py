"""Ties between the pictures of a clip: each to the one before, and every few frames to pictures of the same direction.

Picture 0 is the task's first frame and picture i + 1 is frame i of the video. Keyframes are chosen in two steps, 6 and
8 frames, each of which makes a set of ties of its own: how far the two disagree says how far either may be trusted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from lookaway.geometry.rotations import turn_deg
from lookaway.observers import Floats
from lookaway.observers.following.matches import Features, Image, Matches, corners_followed, features, recognised
from lookaway.observers.following.paths import Tie
from lookaway.observers.following.ties import Turn, turn_between

STEPS = (6, 8)  # frames
NEAREST = 4  # keyframes in direction
OVERLAP_DEG = 50.0  # views further apart share too little to match
FEW_AGREE = 0.3  # of the corners: a quick turn, a cut or a cover, so features are asked too
BREAKS = 0.1  # of the corners: fewer and the two pictures are not tied
MIN_SOUGHT = 60  # as good as that many, where fewer corners are there to be followed
PER_FEATURE = 1.5  # features are lost more easily than corners
TIED_COUNT, TIED_SHARE = 18, 0.25  # features that must agree on one turn


@dataclass
class Walk:
    """What is known after the pictures taken so far."""

    focal: float
    steps: tuple[int, ...] = STEPS
    chain: list[Tie] = field(default_factory=list)  # to the picture before
    loops: dict[int, list[Tie]] = field(default_factory=dict)  # by step
    features: dict[int, Features] = field(default_factory=dict)
    agreeing: list[float] = field(default_factory=list)  # per picture: share of corners that follow one turn
    _rotations: list[Floats] = field(default_factory=list)
    _doubt_deg: list[float] = field(default_factory=list)  # up to here; infinite: lost
    _keys: dict[int, list[int]] = field(default_factory=dict)
    _turns: dict[tuple[int, int], tuple[Matches, Turn] | None] = field(default_factory=dict)
    _before: Image | None = None

    @property
    def count(self) -> int:
        return len(self.agreeing)

    @property
    def ties(self) -> list[list[Tie]]:
        """By step."""
        return [[*self.chain, *self.loops.get(step, [])] for step in self.steps]

    def take(self, picture: Image, last: bool) -> None:
        """The next grey picture."""
        number = self.count
        if self._before is None:
            self._rotations, self._doubt_deg, self.agreeing = [np.eye(3)], [0.0], [1.0]
            self._keys = {step: [0] for step in self.steps}
            self._seen(0, picture)
        else:
            broken = not self._follow(number, picture, self._before)
            for step in self.steps:
                if broken or last or (number > 1 and (number - 1) % step == 0):
                    self._loop(number, picture, step)
        self._before = picture

    def _follow(self, number: int, picture: Image, before: Image) -> bool:
        """Tie a picture to the one before; False where nothing does."""
        matches = corners_followed(picture, before)
        turn = turn_between(matches.here, matches.there, self.focal)
        agreeing = 0.0 if turn is None else turn.count / max(matches.sought, MIN_SOUGHT)
        if agreeing < FEW_AGREE:
            self._seen(number - 1, before)
            self._seen(number, picture)
            known = self._recognised(number, number - 1)
            if known is not None and known[1].share > TIED_SHARE:
                share = PER_FEATURE * known[1].count / max(MIN_SOUGHT, known[0].sought)
                if share > agreeing:
                    (matches, turn), agreeing = known, share
        self.agreeing.append(min(1.0, agreeing))
        self._rotations.append(self._rotations[-1])
        self._doubt_deg.append(np.inf)
        if turn is None or agreeing < BREAKS:
            return False
        self._tie(self.chain, Tie(number, number - 1, matches, turn))
        return True

    def _loop(self, number: int, picture: Image, step: int) -> None:
        """Tie a keyframe to the first picture and to the keyframes nearest in direction; to any, where it is lost."""
        self._seen(number, picture)
        keys, lost = self._keys[step], not np.isfinite(self._doubt_deg[number])
        off = turn_deg(np.array([self._rotations[k] for k in keys]), self._rotations[number])
        near = [
            keys[k] for k in np.argsort(off, kind="stable") if number - keys[k] > 1 and (lost or off[k] <= OVERLAP_DEG)
        ]
        others = [k for k in (0, *near[:NEAREST], *(keys[-2:] if lost else ())) if lost or k in near]
        for k in dict.fromkeys(others):
            known = self._recognised(number, k)
            if known is not None and known[1].count >= TIED_COUNT and known[1].share > TIED_SHARE:
                self._tie(self.loops.setdefault(step, []), Tie(number, k, *known))
        keys.append(number)

    def _tie(self, ties: list[Tie], tie: Tie) -> None:
        ties.append(tie)
        doubt = self._doubt_deg[tie.there] + tie.turn.doubt_deg
        if doubt < self._doubt_deg[tie.here]:
            self._doubt_deg[tie.here] = doubt
        elif np.isfinite(self._doubt_deg[tie.here]):
            return
        self._rotations[tie.here] = self._rotations[tie.there] @ tie.turn.rotation

    def _seen(self, number: int, picture: Image) -> None:
        if number not in self.features:
            self.features[number] = features(picture)

    def _recognised(self, here: int, there: int) -> tuple[Matches, Turn] | None:
        if (here, there) not in self._turns:
            matches = recognised(self.features[here], self.features[there])
            turn = turn_between(matches.here, matches.there, self.focal)
            self._turns[here, there] = None if turn is None else (matches, turn)
        return self._turns[here, there]


def walked(pictures: Iterable[Image], count: int, focal: float) -> Walk:
    """Through all pictures, `count` of them, the first being home."""
    made = Walk(focal)
    for number, picture in enumerate(pictures):
        made.take(picture, last=number == count - 1)
    return made
