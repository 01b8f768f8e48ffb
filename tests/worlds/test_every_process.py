"""Promises that every process keeps, in a place that suits it, from both sides."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from lookaway.records import WorldSpec
from lookaway.worlds import LAYOUTS, PROCESSES, World

LASTS_S = 12.0
NEGATIONS = re.compile(r"\b(not|no|never|nothing|without|stops?)\b|n't\b")
OPPOSITES = [name for name in PROCESSES.names() if PROCESSES.find(name).traits.opposite]


def world_of(process: str, side: str = "left", variant: str = "plain") -> World:
    """In one of the layouts that suit the process; which one differs from process to process."""
    number = PROCESSES.names().index(process)
    fitting = [name for name in LAYOUTS.names() if LAYOUTS.find(name).place in PROCESSES.find(process).traits.places]
    layout = fitting[number % len(fitting)]
    return World(WorldSpec(layout=layout, process=process, seed=number, side=side, variant=variant))  # type: ignore[arg-type]


@pytest.mark.parametrize("process", PROCESSES.names())
def test_a_process_keeps_its_promises(process: str) -> None:
    left, right = world_of(process, "left"), world_of(process, "right")
    for world in (left, right):
        starts_on_its_side_whole_and_large_enough(world)
        stays_in_the_first_view_unless_it_leaves(world)
        moves_on_before_hiding_while_hidden_and_after(world)
        is_out_of_sight_from_behind(world)
        says_the_right_side_and_keeps_the_end_to_itself(world)
    is_the_mirror_image(left, right)


def subject_at(world: World, second: float) -> np.ndarray:
    return world.subject_mask(world.glance(world.home, second))


def touches_the_border(mask: np.ndarray) -> bool:
    return bool(mask[[0, -1]].any() or mask[:, [0, -1]].any())


def starts_on_its_side_whole_and_large_enough(world: World) -> None:
    mask = subject_at(world, 0.0)
    assert 0.008 <= mask.mean() <= 0.15
    middle = np.nonzero(mask)[1].mean() / mask.shape[1]
    assert middle < 0.46 if world.spec.side == "left" else middle > 0.54
    assert not touches_the_border(mask)


def stays_in_the_first_view_unless_it_leaves(world: World) -> None:
    seen = [subject_at(world, second) for second in np.arange(0, LASTS_S, 1.5)]
    if world.facts.traits.leaves:
        assert any(not mask.any() or touches_the_border(mask) for mask in seen)
    else:
        assert all(mask.any() and not touches_the_border(mask) for mask in seen)


def moves_on_before_hiding_while_hidden_and_after(world: World) -> None:
    states = [world.state(second) for second in (0.0, 1.0, 2.5, 4.0)]
    assert all(set(state) == set(states[0]) for state in states)
    assert all(np.isfinite(value) for state in states for value in state.values())
    assert all(before != after for before, after in itertools.pairwise(states))


def is_out_of_sight_from_behind(world: World) -> None:
    for yaw_deg in (-120, 120, 180):
        assert not world.subject_mask(world.glance(world.look(yaw_deg), 2.0)).any()


def says_the_right_side_and_keeps_the_end_to_itself(world: World) -> None:
    facts, words = world.facts, world.facts.words
    assert world.spec.side in f"{words.setting} {words.action} {words.trigger}"
    assert words.action in facts.prompt
    assert words.end not in facts.prompt
    for text in (words.subject, words.setting, words.action, words.end):
        assert not text.endswith(".")
        assert not text[0].isupper()
    for text in (words.is_ended, words.is_as_before):
        assert text.endswith("?")
    assert not NEGATIONS.search(facts.prompt), f"a negation in: {facts.prompt}"


def is_the_mirror_image(left: World, right: World) -> None:
    assert left.state(1.0) == right.state(1.0)
    here, there = subject_at(left, 1.0), subject_at(right, 1.0)[:, ::-1]
    assert (here & there).sum() > 0.95 * (here | there).sum()


@pytest.mark.parametrize("process", OPPOSITES)
def test_an_opposite_ends_the_other_way(process: str) -> None:
    plain, opposite = world_of(process), world_of(process, variant="opposite")
    assert plain.facts.words.end != opposite.facts.words.end
    assert plain.facts.prompt != opposite.facts.prompt
    other_state = plain.state(6.0) != opposite.state(6.0)
    assert other_state or (subject_at(plain, 6.0) != subject_at(opposite, 6.0)).mean() > 0.01


@pytest.mark.parametrize("process", ["ball", "filling", "candle"])
def test_without_the_subject_nothing_of_it_is_left(process: str) -> None:
    world = world_of(process)
    early, late = (world.render(world.home, second, frozenset({world.subject})) for second in (0.0, 3.0))
    assert not world.subject_mask(early.instances).any()
    assert np.array_equal(early.rgb, late.rgb), "a shadow, a stream or its light stayed behind"
