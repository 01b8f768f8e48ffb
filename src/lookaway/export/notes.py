"""What a person should know about an export before running a model on it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lookaway.export.folder import Finished
from lookaway.geometry.asked import asked_seconds
from lookaway.records import ModelCard, Task

SHOWN = 5


def notes(tasks: Sequence[tuple[Finished, Task]], card: ModelCard | None) -> list[str]:
    """One line each, nothing where all is as expected."""
    found = [_shape(tasks), _too_short(tasks), _hides_nothing(tasks)] if card is not None else [_hides_nothing(tasks)]
    return [note for note in found if note]


def _shape(tasks: Sequence[tuple[Finished, Task]]) -> str:
    """The field of view at the card's shape: a known world keeps its width, other pictures are stretched."""
    said = []
    for (width, height), task in {finished.size: task for finished, task in tasks}.items():
        high = 2 * math.degrees(math.atan(math.tan(math.radians(task.hfov_deg / 2)) * task.height / task.width))
        stretched = "" if abs(width / height - task.width / task.height) < 0.01 else ", stretched"
        said.append(
            f"{width}x{height} pictures are {task.hfov_deg:g} degrees wide and {high:.1f} degrees high{stretched}"
        )
    return "; ".join(said)


def _too_short(tasks: Sequence[tuple[Finished, Task]]) -> str:
    cut = [task.id for _, task in tasks if task.seconds < asked_seconds(task) - 1 / task.fps]
    return f"the model's clip ends before the camera's way does in {_listed(cut)}" if cut else ""


def _hides_nothing(tasks: Sequence[tuple[Finished, Task]]) -> str:
    meant = [task for _, task in tasks if task.twin not in ("observed", "static") and task.phases]
    without = [task.id for task in meant if all(phase.phase != "returned" for phase in task.phases)]
    return f"the subject does not go out of view and come back in {_listed(without)}" if without else ""


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{len(names)} task{'s' if len(names) > 1 else ''}: {', '.join(names[:SHOWN])}{more}"
