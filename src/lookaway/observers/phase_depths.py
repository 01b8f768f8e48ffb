"""Do the depths of a phase stay alike? Depth Anything V2 on frames before and after the look-away (MemoBench)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from lookaway.geometry.phase_frames import MappingRule
from lookaway.observers import Floats, Indices, Look, ObservedArrays, observer
from lookaway.observers.learned import LearnedSettings, in_batches, learned_settings, loaded_model
from lookaway.observers.mapped_phases import phases_of, spread
from lookaway.observers.patch_matches import SHORTEST, unit
from lookaway.observers.picture_sizes import IMAGENET, depth_view
from lookaway.outcomes import Abstain

MODEL = "depth-anything/Depth-Anything-V2-Base-hf"  # the paper names no size
SIDE, PATCH = 518, 14  # pixels: the publisher's processor
SAMPLES = 3  # frames of a phase


class DepthCosines(ObservedArrays):
    """One row per frame that was looked at, in order."""

    seconds: Floats
    frames: Indices
    cosine: NDArray[np.float32]  # (F, F) of the depth maps, each from 0 to 1
    visible: Indices  # all frames of the phase
    returned: Indices
    batch: int  # frames that were looked at together
    device: NDArray[np.str_]  # where


class PhaseDepths(DepthCosines):
    """By the Base model, phases by the paper's rule."""


class DepthSettings(LearnedSettings):
    """What `--set phase_depths.NAME=VALUE` may say."""

    model: str = MODEL
    samples: str = Field(str(SAMPLES), pattern=r"^\d+(,\d+)*$", description="frames of a phase: 3, or 2,3,5,7 to sweep")


D = TypeVar("D", bound=DepthCosines)


@observer(version=1, saw=PhaseDepths, extra="torch", weights=MODEL, unverified=True)
def phase_depths(look: Look) -> PhaseDepths | Abstain:
    """Cosines between the depth maps of three frames of the visible phase and three of the returned one."""
    return compared_depths(PhaseDepths, look, "paper", DepthSettings)


def compared_depths(kind: type[D], look: Look, rule: MappingRule, settings_of: type[DepthSettings]) -> D | Abstain:
    """What is stored of the frames that the settings sample of both phases."""
    settings = learned_settings(settings_of, kind.observer, look)
    phases = phases_of(look, rule)
    if isinstance(phases, Abstain):
        return phases
    counts = [int(count) for count in re.findall(r"\d+", settings.samples)]
    frames = np.unique(np.concatenate([spread(part, n) for part in (phases.visible, phases.returned) for n in counts]))
    if not len(frames):
        return Abstain("neither phase has a frame")
    eyes = loaded_model(kind.observer, settings, opened_depth_anything)
    shown = [depth_view(look.frames.rgb[i], SIDE, PATCH, IMAGENET) for i in frames]
    depths = unit(from_0_to_1(in_batches(eyes, shown, settings.batch, predicted_depth)).reshape(len(frames), -1))
    return kind(
        seconds=look.frames.seconds[frames],
        frames=frames,
        cosine=depths @ depths.T,
        visible=phases.visible,
        returned=phases.returned,
        batch=settings.batch,
        device=np.array(eyes.device),
    )


def from_0_to_1(maps: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each map (N, height, width) from its own lowest to its highest; one without relief is 0."""
    low, high = (end(axis=(1, 2), keepdims=True) for end in (maps.min, maps.max))
    return np.asarray((maps - low) / np.maximum(high - low, SHORTEST), np.float32)


def opened_depth_anything(folder: Path) -> Any:
    from transformers import DepthAnythingForDepthEstimation

    return DepthAnythingForDepthEstimation.from_pretrained(folder)


def predicted_depth(model: Any, pixels: Any) -> Any:
    return model(pixels).predicted_depth
