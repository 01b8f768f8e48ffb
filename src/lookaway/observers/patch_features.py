"""DINOv2 features of sampled frames, for visual integrity."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.errors import UnknownName
from lookaway.observers import Floats, Look, ObservedArrays, observer
from lookaway.observers.learned import (
    IMAGENET_MEAN,
    IMAGENET_STD,
    LearnedSettings,
    in_batches,
    learned_settings,
    loaded_model,
)
from lookaway.observers.patch_matches import matches, unit
from lookaway.outcomes import Abstain
from lookaway.video import RATE_RULES

MODEL = "facebook/dinov2-base"
FEATURES_LONG_SIDE = 518


class MatchedTokens(ObservedArrays):
    """One row per sampled frame; tokens are of length 1."""

    seconds: Floats
    class_token: NDArray[np.float32]  # (N, size)
    forward: NDArray[np.float32]  # (N - 1, patches) best cosine of each patch in the next frame
    backward: NDArray[np.float32]  # (N - 1, patches) of each patch of the next frame in this one
    batch: int  # frames that were looked at together
    device: NDArray[np.str_]  # where


class PatchFeatures(MatchedTokens):
    """Of whole frames."""

    patch_mean: NDArray[np.float32]  # (N, size)


class PatchSettings(LearnedSettings):
    """What `--set patch_features.NAME=VALUE` may say."""

    model: str = MODEL
    frames: str = "rate"


@observer(version=4, saw=PatchFeatures, extra="torch", weights=MODEL, unverified=True)
def patch_features(look: Look) -> PatchFeatures | Abstain:
    """Class token, mean patch and best matches of patches at 3 frames a second, at most 24, full field of view.

    `patch_features.frames=released` takes the frames that WRBench's release would take of a long or short clip.
    """
    settings = learned_settings(PatchSettings, "patch_features", look)
    indices = sampled(len(look.frames), look.frames.info.fps, settings.frames)
    if len(indices) < 2:
        return Abstain("fewer than two frames to compare")
    eyes = loaded_model("patch_features", settings, opened_dinov2)
    padded = [_padded(look.frames.rgb[i], eyes.model.config.patch_size) for i in indices]
    tokens = unit(in_batches(eyes, [pixels for pixels, _ in padded], settings.batch, last_hidden))
    patches = tokens[:, 1:][:, padded[0][1].ravel()]
    return PatchFeatures(
        seconds=look.frames.seconds[indices],
        class_token=tokens[:, 0],
        patch_mean=unit(patches.mean(axis=1)),
        **matches(patches)._asdict(),
        batch=settings.batch,
        device=np.array(eyes.device),
    )


def sampled(frames: int, fps: float, rule: str) -> list[int]:
    """Three frames a second, by that rule."""
    if rule not in RATE_RULES:
        raise UnknownName("frame rule", rule, RATE_RULES)
    return RATE_RULES[rule](frames, fps)


def _padded(rgb: NDArray[np.uint8], patch: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Normalised pixels padded to whole patches, and which patches hold any picture."""
    scale = FEATURES_LONG_SIDE / max(rgb.shape[:2])
    height, width = (max(1, round(side * scale)) for side in rgb.shape[:2])
    sized = cv2.resize(rgb, (width, height), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    pixels = ((sized.astype(np.float32) / 255 - IMAGENET_MEAN) / IMAGENET_STD).transpose(2, 0, 1)
    rows, columns = -(-height // patch), -(-width // patch)
    padded = np.zeros((3, rows * patch, columns * patch), np.float32)
    padded[:, :height, :width] = pixels
    held = np.zeros((rows * patch, columns * patch), bool)
    held[:height, :width] = True
    return padded, np.asarray(held.reshape(rows, patch, columns, patch).any((1, 3)))


def opened_dinov2(folder: Path) -> Any:
    from transformers import Dinov2Model

    return Dinov2Model.from_pretrained(folder)


def last_hidden(model: Any, pixels: Any) -> Any:
    return model(pixels).last_hidden_state
