"""First pictures of `evolution` that are rendered from the known world."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lookaway.images import image_size
from lookaway.store import Blobs
from lookaway.suites import find
from lookaway.suites.evolution import EvolutionProcess, processes, still_things
from lookaway.suites.natural import RENDERED_SIZE
from lookaway.worlds import World
from lookaway.worlds.world import subject_hue

RENDERED = [one for one in (*processes().values(), *still_things().values()) if one.world is not None]


@pytest.mark.parametrize("process", RENDERED, ids=lambda process: process.id)
def test_the_subject_is_where_the_text_has_it(process: EvolutionProcess) -> None:
    assert process.spec is not None
    assert process.world is not None
    world = World(process.spec, RENDERED_SIZE)
    mask = world.subject_mask(world.glance(world.home, 0.0))
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    height, width = mask.shape
    seen = (columns[0] / width, rows[0] / height, (columns[-1] + 1) / width, (rows[-1] + 1) / height)
    assert seen == pytest.approx(process.world.box, abs=2 / height)
    assert world.pitch_deg == process.world.pitch_deg
    assert subject_hue(process.spec).word in process.opening.split()
    assert world.facts.side == process.side


def test_a_rendered_task_has_its_picture_and_no_truth(tmp_path: Path) -> None:
    draft = next(draft for draft in find("evolution").drafts() if draft.id == "dominoes_bench__curtain__opposite")
    task, reference, _ = draft.built(Blobs(tmp_path))
    assert image_size(Blobs(tmp_path).path(task.first_frame)) == RENDERED_SIZE
    assert task.tags == ("picture:rendered",)
    assert reference is None
