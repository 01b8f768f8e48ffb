"""What a suite says of its tasks before they are built."""

from __future__ import annotations

import json

from lookaway.records import Task
from lookaway.suites import Draft
from lookaway.suites.folder import BESIDE, build_from_row
from lookaway.suites.known_world import Shot, build_known_world
from lookaway.suites.natural import build_rendered
from lookaway.suites.releases import build_released

ROWS = (build_from_row, build_rendered, build_released)  # builders of drafts whose task is a row


def design(draft: Draft) -> dict[str, str | None]:
    """Category, event, look and side of the subject, as its task will have them; None where a draft does not tell."""
    task = row_task(draft)
    if task is not None:
        return _design_of_row(task)
    if draft.build is build_known_world:
        return _design_of_shot(draft)
    return dict.fromkeys(("category", "event", "look", "side"))


def row_task(draft: Draft) -> Task | None:
    """The task of a draft that was read from a row, media still as paths; None of any other draft."""
    if draft.build not in ROWS:
        return None
    row = {name: value for name, value in json.loads(dict(draft.facts)["row"]).items() if name not in BESIDE}
    return Task.model_validate(row | {"suite": draft.suite, "version": draft.version})


def _design_of_row(task: Task) -> dict[str, str | None]:
    return {
        "category": task.category,
        "event": task.event,
        "look": ", ".join(task.observation_controls),
        "side": ", ".join(dict.fromkeys(subject.side for subject in task.subjects)),
    }


def _design_of_shot(draft: Draft) -> dict[str, str | None]:
    from lookaway.worlds import PROCESSES

    shot = Shot.of(draft)
    traits = PROCESSES.find(shot.world.process).traits
    return {
        "category": traits.category,
        "event": "none" if shot.world.variant == "still" else traits.event,
        "look": "none" if shot.twin == "static" else shot.look,
        "side": shot.world.side,
    }
