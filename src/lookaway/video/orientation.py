"""Which way up a video is shown: the display matrix that phones and editors write beside the pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import numpy as np
from av.sidedata.sidedata import SideData
from av.video.frame import VideoFrame
from numpy.typing import NDArray

TOLERANCE_DEG = 1.0


@dataclass(frozen=True)
class Orientation:
    """First rows and columns change places, then the picture is mirrored."""

    transposed: bool = False
    left_right: bool = False
    upside_down: bool = False
    note: str = ""

    def size(self, width: int, height: int) -> tuple[int, int]:
        return (height, width) if self.transposed else (width, height)

    def upright(self, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        turned = pixels.swapaxes(0, 1) if self.transposed else pixels
        turned = turned[:, ::-1] if self.left_right else turned
        return np.ascontiguousarray(turned[::-1] if self.upside_down else turned)


def orientation(frame: VideoFrame) -> Orientation:
    """How to show the frame; any angle that is no quarter turn goes to the nearest one, with a note."""
    matrix = cast(SideData | None, frame.side_data.get("DISPLAYMATRIX"))
    return Orientation() if matrix is None else oriented(np.frombuffer(bytes(matrix), np.int32).tolist())


def oriented(matrix: list[int]) -> Orientation:
    """A point (x, y) is shown at (a x + c y, b x + d y), where the matrix is [a, b, _, c, d, _, ...].

    [0, 1, 0, -1, 0, ...] turns clockwise by a quarter: columns become rows, mirrored left to right.
    """
    a, b, c, d = (float(matrix[place]) for place in (0, 1, 3, 4))
    if a * d == b * c:
        return Orientation(note="its display matrix is no rotation; frames are shown as stored")
    transposed = abs(b) + abs(c) > abs(a) + abs(d)
    right, down = (b, c) if transposed else (a, d)
    off = max(_off_axis_deg(a, b), _off_axis_deg(c, d))
    note = f"its display matrix is {off:.0f} degrees off a quarter turn; the nearest one is shown"
    mirrored = (down < 0, right < 0) if transposed else (right < 0, down < 0)
    return Orientation(transposed, *mirrored, note=note if off > TOLERANCE_DEG else "")


def _off_axis_deg(x: float, y: float) -> float:
    return math.degrees(math.atan2(min(abs(x), abs(y)), max(abs(x), abs(y))))
