"""Which frames of a clip lie in which phase: mapped from the true clip, or as measured in the clip itself."""

from __future__ import annotations

from typing import Literal

import numpy as np

from lookaway.geometry.phase_frames import MappingRule, PhaseFrames, SightFrames, mapped_phases, sight_frames
from lookaway.observers import Floats
from lookaway.observers.replay import Replay
from lookaway.observers.subject_track import SubjectTrack
from lookaway.outcomes import Abstain
from lookaway.readings import Case
from lookaway.truth import true_keyframes

PhaseRule = Literal["paper", "released", "measured"]

NO_LOOK_AWAY = "the subject of the true clip does not leave the view and come back"


def phase_frames(case: Case, frames: int, rule: PhaseRule) -> PhaseFrames | Abstain:
    """The phases of a clip of so many frames; frames that show part of the subject are in none where measured."""
    if rule == "measured":
        sight = measured_frames(case)
        return PhaseFrames(sight.visible, sight.hidden, sight.returned)
    return mapped_frames(case, frames, rule)


def mapped_frames(case: Case, frames: int, rule: MappingRule = "paper") -> PhaseFrames | Abstain:
    """By the frames of the true clip. V has the frames in which the subject is leaving, D those of its return."""
    keys = true_keyframes(case.truth, case.task) if case.truth is not None else None
    return mapped_phases(frames, keys, rule) if keys is not None else Abstain(NO_LOOK_AWAY)


def measured_frames(case: Case) -> SightFrames:
    """In the video itself: by its known world where `replay` looked, else by following the subject from its box."""
    if Replay.observer in case.seen:
        return _beside_the_world(case.saw(Replay))
    seen = case.saw(SubjectTrack)
    return sight_frames(seen.seconds, seen.visible, seen.share, seen.touches_border | bool(case.task.cover))


def _beside_the_world(seen: Replay) -> SightFrames:
    area = seen.in_view * seen.unobstructed
    return sight_frames(seen.seconds, seen.visible, area, np.ones(len(area), bool))


def measured_seconds(case: Case) -> Floats:
    """Of the frames that `measured_frames` counts."""
    return case.saw(Replay).seconds if Replay.observer in case.seen else case.saw(SubjectTrack).seconds
