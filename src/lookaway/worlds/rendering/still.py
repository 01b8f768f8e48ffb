"""The view of one camera pose without any body, packed for keeping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lookaway.worlds.arrays import Bytes, Floats, Ints
from lookaway.worlds.rendering.display import displayed
from lookaway.worlds.rendering.shader import Shade, Surface
from lookaway.worlds.rendering.soup import Rows, put_columns

Words: TypeAlias = npt.NDArray[np.uint16]
Packed: TypeAlias = npt.NDArray[np.int8]
Pixels: TypeAlias = slice | Rows

STEPS_PER_UNIT = np.float32(32000)  # linear light from 0 to 2: more is white in any case
MOST_STEPS = np.float32(65535)
NORMAL_STEPS = np.float32(127)


@dataclass(frozen=True)
class Still:
    """Light layers and normals (3, N), depth and part (N,), and the picture (N, 3) with every light at its full."""

    ambient: Words
    lamp: Words
    steady: Words | None
    normals: Packed
    depth: Floats
    part: Ints
    rgb: Bytes

    @classmethod
    def blank(cls, count: int, with_lamp: bool) -> Still:
        """Room for that many pixels."""
        layers = [np.empty((3, count), np.uint16) for _ in range(3)]
        return cls(
            ambient=layers[0],
            lamp=layers[1],
            steady=layers[2] if with_lamp else None,
            normals=np.empty((3, count), np.int8),
            depth=np.empty(count, np.float32),
            part=np.empty(count, np.int32),
            rgb=np.empty((count, 3), np.uint8),
        )

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in vars(self).values() if array is not None)

    def keep_surface(self, pixels: slice, surface: Surface) -> None:
        self.depth[pixels], self.part[pixels] = surface.depth, surface.part
        put_columns(self.normals, pixels, packed_normals(surface.normals))

    def keep_shade(self, pixels: Pixels, shade: Shade) -> None:
        put_columns(self.ambient, pixels, packed(shade.ambient))
        put_columns(self.lamp, pixels, packed(shade.lamp))
        if self.steady is not None and shade.steady is not None:
            put_columns(self.steady, pixels, packed(shade.steady))
        self.rgb[pixels] = displayed(shade.lit(1.0))

    def shade(self, pixels: Pixels, power: float) -> Shade:
        """The light layers of some pixels with the process's own lamp at that power."""
        steady = None
        if self.steady is not None and power > 0:
            steady = unpacked(self.steady, pixels) * np.float32(power)
        return Shade(unpacked(self.ambient, pixels), unpacked(self.lamp, pixels), steady)

    def normals_at(self, pixels: Rows) -> Floats:
        return self.normals.take(pixels, axis=1).astype(np.float32) / NORMAL_STEPS


def packed(linear: Floats) -> Words:
    """Linear light as whole steps."""
    steps = linear * STEPS_PER_UNIT
    steps += np.float32(0.5)
    words: Words = np.minimum(steps, MOST_STEPS, out=steps).astype(np.uint16)
    return words


def unpacked(steps: Words, pixels: Pixels) -> Floats:
    """Linear light of some pixels."""
    some = steps[:, pixels] if isinstance(pixels, slice) else steps.take(pixels, axis=1)
    return some * np.float32(1 / STEPS_PER_UNIT)


def packed_normals(normals: Floats) -> Packed:
    steps: Packed = np.rint(normals * NORMAL_STEPS).astype(np.int8)
    return steps
