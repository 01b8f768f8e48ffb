"""The dose suites: how long they hide, in how many scenes, and that nothing ends before the view is back."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from lookaway.suites import Draft
from lookaway.suites.diorama_dose import LADDER_WORLDS, RUNGS, crossed, ladder, ladder_s
from lookaway.suites.diorama_long import diorama_long
from lookaway.suites.known_world import Shot

LADDER, LONG = ladder(), diorama_long()


def waits_s(drafts: list[Draft]) -> np.ndarray:
    return np.array([Shot.of(draft).timing.hidden_s for draft in drafts])


def test_twelve_hidden_times_from_half_a_second_to_eight_in_eight_scenes() -> None:
    assert RUNGS >= 12
    assert set(Counter(draft.scene for draft in LADDER).values()) == {RUNGS}
    assert len({draft.scene for draft in LADDER}) == 8
    every = np.array([[ladder_s(rung, world) for rung in range(RUNGS)] for world in range(len(LADDER_WORLDS))])
    assert (every[:, 0] < 0.6).all()
    assert every[:, -1].max() > 8
    steps = np.diff(np.log(every), axis=1)
    assert steps.mean() == pytest.approx(np.log(16) / 11, abs=0.01)
    assert len({tuple(row) for row in every}) == len(LADDER_WORLDS), "every world has hidden times of its own"


def test_one_rotation_and_one_pace_on_the_ladder() -> None:
    shots = [Shot.of(draft) for draft in LADDER]
    assert {made.angle for made in shots} == {60.0}
    assert len({made.world.pace for made in shots}) == 1


def test_ids_are_unique_and_the_crossed_part_is_as_it_was() -> None:
    ids = [draft.id for draft in (*crossed(), *LADDER)]
    assert len(ids) == len(set(ids)) == 64 + 96


def test_long_look_aways_double_from_eight_to_sixty_four_seconds() -> None:
    assert len(LONG) == 24
    assert sorted(set(np.round(waits_s(LONG) + 0.25, 6))) == [8.0, 16.0, 32.0, 64.0]
    assert len({draft.scene for draft in LONG}) == 6


@pytest.mark.every_world
@pytest.mark.parametrize(
    "draft", [*LADDER[RUNGS - 1 :: RUNGS], *LONG[3::4]], ids=lambda draft: f"{draft.suite} {draft.id}"
)
def test_no_process_ends_before_the_longest_clip_does(draft: Draft) -> None:
    pytest.importorskip("mujoco")
    from lookaway.worlds import World

    world = World(Shot.of(draft).world)
    last, beyond = (np.array(list(world.state(second).values())) for second in (draft.seconds, draft.seconds * 1.1))
    start = np.array(list(world.state(0.0).values()))
    assert np.abs(beyond - last).max() > 0.005 * np.abs(beyond - start).max()
