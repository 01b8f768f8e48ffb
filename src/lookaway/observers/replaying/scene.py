"""All that clips of one task share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lookaway.cache import cached_arrays
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
    assert truth.world is not None
    assert task.world is not None
    poses = viewpoints(truth.world.camera_to_world)
    height, width = truth.world.masks.shape[1:]
    content = ["scene", task.world.model_dump(mode="json"), (width, height), task.hfov_deg, task.seconds]
    filmed = [truth.seconds.tolist(), np.array(poses).tolist()]
    rendered = cached_arrays([*content, *filmed], lambda: _rendered(task, (width, height), truth.seconds, poses))
    stands = [Stand.kept(_of(rendered, f"stand {k}")) for k in range(len(poses))]
    return ReplayScene(
        Landmarks(truth),
        stands,
        np.split(rendered["points"], rendered["splits"]),
        palette(stands[0], 0),
        max(1, int(truth.world.masks[0].sum())),
        max(1.0, float(truth.frames().rgb[0].mean())),
    )


def _rendered(task: Task, size: tuple[int, int], seconds: Floats, poses: list[Floats]) -> dict[str, NDArray[Any]]:
    """Views from all stands, and the subject's points at those seconds, one after the other."""
    from lookaway.worlds import world_of

    assert task.world is not None
    world: World = world_of(task.world, size, task.hfov_deg)
    points = [_some(world.subject_points(float(second))) for second in seconds]
    arrays: dict[str, NDArray[Any]] = {
        "points": np.concatenate(points),
        "splits": np.cumsum([len(some) for some in points])[:-1],
    }
    for k, pose in enumerate(poses):
        stand = stand_at(world, pose, task.seconds + BEYOND_S)
        arrays |= {f"stand {k} {name}": array for name, array in stand.arrays().items()}
    return arrays


def _of(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    return {name.removeprefix(f"{prefix} "): array for name, array in arrays.items() if name.startswith(f"{prefix} ")}


def _some(points: Floats) -> Floats:
    return points[:: max(1, len(points) // SUBJECT_POINTS)]
