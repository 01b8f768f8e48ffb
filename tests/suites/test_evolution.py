"""The suite `evolution`: a balanced design, in words that tell the beginning and keep direction and end for judges."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import Any

import pytest

from lookaway import suites
from lookaway.geometry.cover import parse_cover
from lookaway.geometry.visibility import obstacle, planned
from lookaway.records import Task
from lookaway.suites.evolution import (
    COVERS,
    LEVELS,
    LOOK_AWAY,
    TRIGGER_S,
    EvolutionProcess,
    framing,
    paired_covers,
    processes,
    rows,
    still_things,
)
from lookaway.suites.natural import FamilyPicture
from tests.command import call
from tests.suites.test_natural import ARRIVAL, NEGATION, stems

PROCESSES = list(processes().values())
THINGS = list(still_things().values())
EVERYTHING = [*PROCESSES, *THINGS]
CAUSAL = [process for process in PROCESSES if process.category == "causal change"]


def posed(process: EvolutionProcess) -> list[Task]:
    box = (0.1, 0.2, 0.3, 0.9) if process.side == "left" else (0.7, 0.2, 0.9, 0.9)
    told: list[dict[str, Any]] = rows(
        process, FamilyPicture("a.png", process.id, box, (640, 360), 60.0, True, 0.0, ("picture:attached",))
    )
    return [Task.model_validate(row | {"suite": "evolution", "version": "1"}) for row in told]


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    """All tasks, each process on a picture of its own."""
    return [task for process in PROCESSES for task in posed(process)]


def forms(process: EvolutionProcess) -> list[EvolutionProcess]:
    """The process and its opposite and its variant, where it has them."""
    found = [process]
    if process.opposite is not None:
        found.append(process.other_way())
    if process.variant is not None:
        found.append(process.model_copy(update={"begins": process.variant.begins}))
    return found


def leaks(process: EvolutionProcess) -> set[str]:
    """Words of direction and end that are in the prompt; what the opening shows may be named again."""
    kept = (stems(process.ends) | stems(process.direction)) - stems(process.opening)
    return kept & stems(process.prompt)


def test_every_category_has_as_many_processes_as_the_papers_base() -> None:
    assert Counter(process.category for process in PROCESSES) == {
        "continuous process": 23,
        "kinematics": 14,
        "relational change": 14,
        "state transformation": 15,
        "causal change": 11,
        "expected behaviour": 9,
    }
    assert len(processes()) == len(PROCESSES) >= 86
    assert len({process.opening for process in EVERYTHING}) == len(EVERYTHING)


def test_subjects_are_on_both_sides_equally_often_in_every_category() -> None:
    count: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for process in EVERYTHING:
        count[process.category][process.side] += 1
    assert all(abs(sides["left"] - sides["right"]) <= 1 for sides in count.values()), count
    assert abs(sum(1 if process.side == "left" else -1 for process in PROCESSES)) <= 3


def test_every_process_is_hidden_by_every_control_once(tasks: list[Task]) -> None:
    plain = [task for task in tasks if task.twin is None and task.variant_of is None]
    cells = Counter((task.family, task.observation_controls[0]) for task in plain)
    shining = {process.id for process in PROCESSES if process.glows}
    expected = {(process.id, control) for process in PROCESSES for control in (*COVERS, LOOK_AWAY)}
    assert cells == dict.fromkeys(expected - {(name, "lights-off") for name in shining}, 1)
    assert 0 < len(shining) <= 3
    assert len({task.id for task in tasks}) == len(tasks)
    assert all(obstacle(task) is None for task in plain)


def test_every_control_hides_the_whole_time_around_the_trigger(tasks: list[Task]) -> None:
    for task in posed(CAUSAL[0]):
        if task.visibility == "leaves_and_returns":
            (hidden,) = [phase for phase in planned(task).phases if phase.phase == "hidden"]
            assert hidden.start_s < TRIGGER_S < hidden.end_s


def test_covers_are_in_words_with_a_resting_camera_and_look_aways_turn_from_the_subject(tasks: list[Task]) -> None:
    for task in tasks:
        (control,) = task.observation_controls
        if control in COVERS:
            assert task.camera == "hold@5s"
            assert parse_cover(task.cover).kind == control.removesuffix("-off")
        elif control == LOOK_AWAY:
            away = "right" if task.subjects[0].side == "left" else "left"
            assert task.cover == ""
            assert f"yaw:{away}:60@" in task.camera.split(",")[1]


def test_both_kinds_of_models_have_an_observed_baseline_about_the_same_seconds(tasks: list[Task]) -> None:
    known = {task.id: task for task in tasks}
    twins = [task for task in tasks if task.twin == "observed"]
    assert len(twins) == 2 * len(PROCESSES)
    for twin in twins:
        hidden = known[twin.twin_of or ""]
        same = ("prompt", "subjects", "expected_end", "end_edit", "direction", "action_control", "trigger_s", "scene")
        assert [getattr(twin, field) for field in same] == [getattr(hidden, field) for field in same]
        assert twin.yoked == planned(hidden).phases
        assert {phase.phase for phase in twin.yoked} == {"visible", "hidden", "returned"}
        assert (twin.cover, twin.observation_controls, twin.visibility) == ("", ("none",), "always_visible")
        assert obstacle(twin) == "never_hidden"
    by_process = Counter((twin.family, known[twin.twin_of or ""].observation_controls[0] in COVERS) for twin in twins)
    assert set(by_process.values()) == {1}


def test_baselines_are_paired_with_each_cover_equally_often() -> None:
    count = Counter(
        (processes()[name].category, cover) for name, cover in paired_covers().items() if name in processes()
    )
    for category in {process.category for process in PROCESSES}:
        numbers = [count[category, cover] for cover in COVERS]
        assert max(numbers) - min(numbers) <= 1, (category, numbers)


def test_causal_tasks_start_unseen_are_judged_by_their_effect_and_have_opposite_twins(tasks: list[Task]) -> None:
    known = {task.id: task for task in tasks}
    for task in tasks:
        causal = task.category == "causal change"
        assert (task.action_control != "none") == causal == (task.trigger_s == TRIGGER_S)
        assert bool(task.trigger) == (causal and task.twin != "observed")
    opposites = [task for task in tasks if task.twin == "opposite"]
    assert len(opposites) == 4 * len(CAUSAL)
    for twin in opposites:
        other = known[twin.twin_of or ""]
        assert (twin.first_frame, twin.camera, twin.cover) == (other.first_frame, other.camera, other.cover)
        assert twin.action_control != other.action_control
        assert twin.expected_end != other.expected_end


def test_variants_change_one_condition_of_a_task_that_is_there(tasks: list[Task]) -> None:
    known = {task.id: task for task in tasks}
    variants = [task for task in tasks if task.variant_of is not None]
    assert len({task.family for task in variants}) >= 8
    for task in variants:
        plain = known[task.variant_of or ""]
        assert task.changes
        assert task.prompt != plain.prompt
        assert (task.first_frame, task.camera, task.cover, task.subjects) == (
            *(plain.first_frame, plain.camera, plain.cover, plain.subjects),
        )


def test_records_tell_level_direction_and_the_edit_that_leads_to_the_end(tasks: list[Task]) -> None:
    for task in tasks:
        assert task.level == LEVELS[task.category]
        assert task.direction
        assert task.end_edit.lower() == f"change the picture so that {task.expected_end}".lower()


@pytest.mark.parametrize("process", EVERYTHING, ids=lambda process: process.id)
def test_no_prompt_tells_direction_or_end(process: EvolutionProcess) -> None:
    for form in forms(process):
        assert not leaks(form), leaks(form)
        assert not ARRIVAL.search(form.prompt)
        if process.category != "object permanence":
            assert stems(form.ends) - stems(form.opening), "the end says nothing that the opening does not"
    for task in posed(process):
        assert task.end_edit not in task.prompt
        assert not (stems(task.trigger) & (stems(task.expected_end) - stems(task.prompt) - stems(process.shows_in)))


@pytest.mark.parametrize(
    ("begins", "told"), [("It gets shorter.", "shorter"), ("It burns low.", "low"), ("A stub remains.", "stub")]
)
def test_a_prompt_that_told_direction_or_end_would_be_noticed(begins: str, told: str) -> None:
    assert leaks(processes()["candle_dish"].model_copy(update={"begins": begins})) == {told}


@pytest.mark.parametrize("process", EVERYTHING, ids=lambda process: process.id)
def test_the_subject_is_named_at_its_side_and_nothing_is_said_by_negation(process: EvolutionProcess) -> None:
    assert stems(process.subject) <= stems(process.opening)
    assert f"on the {process.side}" in process.opening
    texts = [process.picture, framing(), *(text for form in forms(process) for text in (form.prompt, form.ends))]
    assert [text for text in texts if NEGATION.search(text)] == []
    assert process.ends[0].islower()
    assert not process.ends.endswith(".")
    assert process.opening.endswith(".")


def test_ids_are_plain_names() -> None:
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)+", process.id) for process in EVERYTHING)
    assert not set(processes()) & set(still_things())


def test_every_category_has_processes_with_a_rendered_picture() -> None:
    drafts = suites.find("evolution").drafts()
    pictured = {process.id for process in PROCESSES if process.world is not None}
    assert {draft.scene for draft in drafts} == pictured
    assert {processes()[name].category for name in pictured} == set(LEVELS) - {"object permanence"}
    assert len(pictured) >= 20


def test_rendered_tasks_hide_and_their_baselines_do_not() -> None:
    for name in ("evolution", "evolution-permanence"):
        for draft in suites.find(name).drafts():
            assert draft.obstacle == ("never_hidden" if "__observed" in draft.id else None), draft.id


def test_still_things_are_a_declared_extra_of_level_zero() -> None:
    found = [task for thing in THINGS for task in posed(thing)]
    assert {(task.level, task.event, task.action_control) for task in found} == {(0, "none", "none")}
    assert all("extra:level-0" in task.tags for task in found)
    assert not any(process.category == "object permanence" for process in PROCESSES)


def test_processes_without_a_picture_are_named() -> None:
    done = call("suite", "tasks", "evolution", "--json")
    without = [process.id for process in PROCESSES if process.world is None]
    assert f"{len(without)} of {len(PROCESSES)} processes have no picture" in done.stderr
    assert all(name in done.stderr for name in without)
