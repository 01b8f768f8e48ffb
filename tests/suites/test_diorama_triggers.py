"""Starts that nobody sees, in the known world: set off while hidden, told by their effect, and judged so."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lookaway.errors import UsageError
from lookaway.records import Interval, WorldSpec
from lookaway.store import Run
from lookaway.suites import find
from lookaway.suites.diorama_triggers import LOOKS, SEEN_S, START_S, seen_shots, shots, waiting
from lookaway.suites.known_world import Shot, build_known_world, draft, filmed, scripts_of
from lookaway.worlds import PROCESSES, world_of
from lookaway.worlds.world import World

pytest.importorskip("mujoco")
pytest.importorskip("embreex")

SIZE, RATE = (64, 36), 4.0
MADE = {(made.world.process, made.look): made for made in shots()}


def test_every_causal_process_that_can_wait_is_hidden_by_every_look() -> None:
    assert waiting() == ["balloon", "seesaw", "sprinkler", "switch"]  # a domino that is falling cannot wait
    glowing = {("switch", "lights-off")}
    assert set(MADE) == {(process, look) for process in waiting() for look in LOOKS} - glowing
    sides = Counter((made.look, made.world.side) for made in shots())
    assert max(sides.values()) - min(sides.values()) <= 1
    drafts = find("diorama-triggers").drafts()
    seen = [draft for draft in drafts if "_seen" in draft.id]
    assert len(drafts) - len(seen) == 4 * len(MADE), "each with an observed, a static and an opposite twin"
    assert len(seen) == 4 * 2 * len(waiting())
    assert {Shot.of(draft).world.start_s for draft in seen} == {SEEN_S}


def test_what_goes_on_from_the_start_is_the_world_that_it_always_was() -> None:
    told = WorldSpec(layout="parlour", process="ball", seed=0).model_dump()
    assert "start_s" not in told
    waits = WorldSpec(layout="parlour", process="switch", seed=0, start_s=2.0)
    assert waits.model_dump()["start_s"] == 2.0
    assert Shot.of(find("diorama-triggers").drafts()[0]).world.start_s == START_S


def test_nothing_happens_until_it_is_set_off_and_all_of_it_afterwards() -> None:
    made = MADE["seesaw", "cardboard"].world
    world, at_once = World(made, SIZE), World(made.model_copy(update={"start_s": 0.0}), SIZE)
    assert world.state(0.0) == world.state(START_S) == at_once.state(0.0)
    for second in (0.5, 1.0, 2.5):
        assert world.state(START_S + second) == at_once.state(second) != world.state(0.0)
    assert np.array_equal(world.render(world.home, 1.5).rgb, world.render(world.home, 0.0).rgb)


@pytest.mark.parametrize("process", ["ball", "dominoes"])
def test_what_nothing_sets_off_and_what_cannot_rest_cannot_wait(process: str) -> None:
    with pytest.raises(UsageError, match="cannot be set off later"):
        World(WorldSpec(layout="parlour", process=process, seed=0, start_s=2.0), SIZE)


@pytest.mark.parametrize("look", ["yaw-left", "curtain"])
def test_neither_subject_nor_trigger_is_seen_when_it_is_set_off_and_the_effect_is_seen_on_return(look: str) -> None:
    made = MADE["switch", look]
    world = world_of(made.world, SIZE)
    take = filmed(world, scripts_of(world, made), round(5 * RATE) + 1, RATE, SIZE)
    hidden = next(phase for phase in take.phases if phase.phase == "hidden")
    assert hidden.start_s < START_S < hidden.end_s
    at_start = take.views[round(START_S * RATE)].instances
    moving = {number for number, name in world.instances.items() if name in {"lever", "rod", "lamp"}}
    assert not moving & set(np.unique(at_start)), "the lever that sets it off is out of sight as well"
    on_return = take.states[round(hidden.end_s * RATE)]["share_lit"]
    assert on_return - take.states[0]["share_lit"] > 0.15
    assert take.states[-1]["share_lit"] > 0.95


def test_task_and_prompt_tell_when_and_the_rule_tells_by_what_it_is_judged(tmp_path: Path) -> None:
    blobs = Run(tmp_path / "run").blobs
    made = MADE["switch", "curtain"]
    task = build_known_world(draft("a-suite", "1", made), blobs, SIZE).task
    assert task.trigger_s == START_S
    assert "After 2 seconds, a metal rod flips the lever of the switch on; one after the other" in task.prompt
    assert "judge it by its effect on a lamp with a row of" in task.trigger
    assert "shining" not in task.trigger, "the rule does not tell the effect"
    assert any(_covers(phase, START_S) for phase in task.phases if phase.phase == "hidden")
    seen = replace(made, twin="observed", twin_of=task.id)
    twin = build_known_world(draft("a-suite", "1", seen, id="seen"), blobs, SIZE).task
    assert (twin.trigger, twin.trigger_s, twin.prompt) == ("", START_S, task.prompt)
    assert PROCESSES.find("switch").traits.category == twin.category


def test_a_start_in_sight_has_no_rule_for_hidden_ones(tmp_path: Path) -> None:
    made = next(made for made in seen_shots() if made.world.process == "sprinkler")
    task = build_known_world(draft("a-suite", "1", made), Run(tmp_path / "run").blobs, SIZE).task
    assert (task.trigger, task.trigger_s) == ("", SEEN_S)
    assert "After 0.5 seconds, a motor turns the wheel" in task.prompt


def _covers(phase: Interval, second: float) -> bool:
    return phase.start_s < second < phase.end_s
