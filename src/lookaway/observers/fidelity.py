"""PSNR and SSIM of each frame against the true clip, resampled by linear index: of the whole, or phase by phase."""

from __future__ import annotations

from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.phase_frames import true_indices
from lookaway.observers import Floats, Indices, Look, ObservedArrays, observer
from lookaway.observers.beside_truth import NO_TRUE_CLIP, anchored_frames, true_pictures
from lookaway.outcomes import Abstain

PSNR_CAP_DB = 99.0
C1, C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2

Image = NDArray[np.uint8]


class Fidelity(ObservedArrays):
    """Clip against truth, one row per frame of the clip."""

    seconds: Floats
    true_seconds: Floats  # of the true frame beside it
    psnr: Floats  # dB, at most 99
    ssim: Floats


class AnchoredFidelity(Fidelity):
    """The same beside the true frame at the same share of the same phase."""

    phase: Indices  # 0 visible, 1 hidden, 2 returned, as measured in the clip


F = TypeVar("F", bound=Fidelity)


@observer(version=1, saw=Fidelity, seconds_per_frame=0.001)
def fidelity(look: Look) -> Fidelity | Abstain:
    """Per frame: PSNR in dB (at most 99) and SSIM against the true frame at the same share of the clip."""
    if look.truth is None:
        return Abstain(NO_TRUE_CLIP)
    return _seen(look, true_indices(len(look.frames), len(look.truth.frames())), Fidelity)


@observer(version=1, saw=AnchoredFidelity)
def fidelity_anchored(look: Look) -> AnchoredFidelity | Abstain:
    """Per frame: PSNR and SSIM against the true frame at the same share of the phase that is measured in the clip."""
    beside = anchored_frames(look)
    if isinstance(beside, Abstain):
        return beside
    return _seen(look, beside.true_index, AnchoredFidelity, phase=beside.phase)


def _seen(look: Look, index: Indices, kind: type[F], **more: Indices) -> F:
    """Beside the true frames of these indices."""
    assert look.truth is not None  # the caller has looked
    picture = true_pictures(look)
    pairs = zip(look.frames.rgb, map(picture, index), strict=True)
    by_psnr, by_ssim = np.array([(psnr(rgb, true), ssim(rgb, true)) for rgb, true in pairs]).T
    return kind(seconds=look.frames.seconds, true_seconds=look.truth.seconds[index], psnr=by_psnr, ssim=by_ssim, **more)


def psnr(a: Image, b: Image) -> float:
    """Peak signal to noise in dB over all channels; 99 when the frames are equal."""
    squared = cv2.norm(np.ascontiguousarray(a), np.ascontiguousarray(b), cv2.NORM_L2SQR)
    if squared == 0:
        return PSNR_CAP_DB
    return min(PSNR_CAP_DB, float(10 * np.log10(255.0**2 * a.size / squared)))


def ssim(a: Image, b: Image) -> float:
    """Structural similarity of the grey images, 11x11 Gaussian window with sigma 1.5, window inside the frame."""
    x = cv2.cvtColor(a, cv2.COLOR_RGB2GRAY).astype(np.float32)
    y = cv2.cvtColor(b, cv2.COLOR_RGB2GRAY).astype(np.float32)
    mean_x, mean_y = _blur(x), _blur(y)
    # var_x + var_y needs one blur of x² + y², not two
    spread = _blur(x * x + y * y) - mean_x**2 - mean_y**2
    shared = _blur(x * y) - mean_x * mean_y
    score = ((2 * mean_x * mean_y + C1) * (2 * shared + C2)) / ((mean_x**2 + mean_y**2 + C1) * (spread + C2))
    inside = score[5:-5, 5:-5] if min(score.shape) > 10 else score
    return float(inside.mean())


def _blur(image: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cv2.GaussianBlur(image, (11, 11), 1.5), np.float32)
