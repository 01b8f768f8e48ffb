"""Where scores differ: between scenes, between tasks of a scene, and between seeds of a task."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookaway.stats.bootstrap_t import Floats


class VarianceParts(NamedTuple):
    """Variance of one score, in three parts that add up; a part that the data cannot tell is 0 and said to be so."""

    scene: float
    task: float  # between tasks of one scene; holds the seeds' part where every task has one seed
    seed: float
    scenes: int
    tasks: int
    n: int

    @property
    def total(self) -> float:
        return self.scene + self.task + self.seed

    @property
    def correlation(self) -> float:
        """Of two tasks of one scene: the scenes' share of what is not a seed's chance."""
        steady = self.scene + self.task
        return self.scene / steady if steady > 0 else 0.0

    @property
    def tells_seeds(self) -> bool:
        return self.n > self.tasks

    def of_mean(self, scenes: float, tasks_per_scene: float, seeds: float) -> float:
        """Variance of a mean over so many scenes, tasks in each, and seeds of each task.

        Where seeds were not told apart, more of them help nothing: their part counts as the tasks'.
        """
        return (self.scene + (self.task + self.seed / seeds) / tasks_per_scene) / scenes


def variance_parts(values: Floats, scenes: NDArray[Any], tasks: NDArray[Any]) -> VarianceParts:
    """From one row per clip; tasks are nested in scenes, and clips of one task differ by their seed.

    Henderson's first method (nested analysis of variance with unequal sizes); negative estimates are 0.
    """
    _, task = np.unique(tasks, return_inverse=True)
    _, scene = np.unique(scenes, return_inverse=True)
    n, count = len(values), np.bincount(task).astype(np.float64)
    scene_of_task = np.zeros(len(count), np.int64)
    scene_of_task[task] = scene
    size = np.bincount(scene).astype(np.float64)
    task_mean = np.bincount(task, values) / count
    scene_mean = np.bincount(scene, values) / size
    mean = float(values.mean())

    tasks_n, scenes_n = len(count), len(size)
    within = float(((values - task_mean[task]) ** 2).sum())
    between_tasks = float((count * (task_mean - scene_mean[scene_of_task]) ** 2).sum())
    between_scenes = float((size * (scene_mean - mean) ** 2).sum())

    squares = np.bincount(scene_of_task, count**2)
    seed = within / (n - tasks_n) if n > tasks_n else 0.0
    weight = n - float((squares / size).sum())  # of the tasks' part in the sum between tasks
    task_part = (between_tasks - (tasks_n - scenes_n) * seed) / weight if weight > 0 else 0.0
    task_part = max(task_part, 0.0)
    of_tasks = float((squares / size).sum() - squares.sum() / n)
    of_scenes = n - float((size**2).sum()) / n
    scene_part = 0.0
    if scenes_n > 1:
        scene_part = (between_scenes - of_tasks * task_part - (scenes_n - 1) * seed) / of_scenes
    return VarianceParts(max(scene_part, 0.0), task_part, seed, scenes_n, tasks_n, n)
