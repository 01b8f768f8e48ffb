"""DINOv2 features of sampled frames, for visual integrity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.errors import MissingExtra, ObserveError, UnknownName
from lookaway.observers import Floats, Look, ObservedArrays, observer
from lookaway.outcomes import Abstain
from lookaway.records import Setting
from lookaway.video import RATE_RULES

MODEL = "facebook/dinov2-base"
MEAN = np.array([0.485, 0.456, 0.406], np.float32)
STD = np.array([0.229, 0.224, 0.225], np.float32)
FEATURES_LONG_SIDE = 518


class PatchFeatures(ObservedArrays):
    """One row per sampled frame; tokens are of length 1."""

    seconds: Floats
    class_token: NDArray[np.float32]  # (N, size)
    patch_tokens: NDArray[np.float16]  # (N, patches, size)


@observer(version=2, saw=PatchFeatures, extra="torch")
def patch_features(look: Look) -> PatchFeatures | Abstain:
    """L2-normalised class and patch tokens at 3 frames a second, at most 24, full field of view.

    `patch_features.frames=released` takes the frames that WRBench's release would take of a long or short clip.
    """
    indices = sampled(len(look.frames), look.frames.info.fps, look.settings)
    if len(indices) < 2:
        return Abstain("fewer than two frames to compare")
    torch, model = _load(str(look.settings.get("model", MODEL)))
    patch = model.config.patch_size
    tokens, valid = [], None
    for i in indices:
        pixels, valid = _padded(look.frames.rgb[i], patch)
        with torch.inference_mode():
            hidden = model(torch.from_numpy(pixels)[None]).last_hidden_state[0].float().numpy()
        tokens.append(hidden / np.maximum(np.linalg.norm(hidden, axis=1, keepdims=True), 1e-12))
    stacked = np.stack(tokens).astype(np.float32)
    assert valid is not None
    return PatchFeatures(
        seconds=look.frames.seconds[indices],
        class_token=stacked[:, 0],
        patch_tokens=stacked[:, 1:][:, valid.ravel()].astype(np.float16),
    )


def sampled(frames: int, fps: float, settings: Mapping[str, Setting]) -> list[int]:
    """Three frames a second, by the rule that the settings choose."""
    rule = str(settings.get("frames", "rate"))
    if rule not in RATE_RULES:
        raise UnknownName("frame rule", rule, RATE_RULES)
    return RATE_RULES[rule](frames, fps)


def _padded(rgb: NDArray[np.uint8], patch: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Normalised pixels padded to whole patches, and which patches hold any picture."""
    scale = FEATURES_LONG_SIDE / max(rgb.shape[:2])
    height, width = (max(1, round(side * scale)) for side in rgb.shape[:2])
    sized = cv2.resize(rgb, (width, height), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    pixels = ((sized.astype(np.float32) / 255 - MEAN) / STD).transpose(2, 0, 1)
    rows, columns = -(-height // patch), -(-width // patch)
    padded = np.zeros((3, rows * patch, columns * patch), np.float32)
    padded[:, :height, :width] = pixels
    held = np.zeros((rows * patch, columns * patch), bool)
    held[:height, :width] = True
    return padded, np.asarray(held.reshape(rows, patch, columns, patch).any((1, 3)))


_models: dict[str, tuple[Any, Any]] = {}


def _load(name: str) -> tuple[Any, Any]:
    """torch and the model, loaded once per process."""
    if name not in _models:
        try:
            import torch
            from transformers import Dinov2Model
        except ImportError as error:
            raise MissingExtra("torch", "observer patch_features") from error
        try:
            model = Dinov2Model.from_pretrained(name).eval()
        except (OSError, ValueError) as error:
            raise ObserveError(
                f"cannot load '{name}': {error}; give a local folder with --set patch_features.model=FOLDER"
            ) from error
        _models[name] = (torch, model)
    return _models[name]
