"""Branches: other ways on from a task's start. They are arms of a contrast, never rows of the main population."""

from __future__ import annotations

from lookaway.errors import UnknownName
from lookaway.geometry.asked import stands_still
from lookaway.records import Interval, Task

WATCHING = "watching"  # the same world, while the camera stays where it is
WITHOUT_PREFIX = "without-prefix"  # from the first frame alone, where a task gives true frames
BRANCHES = (WATCHING, WITHOUT_PREFIX)


def check_branch(name: str) -> str:
    if name not in BRANCHES:
        raise UnknownName("branch", name, BRANCHES)
    return name


def has_branch(task: Task, branch: str) -> bool:
    """Whether that way differs from what the task asks."""
    if branch == WATCHING:
        return task.camera_asked and not task.cover and not stands_still(task)
    return task.prefix is not None if branch == WITHOUT_PREFIX else not branch


def branched(task: Task, branch: str) -> Task:
    """The task as it is asked along a branch."""
    if branch == WATCHING:
        still = f"hold@{task.seconds:g}s"
        seen = (Interval(phase="visible", start_s=0.0, end_s=task.seconds),)
        return task.model_copy(update={"camera": still, "poses": (), "phases": seen, "yoked": task.phases})
    return task.model_copy(update={"prefix": None, "prefix_s": 0.0}) if branch == WITHOUT_PREFIX else task
