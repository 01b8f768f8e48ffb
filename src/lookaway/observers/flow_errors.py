"""How well optical flow explains the next frame: what is left, warped in three ways. See docs/memobench.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.phase_frames import mapped_phases, phase_pairs
from lookaway.observers import Floats, Indices, Look, ObservedArrays
from lookaway.outcomes import Abstain
from lookaway.truth import true_keyframes

RELEASED_STRIDE = 4  # frames: the release looks at every fourth

Image = NDArray[np.uint8]
Flow = NDArray[np.float32]  # (height, width, 2) pixels to the right and down
Pairs = Sequence[tuple[int, int]]


class FlowErrors(ObservedArrays):
    """Mean absolute differences of RGB from 0 to 1, one row per pair of frames but in `seconds`."""

    seconds: Floats  # of the clip's frames
    first: Indices
    second: Indices
    printed: Floats  # of the second frame to the first one sampled where the flow leads, as the paper has it
    unwarped: Floats  # of the second frame to the first one
    warped: Floats  # of the first frame to the second one sampled where the flow leads, where that is in view
    in_view: Floats  # share of the pixels for which it is


class PairErrors(NamedTuple):
    """Of one pair."""

    printed: float
    unwarped: float
    warped: float  # 0 where nothing is in view
    in_view: float


F = TypeVar("F", bound=FlowErrors)


def compared_pairs(look: Look) -> Pairs | Abstain:
    """Pairs of frames within the visible and the returned phase: neighbours, and those that the release takes."""
    keys = true_keyframes(look.truth, look.task) if look.truth is not None else None
    if keys is None:
        return Abstain("the subject of the true clip does not leave the view and come back, or there is none")
    pairs = set[tuple[int, int]]()
    for phases, stride in (
        (mapped_phases(len(look.frames), keys, "paper"), 1),
        (mapped_phases(len(look.frames), keys, "released"), RELEASED_STRIDE),
    ):
        for frames in (phases.visible, phases.returned):
            pairs |= set(phase_pairs(frames, stride))
    return sorted(pairs) or Abstain("too few frames: no phase has two")


def seen_errors(kind: type[F], look: Look, pairs: Pairs, flows: Iterable[Flow]) -> F:
    """What is left of each pair by its flow."""
    rgb = look.frames.rgb
    errors = [pair_errors(rgb[i], rgb[j], flow) for (i, j), flow in zip(pairs, flows, strict=True)]
    printed, unwarped, warped, in_view = np.array(errors).T
    first, second = np.array(pairs, np.int64).T
    return kind(
        seconds=look.frames.seconds,
        first=first,
        second=second,
        printed=printed,
        unwarped=unwarped,
        warped=warped,
        in_view=in_view,
    )


def pair_errors(first: Image, second: Image, flow: Flow) -> PairErrors:
    """By the flow from the first frame to the second; colours beyond the border are those at it."""
    height, width = first.shape[:2]
    columns, rows = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    x, y = columns + flow[..., 0], rows + flow[..., 1]
    one, other = (np.divide(frame, 255, dtype=np.float32) for frame in (first, second))
    inside = (x >= 0) & (x <= width - 1) & (y >= 0) & (y <= height - 1)
    left = np.abs(_sampled(other, x, y) - one).mean(axis=2)[inside]
    return PairErrors(
        printed=float(np.abs(_sampled(one, x, y) - other).mean()),
        unwarped=float(np.abs(one - other).mean()),
        warped=float(left.mean()) if inside.any() else 0.0,
        in_view=float(inside.mean()),
    )


def _sampled(image: NDArray[np.float32], x: NDArray[np.float32], y: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)
