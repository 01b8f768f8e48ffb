"""LPIPS of each frame against the true clip: distance by a network's features, 0 the same. See docs/memobench.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pydantic import Field

from lookaway.geometry.phase_frames import true_indices
from lookaway.observers import Floats, Indices, Look, ObservedArrays, observer
from lookaway.observers.beside_truth import NO_TRUE_CLIP, anchored_frames, true_pictures
from lookaway.observers.learned import LearnedSettings, LoadedModel, Opens, learned_settings, loaded_model
from lookaway.observers.perceptual.distances import apart, batch_distances, features, truth_features
from lookaway.observers.perceptual.network import ALEX, VGG, opened_network
from lookaway.outcomes import Abstain

VGG_MODEL = "lpips/vgg"
ALEX_MODEL = "lpips/alex"
LEAST_SIDE = 64  # pixels: below it the last features of AlexNet have no place left


class PerceptualDistances(ObservedArrays):
    """Clip against truth, one row per frame of the clip."""

    seconds: Floats
    true_seconds: Floats  # of the true frame beside it
    distance: Floats


class VggDistances(PerceptualDistances):
    """By VGG 16."""


class AlexDistances(PerceptualDistances):
    """By AlexNet."""


class AnchoredDistances(PerceptualDistances):
    """By VGG 16, beside the true frame at the same share of the same phase."""

    phase: Indices  # 0 visible, 1 hidden, 2 returned, as measured in the clip


class VggSettings(LearnedSettings):
    """What `--set lpips_vgg.NAME=VALUE` may say."""

    model: str = VGG_MODEL
    batch: int = Field(2, gt=0, description="frames that are looked at together; more take more room and no less time")
    kept_mb: int = Field(1024, ge=0, description="features of true frames that are kept for the next clips of a task")


class AlexSettings(VggSettings):
    """What `--set lpips_alex.NAME=VALUE` may say."""

    model: str = ALEX_MODEL
    batch: int = Field(8, gt=0, description="frames that are looked at together")


D = TypeVar("D", bound=PerceptualDistances)


@observer(version=2, saw=VggDistances, extra="torch", weights=VGG_MODEL)
def lpips_vgg(look: Look) -> VggDistances | Abstain:
    """Per frame: LPIPS by VGG 16 against the true frame at the same share of the clip."""
    return _by_linear_index(look, VggDistances, VggSettings, opened_vgg)


@observer(version=2, saw=AlexDistances, extra="torch", weights=ALEX_MODEL)
def lpips_alex(look: Look) -> AlexDistances | Abstain:
    """Per frame: LPIPS by AlexNet against the true frame at the same share of the clip."""
    return _by_linear_index(look, AlexDistances, AlexSettings, opened_alex)


@observer(version=2, saw=AnchoredDistances, extra="torch", weights=VGG_MODEL)
def lpips_anchored(look: Look) -> AnchoredDistances | Abstain:
    """Per frame: LPIPS by VGG 16 against the true frame at the same share of the phase that is measured in the clip."""
    _eyes(look, AnchoredDistances, VggSettings, opened_vgg)  # missing weights are told before the subject is followed
    beside = anchored_frames(look)
    if isinstance(beside, Abstain):
        return beside
    return _seen(look, beside.true_index, AnchoredDistances, VggSettings, opened_vgg, phase=beside.phase)


def opened_vgg(folder: Path) -> Any:
    return opened_network(folder, VGG)


def opened_alex(folder: Path) -> Any:
    return opened_network(folder, ALEX)


def _by_linear_index(look: Look, kind: type[D], settings: type[VggSettings], opens: Opens) -> D | Abstain:
    if look.truth is None:
        return Abstain(NO_TRUE_CLIP)
    return _seen(look, true_indices(len(look.frames), len(look.truth.frames())), kind, settings, opens)


def _eyes(
    look: Look, kind: type[PerceptualDistances], setting: type[VggSettings], opens: Opens
) -> tuple[VggSettings, LoadedModel]:
    settings = learned_settings(setting, kind.observer, look)
    return settings, loaded_model(kind.observer, settings, opens)


def _seen(
    look: Look, index: Indices, kind: type[D], setting: type[VggSettings], opens: Opens, **more: Indices
) -> D | Abstain:
    """Beside the true frames of these indices."""
    assert look.truth is not None  # the caller has looked
    height, width = look.frames.rgb.shape[1:3]
    if min(height, width) < LEAST_SIDE:
        return Abstain(f"frames of {width}x{height} are too small for LPIPS; {LEAST_SIDE} pixels are the least")
    settings, eyes = _eyes(look, kind, setting, opens)
    truth, picture = truth_features(eyes, look.truth, (width, height), settings.kept_mb << 20), true_pictures(look)
    known, distance = batch_distances(eyes, look.frames, look.truth), []
    with eyes.torch.inference_mode():
        for start in range(0, len(index), settings.batch):
            rows = slice(start, start + settings.batch)
            true_rows = index[rows].tolist()
            pair = (start, *true_rows)
            if pair not in known:
                known[pair] = apart(eyes, features(eyes, look.frames.rgb[rows]), truth.of(true_rows, eyes, picture))
            distance.append(known[pair])
    return kind(
        seconds=look.frames.seconds,
        true_seconds=look.truth.seconds[index],
        distance=np.concatenate(distance),
        **more,
    )
