"""How well pictures are made, to LAION's aesthetic predictor: a linear head on CLIP's vectors (MemoBench)."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from pickle import UnpicklingError
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from lookaway.errors import MissingExtra, ObserveError
from lookaway.observers import Floats, Indices, Look, ObservedArrays, observer
from lookaway.observers.clip_pictures import clip_model, clip_vectors
from lookaway.observers.learned import LearnedSettings, learned_settings
from lookaway.outcomes import Abstain
from lookaway.weights import needed

NAME = "aesthetics"
MODEL = "openai/clip-vit-large-patch14"
HEAD = "trl-lib/ddpo-aesthetic-predictor"  # LAION's improved predictor, sac+logos+ava1-l14-linearMSE, on the hub
STRIDE = 4  # every fourth frame, as the release takes them; the paper says "uniformly sampled"


class Aesthetics(ObservedArrays):
    """One row per frame that was looked at."""

    seconds: Floats
    frames: Indices
    score: NDArray[np.float32]  # about 1 to 10
    batch: int  # frames that were looked at together
    device: NDArray[np.str_]  # where


class AestheticSettings(LearnedSettings):
    """What `--set aesthetics.NAME=VALUE` may say."""

    model: str = MODEL
    head: str = Field(HEAD, description="the head by its name on the hub, or its file, *.pth or *.safetensors")
    stride: int = Field(STRIDE, gt=0, description="one frame in so many")


class LinearHead(NamedTuple):
    """A score is `vector @ weight + bias`."""

    weight: NDArray[np.float64]  # (size,)
    bias: float


@observer(version=1, saw=Aesthetics, extra="torch", weights=MODEL, heads={"head": HEAD}, unverified=True)
def aesthetics(look: Look) -> Aesthetics | Abstain:
    """LAION's aesthetic score of every fourth frame, from CLIP's vector of its middle square."""
    settings = learned_settings(AestheticSettings, NAME, look)
    frames = np.arange(0, len(look.frames), settings.stride)
    eyes = clip_model(NAME, settings)
    head = linear_head(head_file(settings.head))
    vectors = clip_vectors(eyes, [look.frames.rgb[i] for i in frames], settings.batch)
    if vectors.shape[1] != len(head.weight):
        raise ObserveError(f"the head wants {len(head.weight)} numbers a picture, the model gives {vectors.shape[1]}")
    return Aesthetics(
        seconds=look.frames.seconds[frames],
        frames=frames,
        score=(vectors @ head.weight + head.bias).astype(np.float32),
        batch=settings.batch,
        device=np.array(eyes.device),
    )


def head_file(named: str) -> Path:
    """The file of a head: itself, or the only one of its weights."""
    if Path(named).is_file():
        return Path(named)
    folder = needed(named)
    files = [path for kind in ("*.pth", "*.safetensors") for path in sorted(folder.glob(kind))]
    if len(files) != 1:
        raise ObserveError(f"{folder}: {len(files)} files may be the head; --set {NAME}.head=FILE")
    return files[0]


@lru_cache(maxsize=4)
def linear_head(file: Path) -> LinearHead:
    """Linear layers one after the other, with nothing in between, as the one linear map that they are."""
    layers = _layers(file)
    if not layers or layers[-1][0].shape[0] != 1:
        raise ObserveError(f"{file.name}: not a head that ends in one number")
    weight, bias = np.eye(layers[0][0].shape[1]), np.zeros(layers[0][0].shape[1])
    for matrix, shift in layers:
        weight, bias = matrix @ weight, matrix @ bias + shift
    return LinearHead(weight[0], float(bias[0]))


def _layers(file: Path) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Weight and bias of each layer, in the order of the numbers in their names."""
    arrays = _tensors(file)
    names = sorted((name for name in arrays if name.endswith("weight")), key=_number)
    try:
        return [(arrays[name], arrays[name.removesuffix("weight") + "bias"]) for name in names]
    except KeyError as error:
        raise ObserveError(f"{file.name}: a layer has no {error}; not a linear head") from error


def _number(name: str) -> int:
    """`layers.6.weight` -> 6"""
    found = re.search(r"\d+", name)
    return int(found[0]) if found else 0


def _tensors(file: Path) -> dict[str, NDArray[np.float64]]:
    try:
        import torch
        from safetensors import SafetensorError
        from safetensors.torch import load_file
    except ImportError as error:
        raise MissingExtra("torch", f"observer {NAME}") from error
    try:
        read = load_file(file) if file.suffix == ".safetensors" else torch.load(file, "cpu", weights_only=True)
    except (OSError, ValueError, RuntimeError, EOFError, UnpicklingError, SafetensorError) as error:
        raise ObserveError(f"{file.name}: cannot be read as a head, as it holds no plain tensors") from error
    return {name: tensor.double().numpy() for name, tensor in read.items()}
