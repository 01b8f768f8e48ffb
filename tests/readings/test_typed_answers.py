"""The fields of a structured answer are declared once and agree with the prompts that ask for them."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

import pytest

from lookaway.errors import ReadingError
from lookaway.judges import prompting
from lookaway.judges.prompting.forms import Field
from lookaway.metrics import Case
from lookaway.outcomes import Abstain
from lookaway.readings.told import FrameRow, Told, memobench, stevo, wrbench
from lookaway.readings.told.stevo import Progression
from lookaway.readings.told.wrbench import Judgeable
from lookaway.records import Answer
from tests.builders import task

MODULES = (memobench, stevo, wrbench)
DECLARED = [
    kind
    for module in MODULES
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Told) and kind.prompts
]
LISTED = [(kind, name) for kind in DECLARED for name in kind.prompts]
FIELD_KINDS: dict[Any, str] = {bool: "boolean", str: "text", int: "integer"}


def answer(**facts: Any) -> Answer:
    names = ("media", "task_instance", "question", "instrument", "instrument_key", "ask", "ask_key")
    return Answer(**(dict.fromkeys(names, "a") | facts))


def case(**answers: Any) -> Case:
    return Case(task(), None, {}, {name: {name: said} for name, said in answers.items()})


def held_to(field: Field, hint: Any) -> bool:
    """Can whatever the prompt's field may hold be read as declared?"""
    if get_origin(hint) is Literal:
        return field.kind == "choice" and set(field.options) <= set(get_args(hint))
    return field.kind == FIELD_KINDS[hint]


def check(kind: type[Told], fields: tuple[Field, ...]) -> None:
    known = {field.name: field for field in fields}
    for name, info in kind.model_fields.items():
        if name not in ("id", "seconds"):
            assert held_to(known[name], info.annotation), f"{kind.__name__}.{name}"


@pytest.mark.parametrize(("kind", "named"), LISTED, ids=[name for _, name in LISTED])
def test_a_class_agrees_with_every_prompt_that_it_reads(kind: type[Told], named: str) -> None:
    name, variant = named.split(":")
    form = prompting.load(name, variant).form
    if form.rows is None:
        check(kind, form.fields)
        return
    (rows,) = kind.model_fields.items()
    assert rows[0] == form.rows.name
    row = get_args(rows[1].annotation)[0]
    assert issubclass(row, FrameRow) == form.rows.about_frames
    check(row, form.rows.fields)


def test_every_structured_prompt_is_read_by_one_class() -> None:
    every = [f"{name}:{variant}" for name in prompting.names() for variant in prompting.variants(name)]
    structured = [each for each in every if prompting.load(*each.split(":")).form.kind == "structured"]
    assert sorted(structured) == sorted(name for _, name in LISTED)


def test_an_answer_is_read_by_attribute() -> None:
    rows = [
        {"id": "1", "seconds": 0.0, "identifiable": True, "place": True, "state": False, "seen": "whole"},
        {"id": "2", "seconds": 0.5, "identifiable": False, "place": False, "state": False, "seen": "none"},
    ]
    told = case(judgeable=answer(status="ok", fields={"frames": rows})).told("judgeable", Judgeable)
    assert isinstance(told, Judgeable)
    assert [(frame.seconds, frame.identifiable, frame.place) for frame in told.frames] == [
        (0.0, True, True),
        (0.5, False, False),
    ]


@pytest.mark.parametrize("status", ["abstained", "invalid", "failed"])
def test_an_answer_that_is_none_gives_its_reason(status: str) -> None:
    told = case(progress=answer(status=status, reason="it is dark")).told("progress", Progression)
    assert told == Abstain("progress: it is dark")


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"before": "full", "after": "empty"}, "progressed: Field required"),
        ({"before": "full", "after": "empty", "progressed": "yes"}, "progressed: Input should be a valid boolean"),
    ],
)
def test_an_answer_of_another_form_says_what_is_wrong(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(ReadingError, match=says):
        case(progress=answer(status="ok", fields=fields)).told("progress", Progression)
