"""Does CLIP find what the clip shows after the return in the true clip too? (MemoBench, its code alone)"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from lookaway.geometry.phase_frames import true_indices
from lookaway.observers import Floats, Indices, Look, ObservedArrays, observer
from lookaway.observers.clip_pictures import clip_model, clip_vectors
from lookaway.observers.learned import LearnedSettings, learned_settings
from lookaway.observers.mapped_phases import NO_TRUTH, phases_of, spread
from lookaway.observers.returned_patches import NOBODY_RETURNS
from lookaway.outcomes import Abstain

NAME = "returned_views"
MODEL = "openai/clip-vit-base-patch32"


class ReturnedViews(ObservedArrays):
    """One row per returned frame that was looked at."""

    seconds: Floats
    frames: Indices
    true_frames: Indices  # of the true clip, beside them
    cosine: NDArray[np.float32]  # of the two pictures
    batch: int  # frames that were looked at together
    device: NDArray[np.str_]  # where


class ReturnedViewSettings(LearnedSettings):
    """What `--set returned_views.NAME=VALUE` may say."""

    model: str = MODEL
    frames: int = Field(3, gt=0, description="of the returned phase, at most, evenly spread")


@observer(version=1, saw=ReturnedViews, extra="torch", weights=MODEL, unverified=True)
def returned_views(look: Look) -> ReturnedViews | Abstain:
    """CLIP's cosines of three returned frames and the true frames beside them."""
    settings = learned_settings(ReturnedViewSettings, NAME, look)
    phases = phases_of(look, "released")
    if isinstance(phases, Abstain):
        return phases
    if look.truth is None or look.truth.video is None:
        return Abstain(NO_TRUTH)
    frames, true_rgb = spread(phases.returned, settings.frames), look.truth.frames().rgb
    if not len(frames):
        return Abstain(NOBODY_RETURNS)
    beside = true_indices(len(look.frames), len(true_rgb))[frames]
    eyes = clip_model(NAME, settings)
    pictures = [*(look.frames.rgb[i] for i in frames), *(true_rgb[i] for i in beside)]
    ours, true = np.split(clip_vectors(eyes, pictures, settings.batch), 2)
    return ReturnedViews(
        seconds=look.frames.seconds[frames],
        frames=frames,
        true_frames=beside,
        cosine=np.sum(ours * true, axis=1).clip(-1, 1),
        batch=settings.batch,
        device=np.array(eyes.device),
    )
