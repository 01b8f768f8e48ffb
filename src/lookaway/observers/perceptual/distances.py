"""Distances of pairs of pictures by their features; those of a true clip are kept for all clips of its task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary, ref

import numpy as np
from numpy.typing import NDArray

from lookaway.observers.learned import LoadedModel
from lookaway.truth import Truth
from lookaway.video import SharedFrames

# Of RGB from -1 to 1, as the heads were fitted: subtracted, and divided by.
SHIFT, SCALE = (-0.030, -0.088, -0.188), (0.458, 0.448, 0.450)
TINY = 1e-10

Images = NDArray[np.uint8]
Features = list[Any]  # a tensor (frames, channels, height, width) of each stage, every place of length 1


def features(eyes: LoadedModel, rgb: Images) -> Features:
    """Of pictures (N, height, width, 3)."""
    torch = eyes.torch
    shift, scale = (torch.tensor(each, device=eyes.device).view(1, 3, 1, 1) for each in (SHIFT, SCALE))
    pixels = torch.from_numpy(rgb.astype(np.float32)).to(eyes.device).permute(0, 3, 1, 2)
    flowing = ((pixels / 127.5 - 1 - shift) / scale).to(getattr(torch, eyes.dtype), memory_format=torch.channels_last)
    found = []
    for stage in eyes.model["stages"]:
        flowing = stage(flowing)
        found.append(flowing / (torch.linalg.vector_norm(flowing, dim=1, keepdim=True) + TINY))
    return found


def apart(eyes: LoadedModel, one: Features, other: Features) -> NDArray[np.float64]:
    """The distance of each pair of frames; 0 the same."""
    pairs = zip(eyes.model["heads"], one, other, strict=True)
    layers = [head((a - b).square_()).mean((1, 2, 3)).double() for head, a, b in pairs]
    return np.asarray(sum(layers).cpu().numpy(), np.float64)


class TruthFeatures:
    """Features of true frames of one size, in memory up to so many bytes, as long as the same truth is asked about."""

    def __init__(self, most_bytes: int) -> None:
        self._most, self._held, self._kept = most_bytes, 0, dict[int, Features]()

    def of(self, indices: Sequence[int], eyes: LoadedModel, picture: Callable[[int], NDArray[np.uint8]]) -> Features:
        """Of these frames; those that are not here are looked at together."""
        missing = [index for index in dict.fromkeys(indices) if index not in self._kept]
        new = dict[int, Features]()
        if missing:
            seen = features(eyes, np.stack([picture(index) for index in missing]))
            new = {index: [layer[i : i + 1] for layer in seen] for i, index in enumerate(missing)}
        rows = [self._kept[index] if index in self._kept else new[index] for index in indices]
        for index, row in new.items():
            self._keep(index, row)
        return [eyes.torch.cat(layer) for layer in zip(*rows, strict=True)]

    def _keep(self, index: int, row: Features) -> None:
        size = sum(layer.numel() * layer.element_size() for layer in row)
        if self._held + size <= self._most:
            self._kept[index] = [layer.clone() for layer in row]  # of its own, so that the rest of its batch may go
            self._held += size


# One true clip for each network: clips of one task are looked at one after the other.
_kept: WeakKeyDictionary[Any, tuple[ref[Truth], tuple[int, int], TruthFeatures]] = WeakKeyDictionary()


def truth_features(eyes: LoadedModel, truth: Truth, size: tuple[int, int], most_bytes: int) -> TruthFeatures:
    """What is kept of this truth at this size, or a place to keep it in."""
    known = _kept.get(eyes.model)
    if known is None or known[0]() is not truth or known[1] != size:
        known = _kept[eyes.model] = (ref(truth), size, TruthFeatures(most_bytes))
    return known[2]


BatchDistances = dict[tuple[int, ...], NDArray[np.float64]]  # by a batch's first frame and the true frames beside it
_compared: WeakKeyDictionary[Any, tuple[ref[SharedFrames], ref[Truth], BatchDistances]] = WeakKeyDictionary()


def batch_distances(eyes: LoadedModel, frames: SharedFrames, truth: Truth) -> BatchDistances:
    """What is known of this clip beside this truth, or a place to keep it in.

    A clip that keeps to the truth's phases lies beside the same frames for every observer, which then looks once.
    """
    known = _compared.get(eyes.model)
    if known is None or known[0]() is not frames or known[1]() is not truth:
        known = _compared[eyes.model] = (ref(frames), ref(truth), {})
    return known[2]
