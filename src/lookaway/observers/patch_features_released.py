"""DINOv2 features of the frames and the middle of the picture that WRBench's release looks at."""

from __future__ import annotations

import numpy as np

from lookaway.observers import Look, observer
from lookaway.observers.learned import LearnedSettings, in_batches, learned_settings, loaded_model
from lookaway.observers.patch_features import MODEL, MatchedTokens, last_hidden, opened_dinov2
from lookaway.observers.patch_matches import matches, unit
from lookaway.observers.picture_sizes import IMAGENET, middle_square
from lookaway.outcomes import Abstain
from lookaway.video import indices_as_released

RATE, MOST = 2.0, 16  # frames a second, and in all
SHORT_SIDE, MIDDLE = 256, 224  # pixels: DINOv2's own processor; the release's numbers are not known


class MiddleFeatures(MatchedTokens):
    """Of the middle of frames."""


class MiddleSettings(LearnedSettings):
    """What `--set patch_features_released.NAME=VALUE` may say."""

    model: str = MODEL


@observer(version=2, saw=MiddleFeatures, extra="torch", weights=MODEL, unverified=True)
def patch_features_released(look: Look) -> MiddleFeatures | Abstain:
    """Class token and best matches of patches at 2 frames a second, 4 at least and at most 16, middle square alone."""
    settings = learned_settings(MiddleSettings, "patch_features_released", look)
    indices = indices_as_released(len(look.frames), look.frames.info.fps, RATE, MOST)
    if len(indices) < 2:
        return Abstain("fewer than two frames to compare")
    eyes = loaded_model("patch_features_released", settings, opened_dinov2)
    shown = [middle_square(look.frames.rgb[i], SHORT_SIDE, MIDDLE, IMAGENET) for i in indices]
    tokens = unit(in_batches(eyes, shown, settings.batch, last_hidden))
    return MiddleFeatures(
        seconds=look.frames.seconds[indices],
        class_token=tokens[:, 0],
        **matches(tokens[:, 1:])._asdict(),
        batch=settings.batch,
        device=np.array(eyes.device),
    )
