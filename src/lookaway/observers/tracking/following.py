"""The subject through a whole clip: tracked while it is there, looked for when it is lost."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from lookaway.observers import Flags, Floats
from lookaway.observers.tracking.carrying import Chance, FrameMotion, came_in, carried, chance_of
from lookaway.observers.tracking.colours import ColourOdds, Evidence, alike, colours, learned_odds
from lookaway.observers.tracking.looking_again import (
    DIFFERS,
    Clump,
    LostSubject,
    SubjectSight,
    looked_again,
    same_as_before,
)
from lookaway.observers.tracking.pictures import Mask, Pictures, grown, touches_border
from lookaway.observers.tracking.plate import PlaceChange, Plate

PLATE_NEUTRAL, PLATE_SCALE = 14.0, 8.0  # differences from the plate: neither for nor against it; per unit of log odds
PLATE_ODDS = (-2.5, 0.8)  # what looks as its place did without the subject is not the subject
LEAST_AREA = 0.02  # of the first one
LEAST_PX = 5
LEAST_ALIKE = 0.35
LEAST_ODDS = 0.1
GROWS = (1.7, 30)  # of the median of five frames, and so many pixels: more in one frame is not it
STALE = 0.2  # of it differs from the plate: less is the place itself
SURENESS = (0.42, 0.55)  # mean over six frames: at least so much, and such a share of that of its first twelve
FELL = 1.1  # of that: from there on it was lost
HELD_AREA = 0.7  # of that in the frame before: so much of it must be where it was in the picture, against all flow
FELL_AREA = 0.15  # of the first one: what is smaller is leaving, and leaves with a poor look
IN_A_ROW = 3  # frames in which it must be found again, each where the one before went
COMING_FRAMES = 12  # before it was found: it may have been coming in
COMING_ODDS = 0.8
COMING_SURENESS = 0.5


@dataclass
class MaskTrack:
    """What became of the subject, one row per frame."""

    masks: Flags
    seen: Flags
    sureness: Floats

    @classmethod
    def begun(cls, pictures: Pictures, first: Mask) -> MaskTrack:
        count = len(pictures)
        track = cls(np.zeros((count, *pictures.shape), bool), np.zeros(count, bool), np.zeros(count))
        track.set(0, first, 1.0)
        return track

    def set(self, i: int, mask: Mask, sureness: float) -> None:
        self.masks[i], self.seen[i], self.sureness[i] = mask, True, sureness

    def clear(self, i: int) -> None:
        self.masks[i], self.seen[i], self.sureness[i] = False, False, 0.0


@dataclass(frozen=True)
class Followed:
    """A track, with what was learned on the way: its colours, and what its places look like without it."""

    track: MaskTrack
    odds: ColourOdds
    plate: Plate


def follow(pictures: Pictures, first: Mask) -> Followed:
    """The subject of a first mask through a clip, twice: then all that is not the subject is known better."""
    motion, rough = FrameMotion(pictures), None
    for _ in range(2):
        odds = learned_odds(pictures, first, None if rough is None else rough.masks.__getitem__)
        walk = _Walk(pictures, motion, odds, first)
        for i in range(1, len(pictures)):
            walk.step(i)
        rough = walk.track
    return Followed(walk.track, odds, walk.plate)


def evidence_of(odds: ColourOdds, pictures: Pictures, i: int, change: PlaceChange) -> Evidence:
    """Log odds of each pixel to be the subject's, by its colour and by what its place looked like before."""
    own = odds(pictures.bins(i))
    new = np.clip((change.apart.astype(np.float32) - PLATE_NEUTRAL) / PLATE_SCALE, *PLATE_ODDS)
    return np.clip(np.where(change.known, own + new, own), -5, 5).astype(np.float32)


@dataclass
class _Walk:
    """One way through the clip."""

    pictures: Pictures
    motion: FrameMotion
    odds: ColourOdds
    first: Mask
    tracking: bool = True
    born: int = 0  # the frame from which it is tracked,
    lost: int = 0  # or from which it is not
    areas: list[int] = field(default_factory=list)  # since it was found
    sights: deque[SubjectSight] = field(default_factory=lambda: deque(maxlen=14))
    pending: list[tuple[int, Clump]] = field(default_factory=list)
    recent: deque[tuple[int, Evidence]] = field(default_factory=lambda: deque(maxlen=COMING_FRAMES + IN_A_ROW))

    def __post_init__(self) -> None:
        self.track, self.plate = MaskTrack.begun(self.pictures, self.first), Plate(self.pictures)
        self.chance, self.age = chance_of(self.first), np.zeros(self.pictures.shape, np.float32)
        self.area = int(self.first.sum())
        self.home = self.last = self.pictures.direction(self.first, 0)
        self.areas.append(self.area)
        self.sights.append(SubjectSight(0, self.first))
        self.plate.add(0, self.first)

    def step(self, i: int) -> None:
        change = self.plate.change(i, self.plate.near(i))
        evidence = evidence_of(self.odds, self.pictures, i, change)
        self.recent.append((i, evidence))
        if not (self.tracking and self._tracked(i, evidence, change)):
            self._look_again(i, evidence, change)

    # ------------------------------------------------------------ while it is there

    def _tracked(self, i: int, evidence: Evidence, change: PlaceChange) -> bool:
        """Whether it is still there; where not, it is lost from here on, or from where its look began to fall."""
        chance = carried(self.chance, evidence, self.motion.origins(i, i - 1))
        sureness = self._sureness(i, chance > 0.5, evidence, change)
        if sureness is None:
            chance = carried(self.chance, evidence, self.motion.none)
            sureness = self._sureness(i, chance > 0.5, evidence, change)
            if (chance > 0.5).sum() < HELD_AREA * self.areas[-1]:
                sureness = None
        mask = chance > 0.5
        fell = sureness is not None and mask.sum() > FELL_AREA * self.area and self._fell(i, sureness)
        if sureness is None or fell:
            self._lose(i, fell)
            return False
        self.chance = chance
        self.track.set(i, mask, sureness)
        self.last = self.pictures.direction(mask, i)
        self.areas.append(int(mask.sum()))
        self.plate.add(i, mask)
        if mask.sum() > 0.6 * np.median(self.areas[-14:]):
            self.sights.append(SubjectSight(i, mask))
        return True

    def _sureness(self, i: int, mask: Mask, evidence: Evidence, change: PlaceChange) -> float | None:
        """How surely this is the subject, from 0 to 1; None where it is not."""
        size = int(mask.sum())
        if not max(LEAST_AREA * self.area, LEAST_PX) <= size < GROWS[0] * np.median(self.areas[-5:]) + GROWS[1]:
            return None
        likeness, odds = alike(colours(self.pictures.bins(i), mask), self.odds.own), float(evidence[mask].mean())
        stale = change.known_share(mask) > 0.5 and change.of(mask, DIFFERS) < STALE
        if likeness <= LEAST_ALIKE or odds <= LEAST_ODDS or stale:
            return None
        return likeness * float(np.clip(0.5 + odds / 4, 0, 1))

    def _fell(self, i: int, sureness: float) -> bool:
        """Did its look fall over the last six frames? It slid off the subject, or the subject dissolved."""
        recent = [*self.track.sureness[max(self.born, i - 5) : i], sureness]
        return len(recent) >= 5 and bool(np.mean(recent) < self._floor())

    def _floor(self) -> float:
        begun = self.track.sureness[self.born : self.born + 12]
        begun = begun[begun > 0]
        return max(SURENESS[0], SURENESS[1] * float(np.median(begun))) if len(begun) else SURENESS[0]

    def _lose(self, i: int, fell: bool) -> None:
        floor, k = FELL * self._floor(), i - 1
        while fell and k > self.born + 1 and self.track.sureness[k] < floor:
            self.track.clear(k)
            k -= 1
        if not self.track.seen[i - 1]:
            self.chance = np.zeros_like(self.chance)
        self.tracking, self.pending, self.lost = False, [], i
        self.age = np.where(grown(self.chance > 0.3, 9), 0, 2 * self.pictures.fps).astype(np.float32)

    # ------------------------------------------------------------ while it is not

    def _look_again(self, i: int, evidence: Evidence, change: PlaceChange) -> None:
        self.age = came_in(self.age, self.motion.origins(i, i - 1)) * self.pictures.lit(i)
        usual = max(float(np.median(self.areas[-8:])), 0.5 * self.area)
        lost = LostSubject((i - self.lost) / self.pictures.fps, usual, self.last, self.home)
        found, plausible = looked_again(self.pictures, i, evidence, change, self.age, self.odds, self.area, lost)
        self.age[plausible] = np.maximum(0, self.age[plausible] - 1)
        found = found or same_as_before(self.pictures, i, self.sights, self.odds.own)
        self.plate.add(i, np.zeros(self.pictures.shape, bool) if found is None else found.mask)
        if found is None:
            self.pending = []
            return
        if self.pending and not self._goes_on(i, evidence, found):
            self.pending = []
        self.pending.append((i, found))
        if len(self.pending) >= IN_A_ROW or i == len(self.pictures) - 1:
            self._find(i, found)

    def _goes_on(self, i: int, evidence: Evidence, found: Clump) -> bool:
        """Does it lie where what was found in the frame before went?"""
        before = chance_of(self.pending[-1][1].mask)
        went = carried(before, evidence, self.motion.origins(i, i - 1)) > 0.5
        return bool((went & found.mask).sum() >= 0.2 * min(went.sum() + 1, found.mask.sum()))

    def _find(self, i: int, found: Clump) -> None:
        for k, clump in self.pending:
            self.track.set(k, clump.mask, clump.score)
        self.born, self.tracking = self.pending[0][0], True
        self._trace_back(self.born)
        self.pending, self.chance = [], chance_of(found.mask)
        self.areas = [int(found.mask.sum()) * (2 if touches_border(found.mask) else 1)]
        self.last = self.pictures.direction(found.mask, i)

    def _trace_back(self, found: int) -> None:
        """Before it was found it may have been coming in, too little to be told by itself."""
        chance: Chance = chance_of(self.track.masks[found])
        for k, evidence in reversed(self.recent):
            if k >= found:
                continue
            if self.track.seen[k] or found - k >= COMING_FRAMES:
                return
            chance = carried(chance, evidence, self.motion.origins(k, k + 1))
            mask = chance > 0.5
            if mask.sum() < max(6, LEAST_AREA * self.area) or evidence[mask].mean() < COMING_ODDS:
                return
            self.track.set(k, mask, COMING_SURENESS)
