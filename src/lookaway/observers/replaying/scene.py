"""All that clips of one task share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.trajectory import Floats
from lookaway.observers.replaying.landmarks import Landmarks
from lookaway.observers.replaying.stands import Stand, stand_at, viewpoints
from lookaway.observers.replaying.strangers import palette
from lookaway.records import Task
from lookaway.truth import Truth

if TYPE_CHECKING:
    from lookaway.worlds import World

SUBJECT_POINTS = 150
BEYOND_S = 0.5  # after the true clip's end the process is rendered a little further, to see it run ahead


@dataclass(frozen=True, eq=False)
class ReplayScene:
    landmarks: Landmarks
    stands: list[Stand]
    points: list[Floats]  # of the subject, per true frame
    colours: NDArray[np.float32]
    first_area: int
    brightness: float


@lru_cache(maxsize=1)  # clips of one task are looked at one after the other
def scene_of(truth: Truth, task: Task) -> ReplayScene:
    from lookaway.worlds import world_of

    assert truth.world is not None
    assert task.world is not None
    height, width = truth.world.masks.shape[1:]
    world: World = world_of(task.world, (width, height), task.hfov_deg)
    stands = [stand_at(world, pose, task.seconds + BEYOND_S) for pose in viewpoints(truth.world.camera_to_world)]
    return ReplayScene(
        Landmarks(truth),
        stands,
        [_some(world.subject_points(float(second))) for second in truth.seconds],
        palette(stands[0], 0),
        max(1, int(truth.world.masks[0].sum())),
        max(1.0, float(truth.frames().rgb[0].mean())),
    )


def _some(points: Floats) -> Floats:
    return points[:: max(1, len(points) // SUBJECT_POINTS)]
