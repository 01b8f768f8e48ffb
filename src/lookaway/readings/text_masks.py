"""What was found by its name: the surest mask of a frame within a share of the picture, and whether it is the target.

A model that is given words finds something in most pictures. Whoever counts what it finds must say from which
confidence on, and of which size: the published number counts all; the anchored one goes by what it found at first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookaway.geometry.phase_frames import MappingRule, PhaseFrames
from lookaway.observers import Flags, Floats, Indices
from lookaway.observers.text_masks import TextMasks
from lookaway.outcomes import Abstain, Measured
from lookaway.readings import Case
from lookaway.readings.phase_frames import mapped_frames

FLOOR = 0.5  # from which on the publishers of SAM 3 call a mask a detection; below it something is found in any picture
SIZE_FACTOR = 4.0  # the target is within this many times its size at first; twice as near or far is four times the area
ANCHOR_SHARE = 0.5  # of the frames in which it is in view, or it cannot be found by its name
GONE_SHARE = 0.5  # of the frames in which it should be gone; those of its return are among them
NEVER_RETURNED = "the clip has no frame in which the subject should be back"


class Coverage(NamedTuple):
    """Shares of the picture from which on, and up to which, a mask counts."""

    low: float
    high: float


PUBLISHED = Coverage(0.0005, 0.5)
FALLBACK = Coverage(0.0005, 0.7)  # where no mask of a frame is within the former


class Surest(NamedTuple):
    """Per frame, the surest mask that counts."""

    confidence: Floats  # 0 where there is none
    at_most: Floats  # what it could be, had more masks been kept
    coverage: Floats


class FoundTarget(NamedTuple):
    """The target as it was found while it was in view."""

    confidence: float  # mean
    coverage: Coverage  # what may be it later


def surest(seen: TextMasks, rows: Flags, cover: Coverage, fallback: Coverage | None = None) -> Surest:
    """Of the frames in those rows; of a frame without a mask within `cover`, within `fallback`."""
    confidence, coverage = (values[rows].astype(np.float64) for values in (seen.confidence, seen.coverage))
    valid = (coverage >= cover.low) & (coverage <= cover.high) & (confidence > 0)
    if fallback is not None:
        wider = (coverage >= fallback.low) & (coverage <= fallback.high) & (confidence > 0)
        valid = np.where(valid.any(axis=1, keepdims=True), valid, wider)
    counted = np.where(valid, confidence, 0.0)
    best = counted.argmax(axis=1)[:, None]
    chosen = np.take_along_axis(counted, best, axis=1)[:, 0]
    covered = np.where(chosen > 0, np.take_along_axis(coverage, best, axis=1)[:, 0], 0.0)
    return Surest(chosen, np.maximum(chosen, seen.left_out[rows]), covered)


def published_reappearance(
    case: Case, kind: type[TextMasks], rule: MappingRule, cover: Coverage, fallback: Coverage | None = None
) -> float | Measured | Abstain:
    """Confidences of the surest masks over all frames in which the subject should be back; no floor, no gate."""
    seen = case.saw(kind)
    phases = mapped_frames(case, seen.clip_frames, rule)
    if isinstance(phases, Abstain):
        return phases
    if not len(phases.returned):
        return Abstain(NEVER_RETURNED)
    found = surest(seen, _rows(seen, phases.returned), cover, fallback)
    value, most = float(found.confidence.mean()), float(found.at_most.mean())
    return Measured(value, value, most) if most > value else value


def anchored_reappearance(case: Case) -> float | Abstain:
    """The same with a floor, of masks of the target's size, against how surely it was found at first; 1 as surely."""
    anchor = target_at_first(case)
    if isinstance(anchor, Abstain):
        return anchor
    seen, phases = case.saw(TextMasks), _phases(case)
    if isinstance(phases, Abstain) or not len(phases.returned):
        return phases if isinstance(phases, Abstain) else Abstain(NEVER_RETURNED)
    found = surest(seen, _rows(seen, phases.returned), anchor.coverage).confidence
    return min(1.0, float(np.where(found >= FLOOR, found, 0.0).mean()) / anchor.confidence)


def target_at_first(case: Case) -> FoundTarget | Abstain:
    """How the target is found in the frames in which it is in view; an abstention where it is not."""
    seen, phases = case.saw(TextMasks), _phases(case)
    if isinstance(phases, Abstain):
        return phases
    found = surest(seen, _rows(seen, phases.visible), PUBLISHED, FALLBACK)
    sure = found.confidence >= FLOOR
    if not len(sure) or sure.mean() < ANCHOR_SHARE:
        told = f"found in {sure.sum()} of {len(sure)} frames in which it is in view"
        return Abstain(f"the subject cannot be found by its name: {told}")
    size = float(np.median(found.coverage[sure]))
    return FoundTarget(float(found.confidence[sure].mean()), Coverage(size / SIZE_FACTOR, size * SIZE_FACTOR))


def gone_share(case: Case, anchor: FoundTarget) -> float:
    """Of the frames in which the target should be gone, the share in which it is not found; 1 where there are none."""
    seen, phases = case.saw(TextMasks), _phases(case)
    if isinstance(phases, Abstain):
        return 1.0
    rows = _rows(seen, phases.hidden)
    found = surest(seen, rows, anchor.coverage).confidence >= FLOOR
    return float(1 - found.mean()) if len(found) else 1.0


def _phases(case: Case) -> PhaseFrames | Abstain:
    return mapped_frames(case, case.saw(TextMasks).clip_frames)


def _rows(seen: TextMasks, frames: Indices) -> Flags:
    return np.isin(seen.frames, frames)
