"""How much the frames after the return resemble the clip's own first frame, patch by patch, to DINOv2 (MemoBench)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from lookaway.geometry.phase_frames import MappingRule
from lookaway.observers import Floats, Indices, Look, ObservedArrays, observer
from lookaway.observers.learned import LearnedSettings, in_batches, learned_settings, loaded_model
from lookaway.observers.mapped_phases import phases_of, spread
from lookaway.observers.patch_features import MODEL, last_hidden, opened_dinov2
from lookaway.observers.patch_matches import Tokens, unit
from lookaway.observers.picture_sizes import IMAGENET, Pixels, middle_square, whole_view
from lookaway.outcomes import Abstain

SHORT_SIDE = 224  # pixels: sixteen patches
MIDDLE_OF = 256  # pixels of the shorter side, of which the middle 224 are shown: DINOv2's own processor
NOBODY_RETURNS = "no frame lies after the return"


class PatchCosines(ObservedArrays):
    """One row per frame that was looked at, one column per patch of it, left to right and top to bottom."""

    seconds: Floats
    frames: Indices
    same_place: NDArray[np.float32]  # (F, patches) cosine to the patch at the same place of the first frame
    best_match: NDArray[np.float32]  # (F, patches) highest cosine to any patch of the first frame
    batch: int  # frames that were looked at together
    device: NDArray[np.str_]  # where


class ReturnedPatches(PatchCosines):
    """Of whole frames, phases by the paper's rule."""


class ReturnedPatchesReleased(PatchCosines):
    """Of the middle of frames, phases by the release's rule."""


class ReturnedSettings(LearnedSettings):
    """What `--set returned_patches.NAME=VALUE` may say."""

    model: str = MODEL
    frames: int = Field(9, gt=0, description="of the returned phase, at most, evenly spread")


P = TypeVar("P", bound=PatchCosines)


@observer(version=1, saw=ReturnedPatches, extra="torch", weights=MODEL, unverified=True)
def returned_patches(look: Look) -> ReturnedPatches | Abstain:
    """Cosines of the patches of nine returned frames to those of the first frame, full field of view."""
    return _compared(ReturnedPatches, look, "paper", partial(whole_view, short_side=SHORT_SIDE, patch=14))


@observer(version=1, saw=ReturnedPatchesReleased, extra="torch", weights=MODEL, unverified=True)
def returned_patches_released(look: Look) -> ReturnedPatchesReleased | Abstain:
    """Cosines of the patches of nine returned frames to those of the first frame, middle square alone."""
    show = partial(middle_square, short_side=MIDDLE_OF, side=SHORT_SIDE)
    return _compared(ReturnedPatchesReleased, look, "released", show)


def _compared(kind: type[P], look: Look, rule: MappingRule, show: Callable[..., Pixels]) -> P | Abstain:
    settings = learned_settings(ReturnedSettings, kind.observer, look)
    phases = phases_of(look, rule)
    if isinstance(phases, Abstain):
        return phases
    frames = spread(phases.returned, settings.frames)
    if not len(frames):
        return Abstain(NOBODY_RETURNS)
    eyes = loaded_model(kind.observer, settings, opened_dinov2)
    shown = [show(look.frames.rgb[i], tones=IMAGENET) for i in (0, *frames)]
    patches = unit(in_batches(eyes, shown, settings.batch, last_hidden)[:, 1:])
    same, best = cosines_to(patches[0], patches[1:])
    return kind(
        seconds=look.frames.seconds[frames],
        frames=frames,
        same_place=same,
        best_match=best,
        batch=settings.batch,
        device=np.array(eyes.device),
    )


def cosines_to(first: Tokens, others: Tokens) -> tuple[Tokens, Tokens]:
    """Of unit vectors (F, patches, size): to the one at the same place of the first, and the highest to any of it."""
    every = np.matmul(others, first.T).clip(-1, 1)
    return np.diagonal(every, axis1=1, axis2=2).copy(), every.max(axis=2)
