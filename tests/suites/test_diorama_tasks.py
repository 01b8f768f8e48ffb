"""Every task of the known world does what it says: the subject is out of view, and its process goes on."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lookaway.geometry.script import poses_at
from lookaway.geometry.visibility import phases_from_visible
from lookaway.suites import Draft, look_aways
from lookaway.suites.diorama import base_shots, diorama
from lookaway.suites.diorama_dose import diorama_dose
from lookaway.suites.diorama_mini import diorama_mini
from lookaway.suites.known_world import FPS, SIZE, Shot, scripts_of
from lookaway.suites.solving import Scripts
from lookaway.truth import VISIBLE_SHARE
from lookaway.worlds import PROCESSES, World, covers_at

HIDING = [draft for draft in (*diorama(), *diorama_mini(), *diorama_dose()) if draft.hides]
CHANGED_GREY = 30  # of 255; far above what compression or noise could do
CHANGED_SHARE = 0.01
SAME_WORLD = [list(group) for _, group in itertools.groupby(HIDING, key=lambda draft: Shot.of(draft).world)]


def visible(world: World, scripts: Scripts, seconds: np.ndarray) -> np.ndarray:
    """Subject pixels at each second as a share of those in the first frame."""
    poses = world.home @ poses_at(scripts.camera, seconds, world.pitch_deg)
    pixels = [
        world.subject_mask(world.glance(pose, float(second), cover), cover).sum()
        for pose, second, cover in zip(poses, seconds, covers_at(scripts.cover, seconds), strict=True)
    ]
    return np.array(pixels) / world.subject_mask(world.glance(world.home, 0.0)).sum()


@pytest.mark.parametrize("drafts", SAME_WORLD, ids=lambda drafts: f"{drafts[0].suite}:{drafts[0].id}")
def test_the_subject_is_out_of_view_for_the_planned_seconds_and_comes_back(drafts: list[Draft]) -> None:
    world = World(Shot.of(drafts[0]).world, SIZE)
    for draft in drafts:
        made = Shot.of(draft)
        scripts = scripts_of(world, made)
        if made.look == "by-itself":
            seconds = np.arange(draft.frames) / FPS
            phases = phases_from_visible(seconds, visible(world, scripts, seconds) >= VISIBLE_SHARE)
            assert [i.phase for i in phases][:3] == ["visible", "hidden", "returned"]
            continue
        look, timing = look_aways.find(made.look), made.timing
        starts = timing.total_s * np.arange(look.rounds)
        waits = timing.before_s + timing.out_s + np.arange(0, timing.hidden_s + 1e-9, 1 / FPS)
        assert (visible(world, scripts, np.add.outer(starts, waits).ravel()) == 0).all(), draft.id
        assert (visible(world, scripts, starts + timing.total_s) > VISIBLE_SHARE).all(), draft.id


@pytest.mark.parametrize("process", PROCESSES.names())
def test_a_process_is_seen_to_change_in_its_observed_twin(process: str) -> None:
    draft = next(d for d in diorama() if is_observed_twin(d, process))
    world = World(Shot.of(draft).world, SIZE)
    scripts = scripts_of(world, Shot.of(draft))
    assert (visible(world, scripts, np.arange(draft.frames) / FPS) > 0.1).all(), "it must never lose its subject"
    first, last = (world.render(world.home, second).rgb.astype(int) for second in (0.0, draft.seconds))
    assert (np.abs(first - last).max(axis=2) > CHANGED_GREY).mean() > CHANGED_SHARE
    assert world.state(0.0) != world.state(draft.seconds)


def is_observed_twin(draft: Draft, process: str) -> bool:
    made = Shot.of(draft)
    return (made.twin, made.world.process, made.world.variant) == ("observed", process, "plain")


def test_still_worlds_stay_as_they_are() -> None:
    made = next(s for s in base_shots() if s.world.variant == "still")
    world = World(made.world, SIZE)
    assert world.state(0.0) == world.state(4.0)
    assert np.array_equal(world.glance(world.home, 0.0), world.glance(world.home, 4.0))
