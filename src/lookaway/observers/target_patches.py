"""How much what stands where the subject must be resembles the subject of the first frame, by its true masks."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from lookaway.geometry.phase_frames import mapped_phases, true_indices
from lookaway.observers import Look, observer
from lookaway.observers.learned import LearnedSettings, learned_settings
from lookaway.observers.mapped_phases import NO_LOOK_AWAY, spread
from lookaway.observers.patch_features import MODEL
from lookaway.observers.returned_patches import NOBODY_RETURNS
from lookaway.observers.subject_patches import SubjectPatches, matched_patches
from lookaway.outcomes import Abstain
from lookaway.truth import true_keyframes

NAME = "target_patches"
NO_MASKS = "the task has no true masks"


class TargetPatches(SubjectPatches):
    """By the masks of the true clip."""


class TargetPatchSettings(LearnedSettings):
    """What `--set target_patches.NAME=VALUE` may say."""

    model: str = MODEL
    frames: int = Field(9, gt=0, description="of the returned phase, at most, evenly spread")


@observer(version=1, saw=TargetPatches, extra="torch", weights=MODEL, unverified=True)
def target_patches(look: Look) -> TargetPatches | Abstain:
    """Best cosines of the patches inside the true mask of nine returned frames to those of the first frame's mask."""
    settings = learned_settings(TargetPatchSettings, NAME, look)
    masks = look.truth.masks if look.truth is not None else None
    if look.truth is None or masks is None:
        return Abstain(NO_MASKS)
    keys = true_keyframes(look.truth, look.task)
    if keys is None or not masks[0].any():
        return Abstain(NO_LOOK_AWAY)
    beside = masks[true_indices(len(look.frames), len(masks))]
    returned = mapped_phases(len(look.frames), keys, "paper").returned
    frames = spread(returned[beside[returned].any((1, 2))], settings.frames)
    if not len(frames):
        return Abstain(NOBODY_RETURNS)
    return matched_patches(TargetPatches, look, settings, frames, beside[np.array([0, *frames])])
