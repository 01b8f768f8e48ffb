"""The phases of a clip by the keyframes of its true clip, for observers that look at frames of a phase."""

from __future__ import annotations

from lookaway.geometry.phase_frames import Indices, MappingRule, PhaseFrames, keyframes, mapped_phases
from lookaway.observers import Look
from lookaway.outcomes import Abstain
from lookaway.video import indices_uniform

NO_TRUTH = "the task has no true clip whose keyframes could be mapped"
NO_LOOK_AWAY = "the subject of the true clip does not leave and come back"


def phases_of(look: Look, rule: MappingRule) -> PhaseFrames | Abstain:
    """Visible, hidden and returned frames of the clip by that rule."""
    if look.truth is None or not len(look.truth.seconds):
        return Abstain(NO_TRUTH)
    keys = keyframes(look.truth.phases, look.truth.seconds)
    return Abstain(NO_LOOK_AWAY) if keys is None else mapped_phases(len(look.frames), keys, rule)


def spread(frames: Indices, count: int) -> Indices:
    """Up to `count` of some frames, evenly spread, both ends kept."""
    return frames[indices_uniform(len(frames), count)]
