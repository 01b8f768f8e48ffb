"""A built task tells what it asks, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lookaway import truth
from lookaway.cache import Built
from lookaway.generators.media import prefix_clip
from lookaway.models import system
from lookaway.pipeline.controls import request_for
from lookaway.records import CaseId, Reference, Task, WorldSpec
from lookaway.store import Blobs, Run
from lookaway.suites.known_world import Shot, build_known_world, draft, paced, shot
from lookaway.video import decode

SPEC = WorldSpec(layout="parlour", process="ball", seed=4)
TRAIN = WorldSpec(layout="kitchen", process="train", seed=0)
SIZE = (96, 54)


def built(look: str, blobs: Blobs, **changes: object) -> tuple[Task, Reference]:
    task, reference, _ = with_bank(look, blobs, **changes)
    assert reference is not None
    return task, reference


def with_bank(look: str, blobs: Blobs, **changes: object) -> Built:
    made: Shot = replace(shot(paced(SPEC, look), look, "left"), **changes)  # type: ignore[arg-type]
    return build_known_world(draft("a-suite", "1", made), blobs, SIZE)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


def test_a_prefix_is_the_true_clip_until_the_way_back_begins(run: Run) -> None:
    task, reference = built("prefix", run.blobs)
    assert task.prefix_s == 3.0
    card = system("truth")
    request = request_for(CaseId(task=task.id, system="truth"), task, card, run)
    clip = prefix_clip(request, run.blobs)
    assert clip is not None
    given = [frame.rgb for frame in decode(clip)]
    whole = truth.load(reference, run.blobs.root).frames().rgb
    assert len(given) == 3 * 16 + 1
    assert np.abs(given[-1].astype(int) - whole[48]).mean() < 2
    hidden = next(i for i in task.phases if i.phase == "hidden")
    assert hidden.start_s < task.prefix_s < hidden.end_s


def test_a_cover_is_asked_for_in_words_and_rests_the_camera(run: Run) -> None:
    task, reference = built("curtain", run.blobs)
    request = request_for(CaseId(task=task.id, system="truth"), task, system("truth"), run)
    assert "a curtain is drawn in front of the camera" in request.prompt
    assert task.camera == "hold@5s"
    assert prefix_clip(request, run.blobs) is None
    world = truth.load(reference, run.blobs.root).world
    assert world is not None
    assert np.allclose(world.camera_to_world, world.camera_to_world[0])
    assert world.visible.min() == 0


def test_twins_ask_the_same_questions_of_the_same_world(run: Run) -> None:
    task, _, bank = with_bank("yaw-left", run.blobs)
    assert task.yoked == ()
    assert bank is not None
    for kind in ("observed", "static"):
        twin, reference, other = with_bank("yaw-left", run.blobs, twin=kind, twin_of=task.id)
        assert (twin.prompt, twin.world) == (task.prompt, task.world)
        assert reference is not None
        assert other is not None
        assert (other.task, other.questions) == (twin.id, bank.questions)
        assert twin.visibility == "always_visible"
        assert [i.phase for i in twin.phases] == ["visible"]
        assert twin.yoked == (task.phases if kind == "observed" else ())
        assert reference.state_names


@pytest.mark.parametrize(
    ("look", "world"),
    [
        ("three-rounds", SPEC),
        pytest.param("curtain", SPEC, marks=pytest.mark.every_world),
        pytest.param("by-itself", TRAIN, marks=pytest.mark.every_world),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_an_observed_twin_carries_the_phases_of_its_task(look: str, world: WorldSpec, run: Run) -> None:
    task, _ = built(look, run.blobs, world=world)
    twin, _ = built(look, run.blobs, world=world, twin="observed", twin_of=task.id)
    assert twin.yoked == task.phases
    assert "returned" in [interval.phase for interval in twin.yoked]
    assert "returned" not in [interval.phase for interval in twin.phases]


def test_the_end_state_stays_out_of_the_prompt_and_a_still_world_has_the_opposite_answers(run: Run) -> None:
    task, _, bank = with_bank("yaw-left", run.blobs)
    still, _, other = with_bank("yaw-left", run.blobs, world=SPEC.model_copy(update={"variant": "still"}))
    assert bank is not None
    assert other is not None
    assert task.expected_end not in task.prompt
    assert (task.event, still.event) == ("spatial", "none")
    answers = [(a.expected, b.expected) for a, b in zip(bank.questions, other.questions, strict=True)]
    assert answers == [("yes", "yes"), ("yes", "no"), ("no", "yes")]
