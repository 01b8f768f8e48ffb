"""The suite `natural`: a balanced design, in words that tell the beginning and keep the end for judges."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lookaway import extras, suites
from lookaway.records import Event, Task
from lookaway.suites.natural import FamilyPicture, NaturalFamily, families, rows
from lookaway.suites.releases.wrbench import CAMERAS, EVENTS
from tests.command import call

FAMILIES = list(families().values())
CHANGING: list[Event] = ["spatial", "state_only", "full"]
LITTLE = frozenset(
    re.findall(
        r"\w+",
        "a an the of on in at by to its his her their it and is are has with as from both one two either over under up "
        "down before behind close next beside off into out only all left right",
    )
)
NEGATION = re.compile(
    r"\b(not|no|never|nor|neither|none|nothing|nobody|nowhere|without|cannot|instead|still|un(?!der|iform)\w+|\w+n't|"
    r"\w*less|fail\w*|refus\w*|avoid\w*)\b",
    re.IGNORECASE,
)
ARRIVAL = re.compile(r"\b(until|finally|arriv\w*|ends? up|ending|eventually|at last|result\w*)\b", re.IGNORECASE)


def stems(text: str) -> set[str]:
    """The words of a text that carry meaning, without their endings: `sits`, `sitting` -> `sit`, `sitt`."""
    found = re.findall(r"[a-zé]+", text.lower().replace("'s", ""))
    return {re.sub(r"(?<=...)(ing|ed|es|s|ly)$", "", word) for word in found if word not in LITTLE}


def end_words(family: NaturalFamily, event: Event) -> set[str]:
    """Words of the end that are true only then: the opening, which all events share, has the others."""
    return stems(family.words(event).ends) - stems(family.opening)


def leaks(family: NaturalFamily, event: Event) -> set[str]:
    return end_words(family, event) & stems(family.prompt(event))


def texts(family: NaturalFamily) -> list[str]:
    told = [text for event in EVENTS for text in (family.words(event).begins, family.words(event).ends)]
    return [family.opening, family.picture, *told]


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    """All tasks, those of families without a picture on one of their own."""
    told: list[dict[str, Any]] = []
    for family in FAMILIES:
        box = (0.1, 0.2, 0.3, 0.9) if family.side == "left" else (0.7, 0.2, 0.9, 0.9)
        told += rows(family, FamilyPicture("a.png", family.id, box, (640, 360), 60.0, True, 0.0, ()))
    return [Task.model_validate(row | {"suite": "natural", "version": "1"}) for row in told]


def test_it_is_as_large_as_the_papers_suite() -> None:
    assert len(FAMILIES) >= 25
    assert len({family.venue for family in FAMILIES}) >= 19
    assert len({family.action for family in FAMILIES}) >= 6
    assert len({family.setting for family in FAMILIES}) == 6


def test_people_and_animals_are_on_both_sides_equally_often() -> None:
    count = Counter((family.actor, family.side) for family in FAMILIES)
    assert count["human", "left"] == count["human", "right"] >= 6
    assert count["animal", "left"] == count["animal", "right"] >= 6


def test_every_event_of_every_family_is_asked_under_every_camera_once(tasks: list[Task]) -> None:
    cells = Counter((task.family, task.event, task.tags[0]) for task in tasks)
    assert len(cells) == len(tasks) == len(FAMILIES) * len(EVENTS) * len(CAMERAS)
    assert Counter(task.event for task in tasks) == dict.fromkeys(EVENTS, len(tasks) // 4)
    assert Counter(task.level for task in tasks) == {
        None: len(tasks) // 5,
        30: len(tasks) * 2 // 5,
        60: len(tasks) * 2 // 5,
    }
    assert {(task.event, task.tier) for task in tasks} == {
        ("none", "T0"),
        ("spatial", "T1"),
        ("state_only", "T2"),
        ("full", "T2"),
    }
    assert all(task.venue and task.action and task.actor in ("human", "animal") for task in tasks)


def test_each_task_has_one_static_twin_that_differs_in_the_camera_alone(tasks: list[Task]) -> None:
    known = {task.id: task for task in tasks}
    twins = {task.twin_of: task for task in tasks if task.twin == "static"}
    assert len(twins) == len(FAMILIES) * len(EVENTS)
    for task in tasks:
        if task.twin is None:
            twin = twins[task.variant_of or task.id]
            assert (twin.prompt, twin.expected_end, twin.subjects) == (task.prompt, task.expected_end, task.subjects)
            assert twin.camera == "hold@5s"
            assert task.variant_of is None or known[task.variant_of].level == 60


def test_the_far_turns_hide_the_subject_and_a_small_turn_to_its_own_side_cannot() -> None:
    drafts = suites.find("natural").drafts()
    for draft in drafts:
        family, _, camera = draft.id.split("__")
        turn = CAMERAS[camera]
        if turn is None or turn == (families()[family].side, 30):
            assert draft.obstacle == "never_hidden", draft.id
        else:
            assert draft.obstacle is None, draft.id


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.id)
def test_no_prompt_tells_the_end(family: NaturalFamily) -> None:
    for event in EVENTS:
        assert not leaks(family, event), (event, leaks(family, event))
        assert not ARRIVAL.search(family.prompt(event))
        assert family.words(event).ends not in family.prompt(event)
    for event in CHANGING:
        assert end_words(family, event), f"{event}: the end says nothing that the opening does not"
    assert len({family.words(event).ends for event in EVENTS}) == len({family.prompt(event) for event in EVENTS}) == 4


@pytest.mark.parametrize(
    ("begins", "told"), [("Then it sits there.", "sit"), ("It goes, tall and straight.", "straight")]
)
def test_a_prompt_that_told_the_end_would_be_noticed(begins: str, told: str) -> None:
    family = families()["kitchen_person_bench"]
    words = family.full.model_copy(update={"begins": begins})
    assert leaks(family.model_copy(update={"full": words}), "full") == {told}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.id)
def test_the_subject_is_named_and_nothing_is_said_by_negation(family: NaturalFamily) -> None:
    assert stems(family.subject) <= stems(family.opening)
    assert f"on the {family.side}" in family.opening.split(";")[0]
    negated = [text for text in texts(family) if NEGATION.search(text)]
    assert negated == []


@pytest.mark.parametrize("text", ["The cat does not move.", "It stays untouched.", "It isn't there.", "Motionless."])
def test_a_negation_would_be_noticed(text: str) -> None:
    assert NEGATION.search(text)


def test_ids_are_plain_names() -> None:
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)+", family.id) for family in FAMILIES)


def test_the_tasks_with_a_picture_are_listed_and_the_other_families_named() -> None:
    done = call("suite", "tasks", "natural", "--json")
    listed = json.loads(done.stdout)
    pictured = [family for family in FAMILIES if family.world is not None]
    assert {row["scene"] for row in listed} == {family.id for family in pictured}
    assert len(listed) == len(pictured) * 20
    row = next(row for row in listed if row["task"] == "kitchen_person_bench__full__yaw60_LR")
    assert (row["category"], row["event"], row["look"], row["side"]) == ("sit", "full", "look_away", "right")
    assert "19 of 28 families have no picture" in done.stderr
    assert all(family.id in done.stderr for family in FAMILIES if family.world is None)
    table = call("suite", "tasks", "natural").stdout
    assert "kitchen_person_bench__full__yaw60_LR" in table.replace("\n", "")


def test_each_layout_has_its_family() -> None:
    from lookaway.worlds import LAYOUTS

    assert {family.world.layout for family in FAMILIES if family.world} == set(LAYOUTS.names())


def test_without_the_extra_it_says_what_to_install_or_to_attach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "missing", lambda extra: ["mujoco"] if extra == "worlds" else [])
    done = call("run", "--suite", "natural", "--models", "frozen", "--out", str(tmp_path / "run"))
    assert done.returncode == 2
    assert "pip install 'lookaway[worlds]'" in done.stderr
    assert "lookaway suite attach natural --frames DIR" in done.stderr
