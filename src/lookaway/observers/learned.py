"""What learned observers share: where a model computes, in which precision, how many frames at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError

from lookaway.errors import MissingExtra, ObserveError, problems
from lookaway.observers import Look
from lookaway.records import Record
from lookaway.weights import needed

# How far a number of a feature of length 1 may move with the size of a batch, on a CPU, in float32: the order of sums
# differs, and nothing else. So `batch` is no part of an Instrument; nor is `device`, on which sums are ordered
# otherwise too, and TF32 is switched off. Half precision rounds a hundred times as coarsely, and `dtype` is part of it.
SAME_FEATURES = 1e-5

# What most models of pictures want subtracted from RGB of 0 to 1, and what they want it divided by.
IMAGENET_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
IMAGENET_STD = np.array([0.229, 0.224, 0.225], np.float32)
HALF = np.full(3, 0.5, np.float32)  # both, of models that want RGB from -1 to 1


class LearnedSettings(Record):
    """What `--set NAME.SETTING=VALUE` may say of any learned observer; each adds its own."""

    model: str = Field(description="weights by their name on the hub, or a folder")
    device: str = Field("auto", pattern=r"^(auto|cpu|cuda(:\d+)?|mps)$", description="auto takes the first there is")
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    batch: int = Field(8, gt=0, description="frames that are looked at together")


S = TypeVar("S", bound=Record)


def learned_settings(kind: type[S], name: str, look: Look) -> S:
    try:
        return kind.model_validate(dict(look.settings))
    except ValidationError as error:
        known = ", ".join(kind.model_fields)
        raise ObserveError(f"--set {name}.…: {problems(error)}; settings are: {known}") from error


class LoadedModel(NamedTuple):
    """A model in its place, ready to look."""

    torch: Any
    model: Any
    device: str
    dtype: str


Opens = Callable[[Path], Any]
_loaded: dict[tuple[Opens, Path, str, str], LoadedModel] = {}


def loaded_model(observer: str, settings: LearnedSettings, opens: Opens) -> LoadedModel:
    """The model that `opens` makes of the folder of its weights, loaded once per process, place and precision.

    Observers that open the same weights in the same way share one.
    """
    try:
        import torch
        import transformers  # noqa: F401
    except ImportError as error:
        raise MissingExtra("torch", f"observer {observer}") from error
    folder = needed(settings.model)
    device = first_device(torch) if settings.device == "auto" else settings.device
    key = (opens, folder, device, settings.dtype)
    if key not in _loaded:
        try:
            model = opens(folder)
        except (OSError, ValueError) as error:
            raise ObserveError(f"cannot load '{settings.model}': {error}; --set {observer}.model=FOLDER") from error
        _loaded[key] = LoadedModel(
            torch, _placed(torch, model, device, settings.dtype, observer), device, settings.dtype
        )
    return _loaded[key]


def _placed(torch: Any, model: Any, device: str, dtype: str, observer: str) -> Any:
    if device.startswith("cuda"):
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    try:
        return model.to(device, getattr(torch, dtype)).eval()
    except (RuntimeError, AssertionError) as error:  # the latter where torch was built without the device
        raise ObserveError(
            f"the model does not fit on device '{device}': {error}; --set {observer}.device=cpu"
        ) from error


def first_device(torch: Any) -> str:
    return "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"


def in_batches(
    loaded: LoadedModel, pixels: Sequence[NDArray[np.float32]], batch: int, run: Callable[[Any, Any], Any]
) -> NDArray[np.float32]:
    """What `run(model, tensor)` makes of pictures of one size, a batch at a time, one row for each of them."""
    torch, found = loaded.torch, []
    for together in _batches(pixels, batch):
        given = torch.from_numpy(np.stack(together)).to(loaded.device, getattr(torch, loaded.dtype))
        try:
            with torch.inference_mode():
                found.append(run(loaded.model, given).float().cpu().numpy())
        except RuntimeError as error:
            if not re.search("out of memory", str(error), re.IGNORECASE):
                raise
            raise ObserveError(f"the model ran out of memory with {batch} frames at a time; lower `batch`") from error
    return np.concatenate(found)


def _batches(pixels: Sequence[NDArray[np.float32]], batch: int) -> Iterator[Sequence[NDArray[np.float32]]]:
    """[1, 2, 3, 4, 5] by 2 -> [1, 2], [3, 4], [5]"""
    for start in range(0, len(pixels), batch):
        yield pixels[start : start + batch]
