"""Laws that hold in any world that is driven by actions: what a task must ask so that one can be tested."""

from __future__ import annotations

from lookaway.geometry.asked import stands_still
from lookaway.geometry.moves import Move
from lookaway.geometry.script import parse
from lookaway.geometry.visibility import comes_home
from lookaway.outcomes import NotApplicable
from lookaway.readings import Case
from lookaway.records import Task

SOMETHING_HAPPENS = NotApplicable("something happens by itself in this task, so that the picture may change")
IS_COVERED = NotApplicable("something comes before the camera")


def nothing_asked(case: Case) -> NotApplicable | None:
    """Why this is not a task in which nothing is asked and nothing happens, or nothing."""
    if (moving := _moves_by_itself(case.task)) is not None:
        return moving
    return None if stands_still(case.task) else NotApplicable("the camera is asked to move, or nothing is asked of it")


def asked_and_undone(case: Case) -> NotApplicable | None:
    """Why this is not a task whose actions are all taken back in a world at rest, or nothing."""
    if (moving := _moves_by_itself(case.task)) is not None:
        return moving
    if not case.task.camera_asked or stands_still(case.task):
        return NotApplicable("no action is asked for")
    return None if comes_home(case.task) else NotApplicable("what is asked for is not taken back")


def _moves_by_itself(task: Task) -> NotApplicable | None:
    if task.event != "none":
        return SOMETHING_HAPPENS
    return IS_COVERED if task.cover else None


def repeated_turn(task: Task) -> list[tuple[float, float]]:
    """From when to when each time the same turn is asked for, of the first turn that comes more than once.

    `yaw:left:30@1s, hold@1s, yaw:left:30@1s` -> 0 to 1 and 2 to 3
    """
    if not task.camera:
        return []
    times: dict[Move, list[tuple[float, float]]] = {}
    begins = 0.0
    for move in parse(task.camera, task.fps):
        if _only_turns(move):
            times.setdefault(move, []).append((begins, begins + move.seconds))
        begins += move.seconds
    return next((each for each in times.values() if len(each) > 1), [])


def _only_turns(move: Move) -> bool:
    return not move.still and move == Move(
        move.seconds, move.yaw_deg, move.pitch_deg, move.roll_deg, easing=move.easing, where=move.where
    )
