"""Reference models: the known world itself, whole or with a named fault."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from lookaway.errors import GenerationError
from lookaway.generators import Ask, Made, generator
from lookaway.suites.known_world import world_of
from lookaway.video import nearest_index
from lookaway.worlds import covers_at, faults


@generator(version=1, extra="worlds", seconds_per_frame=0.03)
def known_world(ask: Ask) -> Made:
    """Renders the task's own world along the asked camera, with the fault that the card names."""
    if ask.task.world is None:
        raise GenerationError(f"{ask.task.id}: not a task of the known world; reference models cannot make it")
    return _frames(ask)


def _frames(ask: Ask) -> Iterator[NDArray[np.uint8]]:
    spec, path = ask.task.world, ask.request.trajectory()
    assert spec is not None
    if path is None:
        raise GenerationError(f"{ask.task.id}: the known world needs camera poses, not '{ask.request.control.kind}'")
    world = world_of(spec, (ask.request.width, ask.request.height))
    fault = faults.find(str(ask.card.settings["fault"]))
    covers = covers_at(ask.task.cover, path.seconds)
    hidden = [i for i in ask.task.phases if i.phase == "hidden"]
    never = (ask.task.seconds, ask.task.seconds)
    hide_s, return_s = (hidden[0].start_s, hidden[0].end_s) if hidden else never
    for second, cover in zip(path.seconds, covers, strict=True):
        moment = fault(float(second), hide_s, return_s)
        pose = path.camera_to_world[nearest_index(path.seconds, moment.camera_s)]
        gone = frozenset() if moment.present else frozenset({world.subject})
        yield world.render(world.home @ pose, moment.process_s, without=gone, cover=cover).rgb
