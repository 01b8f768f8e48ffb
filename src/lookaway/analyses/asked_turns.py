"""How far the camera of a task is asked to turn: net, along the path, and at its peak."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from lookaway.geometry.asked import asked_poses
from lookaway.geometry.turns import Turns, turns_of
from lookaway.records import Task

TURN_KINDS = Turns._fields
TURN_WORDS = {
    "net": "from the first view to the last",
    "path": "all turns together, whichever way they go",
    "peak": "from the first view to the farthest one",
}


def asked_turns(task: Task) -> Turns | None:
    """Of the camera that is asked for, which is the true clip's where a suite has one; None where nothing is asked."""
    return _turns(task.model_copy(update={"id": "", "scene": "", "prompt": ""})) if task.camera_asked else None


@lru_cache(maxsize=4096)
def _turns(task: Task) -> Turns:
    return turns_of(asked_poses(task, np.arange(task.frames) / task.fps))
