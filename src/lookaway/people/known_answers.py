"""Attention checks: clips of the known world whose answer is exact, by what a design says of reference models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from lookaway.people.candidates import Candidate, StudyClip
from lookaway.records import Study
from lookaway.video import decode

CHANGED_LEVELS, CHANGED_SHARE = 24, 0.01  # what anybody sees: 1 % of a frame's pixels by a tenth of the scale
Right = tuple[tuple[str, float], ...]


def known_items(study: Study, clips: Sequence[StudyClip]) -> list[Candidate]:
    """Every check that the clips allow. A fault is used where anybody can see that the clip is not the true one."""
    by_place: dict[tuple[str, int], dict[str, StudyClip]] = {}
    for clip in clips:
        if clip.reference and not clip.case.branch and _leaves_and_returns(clip):
            by_place.setdefault((clip.case.task, clip.case.seed), {})[clip.reference] = clip
    found: list[Candidate] = []
    for models in by_place.values():
        truth = models.get("truth")
        if truth is None:
            continue
        seen = {name: clip for name, clip in models.items() if name == "truth" or differ(truth, clip)}
        found += _pairs(study, seen) if study.paired else _singles(study, seen)
    return found


def _leaves_and_returns(clip: StudyClip) -> bool:
    phases = {phase.phase for phase in clip.phases}
    return clip.task.twin is None and clip.task.event != "none" and {"hidden", "returned"} <= phases


def _pairs(study: Study, models: dict[str, StudyClip]) -> Iterator[Candidate]:
    for better, worse in product(models, models):
        right = [(c.name, 1.0) for c in study.criteria if (better, worse) in c.known_pairs]
        if right:
            yield Candidate((models[better], models[worse]), role="check", right=tuple(right))


def _singles(study: Study, models: dict[str, StudyClip]) -> Iterator[Candidate]:
    for name, clip in models.items():
        right = _frames(study, clip) if study.kind == "keyframes" else _choices(study, name)
        if right and any(name in criterion.known for criterion in study.criteria):
            yield Candidate((clip,), role="check", right=right)


def _choices(study: Study, model: str) -> Right:
    return tuple((c.name, float(c.known[model] == "yes")) for c in study.criteria if model in c.known)


def _frames(study: Study, clip: StudyClip) -> Right:
    """The first frame without the subject; that it is fully back is for people to say."""
    hidden_s = next(phase.start_s for phase in clip.phases if phase.phase == "hidden")
    frame = float(np.ceil(hidden_s * clip.task.fps - 1e-6))
    return tuple((c.name, frame) for c in study.criteria if clip.reference in c.known)


def differ(one: StudyClip, other: StudyClip) -> bool:
    """Whether two clips of a task look different to anybody, somewhere."""
    for a, b in zip(decode(one.path), decode(other.path), strict=False):
        if a.rgb.shape != b.rgb.shape:
            return True
        changed = np.abs(a.rgb.astype(int) - b.rgb.astype(int)).max(axis=2) > CHANGED_LEVELS
        if changed.mean() > CHANGED_SHARE:
            return True
    return False
