"""First pictures of `natural` that are rendered from the known world."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.command import call

from lookaway.images import image_size
from lookaway.pipeline import plans
from lookaway.pipeline.tasks import built_references, built_tasks
from lookaway.store import open_run
from lookaway.suites import attaching, find
from lookaway.suites.natural import RENDERED_SIZE, families
from lookaway.worlds import World
from lookaway.worlds.world import subject_hue

RENDERED = [family for family in families().values() if family.world is not None]


@pytest.mark.parametrize("family", RENDERED, ids=lambda family: family.id)
def test_the_subject_is_where_the_text_has_it(family) -> None:
    world = World(family.spec, RENDERED_SIZE)
    mask = world.subject_mask(world.glance(world.home, 0.0))
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    height, width = mask.shape
    seen = (columns[0] / width, rows[0] / height, (columns[-1] + 1) / width, (rows[-1] + 1) / height)
    assert seen == pytest.approx(family.world.box, abs=2 / height)
    assert world.pitch_deg == family.world.pitch_deg
    assert subject_hue(family.spec).word in family.subject.split()
    assert world.facts.side == family.side


def test_a_clone_poses_the_families_that_have_a_picture(tmp_path: Path) -> None:
    done = call("stage", "tasks", str(tmp_path), "--suite", "natural", "--only", "kitchen_person_bench__*__static")
    assert done.returncode == 0, done.stderr
    assert "19 of 28 families have no picture" in done.stderr
    run = open_run(tmp_path)
    tasks = built_tasks(run, plans.load(run))
    assert len(tasks) == 4
    (picture,) = {task.first_frame for task in tasks.values()}
    assert image_size(run.blobs.path(picture)) == RENDERED_SIZE
    assert all("picture:rendered" in task.tags for task in tasks.values())
    assert built_references(run) == {}


def test_attached_and_rendered_pictures_make_one_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = {name: families()[name] for name in ("kitchen_person_bench", "hallway_cat_box")}
    monkeypatch.setattr(attaching, "families", lambda: few)
    (tmp_path / "frames").mkdir()
    attached = attaching.attach(tmp_path / "frames", tmp_path / "suite", with_rendered=True)
    drafts = find(str(tmp_path / "suite")).drafts()
    assert {draft.scene.partition("-")[0] for draft in drafts} == {"kitchen_person_bench"}
    assert len(drafts) == len(attached.rows) == 20
    assert image_size(tmp_path / "suite" / attached.rows[0]["first_frame"]) == RENDERED_SIZE
