"""Edges and colours of patches, in the place of learned features: visual integrity where there are no weights."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.observers import Floats, Look, ObservedArrays, observer
from lookaway.observers.patch_matches import matches, unit
from lookaway.outcomes import Abstain
from lookaway.video import indices_at_rate

PATCH, ALONG = 16, 16  # pixels of a patch, and patches along the long side
CELLS = 2  # of a patch, each way
DIRECTIONS = 8
EDGE, TINT = 24.0, 32.0  # of 255: an edge, and a difference of colours, that count as much as being a patch at all
COARSE = 4  # parts of a frame as a whole, each way

Image = NDArray[np.uint8]
Described = NDArray[np.float32]


class PlainPatches(ObservedArrays):
    """One row per sampled frame; what stands for a token is of length 1."""

    seconds: Floats
    whole: NDArray[np.float32]  # (N, size) the frame, coarsely
    forward: NDArray[np.float32]  # (N - 1, patches) best cosine of each patch in the next frame
    backward: NDArray[np.float32]  # (N - 1, patches) of each patch of the next frame in this one


@observer(version=1, saw=PlainPatches, seconds_per_frame=0.001)
def plain_patches(look: Look) -> PlainPatches | Abstain:
    """Edges by direction and colours of patches at 3 frames a second, at most 24, full field of view. No weights."""
    indices = indices_at_rate(len(look.frames), look.frames.info.fps)
    if len(indices) < 2:
        return Abstain("fewer than two frames to compare")
    grids = [described(look.frames.rgb[i]) for i in indices]
    found = matches(np.stack([unit(grid.reshape(-1, grid.shape[-1])) for grid in grids]))
    whole = unit(np.stack([_coarsely(grid) for grid in grids]))
    return PlainPatches(seconds=look.frames.seconds[indices], whole=whole, **found._asdict())


def described(rgb: Image) -> Described:
    """(rows, columns, size): of every patch its edges by direction and its colours, by quarters, and a 1.

    The 1 makes plain patches alike: without it nothing could be said of a white wall.
    """
    scale = PATCH * ALONG / max(rgb.shape[:2])
    rows, columns = (max(1, round(side * scale / PATCH)) for side in rgb.shape[:2])
    size = (columns * PATCH, rows * PATCH)
    sized = cv2.resize(rgb, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    lab = cv2.cvtColor(sized, cv2.COLOR_RGB2LAB).astype(np.float32)
    planes = np.concatenate([_edges(lab[..., 0]) / EDGE, (lab - 128) / TINT], axis=2)
    cell = PATCH // CELLS
    cells = planes.reshape(rows, CELLS, cell, columns, CELLS, cell, -1).mean(axis=(2, 5))
    flat = cells.transpose(0, 2, 1, 3, 4).reshape(rows, columns, -1)
    return np.concatenate([flat, np.ones((rows, columns, 1), np.float32)], axis=2)


def _edges(light: NDArray[np.float32]) -> NDArray[np.float32]:
    """(H, W, DIRECTIONS): the slope of each pixel, in the plane of its direction."""
    across, down = (cv2.Scharr(light, cv2.CV_32F, *axis) / 32 for axis in ((1, 0), (0, 1)))
    turn = np.arctan2(down, across) * (DIRECTIONS / (2 * np.pi))
    own = np.round(turn).astype(int) % DIRECTIONS
    return np.where(own[..., None] == np.arange(DIRECTIONS), np.hypot(across, down)[..., None], 0).astype(np.float32)


def _coarsely(grid: Described) -> Described:
    """The frame as COARSE by COARSE parts, one after the other."""
    bands = np.array_split(grid, min(COARSE, grid.shape[0]), axis=0)
    parts = [part for band in bands for part in np.array_split(band, min(COARSE, grid.shape[1]), axis=1)]
    return np.concatenate([part.mean(axis=(0, 1)) for part in parts])
