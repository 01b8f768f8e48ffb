"""PSNR and SSIM of each frame against the true clip, the true clip resampled by linear index."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.observers import Floats, Look, ObservedArrays, observer
from lookaway.outcomes import Abstain
from lookaway.video import resize

PSNR_CAP_DB = 99.0
C1, C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2

Image = NDArray[np.uint8]


class Fidelity(ObservedArrays):
    """Clip against truth, one row per frame of the clip."""

    seconds: Floats
    true_seconds: Floats  # of the true frame beside it
    psnr: Floats  # dB, at most 99
    ssim: Floats


@observer(version=1, saw=Fidelity, seconds_per_frame=0.001)
def fidelity(look: Look) -> Fidelity | Abstain:
    """Per frame: PSNR in dB (at most 99) and SSIM against the true frame at the same share of the clip."""
    if look.truth is None:
        return Abstain("the task has no true clip to compare with")
    true_rgb = look.truth.frames().rgb
    frames = look.frames.rgb
    height, width = frames.shape[1:3]
    last = max(1, len(frames) - 1)
    index = np.rint(np.arange(len(frames)) * (len(true_rgb) - 1) / last).astype(int)
    true = [resize(true_rgb[i], (width, height)) for i in index]
    return Fidelity(
        seconds=look.frames.seconds,
        true_seconds=look.truth.seconds[index],
        psnr=np.array([psnr(a, b) for a, b in zip(frames, true, strict=True)]),
        ssim=np.array([ssim(a, b) for a, b in zip(frames, true, strict=True)]),
    )


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
