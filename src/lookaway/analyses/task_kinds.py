"""How StEvo-Bench's tasks are told apart: by category, by what hides the subject, by level, by when it is set off."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lookaway.geometry.asked import stands_still
from lookaway.records import Task

NONE = "none"


def mechanism(task: Task) -> str:
    """`look-away`, `cardboard`, `curtain`, `lights-off`: what hides the subject; of an observed twin, nothing."""
    named = [name for name in task.observation_controls if name != NONE]
    if task.visibility == "always_visible" or not named:
        return "observed"
    if task.cover or task.hiding or not task.camera_asked or stands_still(task):
        return "+".join(named)
    return "look-away"


def trigger_kind(task: Task) -> str:
    """Whether the process goes on by itself, or is set off in sight or out of sight."""
    if task.action_control == NONE:
        return "by itself"
    at = task.trigger_s
    unseen = any(i.phase == "hidden" and at is not None and i.start_s <= at < i.end_s for i in task.phases)
    return "set off unseen" if unseen or (at is not None and task.trigger) else "set off in sight"


KINDS: Mapping[str, Callable[[Task], str]] = {
    "category": lambda task: task.category,
    "mechanism": mechanism,
    "level": lambda task: "" if task.level is None else f"level {task.level}",
    "trigger": trigger_kind,
}
