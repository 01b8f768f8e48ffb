"""Where is the subject in each frame, judged by its colours alone?

The truth's masks say which colours are the subject's and which belong to anything else in the scene; their likelihood
ratio turns each frame into a mask. Works on any re-encoding or resizing of the scene, and says so when the subject's
colours do not stand out.
"""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.observers import Flags, Floats, Look, ObservedArrays, observer
from lookaway.outcomes import Abstain
from lookaway.truth import Truth

LEVELS = (12, 32, 32)  # histogram bins of Lab lightness and the two colour axes
MIN_SHARE = 0.2  # of the subject's first area: below it a sighting is noise or a sliver at the edge
MIN_SELF_IOU = 0.5  # on the truth itself; below it colour cannot find this subject

Image = NDArray[np.uint8]


class SubjectMasks(ObservedArrays):
    """Where the subject's colours are, one row per frame."""

    seconds: Floats
    masks: NDArray[np.uint8]  # eight pixels of a row in each number; see `unpacked`
    mask_width: int  # pixels
    share: Floats  # its area over that in the first true frame
    visible: Flags

    def unpacked(self, frames: NDArray[np.int64]) -> Flags:
        """The masks (K, height, width) of these frames."""
        return np.unpackbits(self.masks[frames], axis=-1, count=self.mask_width).astype(bool)


@observer(version=1, saw=SubjectMasks, seconds_per_frame=0.003)
def subject(look: Look) -> SubjectMasks | Abstain:
    """Per frame: the subject's mask, its area against the first true frame, and whether that counts as visible."""
    if look.truth is None or look.truth.masks is None or look.truth.video is None:
        return Abstain("the task has no true masks to learn the subject's colours from")
    table, true = _likelihood(look.truth), look.truth.masks
    height, width = true.shape[1:]
    first_area = int(true[0].sum())
    own = _find(look.truth.frames().rgb[0], table, (width, height), first_area)
    iou = (own & true[0]).sum() / max(1, (own | true[0]).sum())
    if iou < MIN_SELF_IOU:
        return Abstain(f"the subject's colours do not stand out: on the truth itself overlap is {iou:.2f}")
    masks = np.stack([_find(rgb, table, (width, height), first_area) for rgb in look.frames.rgb])
    share = masks.sum((1, 2)) / first_area
    return SubjectMasks(
        seconds=look.frames.seconds,
        masks=np.packbits(masks, axis=-1),
        mask_width=width,
        share=share,
        visible=share >= MIN_SHARE,
    )


@lru_cache(maxsize=2)  # clips of one task are looked at one after the other
def _likelihood(truth: Truth) -> NDArray[np.float32]:
    """Log likelihood ratio subject : anything else, per colour bin."""
    assert truth.masks is not None  # the caller has looked
    subject_counts = np.zeros(np.prod(LEVELS), np.float64)
    other_counts = np.zeros_like(subject_counts)
    height, width = truth.masks.shape[1:]
    for rgb, mask in zip(truth.frames().rgb, truth.masks, strict=True):
        bins = _bins(_sized(rgb, (width, height)))
        core = cv2.erode(mask.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(bool)
        rim = cv2.dilate(mask.astype(np.uint8), np.ones((5, 5), np.uint8)).astype(bool)
        subject_counts += np.bincount(bins[core], minlength=len(subject_counts))
        other_counts += np.bincount(bins[~rim], minlength=len(other_counts))
    subject_density, other_density = _density(subject_counts), _density(other_counts)
    return np.log((subject_density + 1e-6) / (other_density + 1e-6)).astype(np.float32)


def _density(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Counts smoothed to neighbouring bins, so that compression and exposure do not fall between them."""
    from scipy.ndimage import gaussian_filter

    smooth = gaussian_filter(counts.reshape(LEVELS), sigma=(1.2, 1.0, 1.0), mode="nearest")
    return np.asarray(smooth / max(1.0, smooth.sum())).ravel()


def _bins(rgb: Image) -> NDArray[np.int64]:
    lab = cv2.cvtColor(rgb, cv2.COLOR_RGB2LAB).astype(np.int64)
    light, green_red, blue_yellow = (lab[..., i] * LEVELS[i] // 256 for i in range(3))
    return (light * LEVELS[1] + green_red) * LEVELS[2] + blue_yellow


def _sized(rgb: Image, size: tuple[int, int]) -> Image:
    if (rgb.shape[1], rgb.shape[0]) == size:
        return rgb
    shrinking = rgb.shape[1] > size[0]
    return np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA if shrinking else cv2.INTER_LINEAR), np.uint8)


def _find(rgb: Image, table: NDArray[np.float32], size: tuple[int, int], first_area: int) -> Flags:
    """Pixels of the subject's colours in clumps worth mentioning."""
    evidence = cv2.GaussianBlur(np.clip(table[_bins(_sized(rgb, size))], -6, 6), (0, 0), 1.0)
    mask = cv2.morphologyEx((evidence > 0).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    keep = [i for i in range(1, count) if stats[i, cv2.CC_STAT_AREA] >= max(6, 0.05 * first_area)]
    return np.isin(labels, keep)
