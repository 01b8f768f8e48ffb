"""What tests read off a view, written independently of the renderer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lookaway.worlds import View, World

Built: TypeAlias = Callable[[str, str, int], World]


def mask(world: World, view: View, name: str) -> npt.NDArray[np.bool_]:
    """Pixels of the instance of that name."""
    number = {known: number for number, known in world.instances.items()}[name]
    return view.instances == number


def ray_directions(world: World, camera_to_world: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """World direction of every pixel-centre ray, (H, W, 3)."""
    focal, centre_x, centre_y = world.intrinsics[0, 0], world.intrinsics[0, 2], world.intrinsics[1, 2]
    width, height = round(2 * centre_x), round(2 * centre_y)
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    local = np.stack([(x - centre_x) / focal, (y - centre_y) / focal, np.ones_like(x)], axis=-1)
    return local @ camera_to_world[:3, :3].T
