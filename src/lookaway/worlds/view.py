"""What a camera sees of a known world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lookaway.worlds.arrays import Bytes, Floats


@dataclass(frozen=True)
class View:
    """Colour (H, W, 3), metric z-depth (H, W) and instance ids (H, W).

    Depth and instances come from pixel-centre rays that pass through glass; depth is 1000 m where nothing is.
    """

    rgb: Bytes
    depth: Floats
    instances: npt.NDArray[np.int16]
