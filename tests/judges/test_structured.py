"""Structured replies: the ladder of repairs, exact counts, one more try, then invalid."""

from __future__ import annotations

import json

import pytest

from lookaway.judges.estimators.structured import (
    FormValues,
    may_ask_again,
    read,
    row_values,
    second_prompt,
    structured,
    with_seconds,
)
from lookaway.judges.prompting.forms import Field, Form, Rows, instructions, json_schema
from tests.judges.made import frames

FORM = Form(
    kind="structured",
    fields=(Field(name="seen", kind="text", says="what"), Field(name="gone", kind="boolean", says="whether")),
    decided_by=("gone",),
)
ROWS = Form(
    kind="structured",
    rows=Rows(name="answers", of="questions", fields=(Field(name="answer", kind="boolean", says="it"),)),
)
WHOLE = '{"seen": "it rolls", "gone": true}'


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        (WHOLE, ()),
        (f"```json\n{WHOLE}\n```", ("fences",)),
        (f"Sure: {WHOLE} Done.", ("prose around it",)),
        ("{'seen': 'it rolls', 'gone': True,}", ("commas, quotes or literals",)),
        ('{"seen": "it rolls", "gone": true', ("missing brackets",)),
        (
            "```\n{'seen': 'it rolls', 'gone': True",
            ("prose around it", "commas, quotes or literals", "missing brackets"),
        ),
    ],
)
def test_each_rung_reads_the_same_object_and_is_told(text: str, repairs: tuple[str, ...]) -> None:
    reading = read(text, "complete", FORM)
    assert isinstance(reading, FormValues), reading
    assert reading.values == {"seen": "it rolls", "gone": True}
    assert reading.repairs == repairs


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (WHOLE + WHOLE, "more than one"),
        ('{"seen": "a", "gone": true, "gone": false}', "given twice: gone"),
        ('{"seen": "a", "gone": "true"}', "gone is no boolean"),
        ('{"seen": "a", "gone": 1}', "gone is no boolean"),
        ('{"seen": "a"}', "field gone is missing"),
        ('{"seen": "a", "gone": true, "sure": true}', "unknown field sure"),
        ('{"seen": "it rol', ""),
        ('["seen"]', "not an object"),
        ("Yes", ""),
    ],
)
def test_what_does_not_keep_the_form_is_not_read(text: str, reason: str) -> None:
    reading = read(text, "complete", FORM)
    assert not isinstance(reading, FormValues)
    assert reason in reading.reason


def test_a_number_at_a_torn_end_may_have_lost_digits() -> None:
    counted = Form(kind="structured", fields=(Field(name="count", kind="integer", says="how many"),))
    assert isinstance(read('{"count": 12}', "complete", counted), FormValues)
    assert not isinstance(read('{"count": 1', "complete", counted), FormValues)


def test_rows_are_matched_by_id_and_counted() -> None:
    form = ROWS.with_ids(["1", "2"])
    good = {"answers": [{"id": "1", "answer": True}, {"id": "2", "answer": False}]}
    made = structured([(json.dumps(good), "complete")], form)
    assert row_values(made.fields, form, "answer") == {"1": True, "2": False}
    assert made.choice is None
    for ids in (["1"], ["1", "1"], ["2", "1"], ["1", "2", "3"], ["1", "3"]):
        rows = {"answers": [{"id": i, "answer": True} for i in ids]}
        assert structured([(json.dumps(rows), "complete")], form).status == "invalid", ids


def test_one_more_try_then_invalid_and_never_a_default() -> None:
    bad, good = ('{"gone": true}', "complete"), (WHOLE, "complete")
    assert may_ask_again([bad], FORM) == "field seen is missing"
    assert may_ask_again([good], FORM) is None
    assert may_ask_again([bad, bad], FORM) is None
    assert structured([bad, good], FORM).choice == "yes"
    failed = structured([bad, ("No.", "complete"), good], FORM)
    assert (failed.status, failed.choice, failed.fields) == ("invalid", None, {})
    assert failed.reason.startswith("field seen is missing | then: ")
    assert second_prompt("Ask.", "field seen is missing").startswith("Ask.\n")


def test_any_one_fault_decides() -> None:
    faults = Form(
        kind="structured",
        fields=tuple(Field(name=n, kind="boolean", says=n) for n in ("cut", "jump")),
        decided_by=("cut", "jump"),
    )
    said = {(a, b): structured([(json.dumps({"cut": a, "jump": b}), "complete")], faults).choice
            for a in (True, False) for b in (True, False)}  # fmt: skip
    assert said == {(True, True): "yes", (True, False): "yes", (False, True): "yes", (False, False): "no"}


def test_schema_and_words_name_every_field_and_every_row() -> None:
    form = ROWS.with_ids(["1", "2"])
    schema = json_schema(form)["properties"]["answers"]
    assert (schema["minItems"], schema["maxItems"]) == (2, 2)
    assert schema["items"]["properties"]["id"]["enum"] == ["1", "2"]
    assert json_schema(FORM)["required"] == ["seen", "gone"]
    assert json_schema(FORM)["additionalProperties"] is False
    assert '"gone": true or false; whether' in instructions(FORM)
    assert "in this order: 1, 2" in instructions(form)


def test_rows_about_frames_carry_the_seconds_of_their_frames() -> None:
    field = Field(name="there", kind="boolean", says="whether")
    form = Form(kind="structured", rows=Rows(name="frames", of="frames", fields=(field,))).with_ids(["1", "2", "3"])
    values = {"frames": [{"id": row, "there": row != "2"} for row in ("1", "2", "3")]}
    expected = [
        {"id": "1", "there": True, "seconds": 0.0},
        {"id": "2", "there": False, "seconds": 0.5},
        {"id": "3", "there": True, "seconds": 1.0},
    ]
    shown = frames(3)
    assert with_seconds(values, form, shown) == {"frames": expected}
    assert with_seconds(values, form, (shown[2], *shown)) == {"frames": expected}, "a reference frame has no row"
    assert values["frames"][0] == {"id": "1", "there": True}, "nothing is changed in place"
    for wrong in (shown[:2], shown + shown[:2]):
        with pytest.raises(ValueError, match="no telling"):
            with_seconds(values, form, wrong)


def test_what_is_not_about_frames_gets_no_seconds() -> None:
    answers = {"answers": [{"id": "1", "answer": True}]}
    assert with_seconds(answers, ROWS.with_ids(["1"]), frames(3)) == answers
    assert with_seconds({"seen": "x", "gone": True}, FORM, frames(3)) == {"seen": "x", "gone": True}
    assert with_seconds({}, Form(kind="structured", rows=Rows(name="f", of="frames", fields=())), frames(3)) == {}
    with pytest.raises(ValueError, match="every row has it"):
        Rows(name="frames", of="frames", fields=(Field(name="seconds", kind="integer", says="when"),))


WRITTEN = Form(
    kind="structured",
    rows=Rows(
        name="questions",
        of="ids",
        ids=("1", "2", "3", "4"),
        balanced="good_answer",
        fields=(
            Field(name="question", kind="text", says="it"),
            Field(name="good_answer", kind="choice", says="which", options=("yes", "no")),
        ),
    ),
)


def written(answers: str) -> str:
    words = {"y": "yes", "n": "no"}
    rows = [{"id": str(n), "question": "Is it?", "good_answer": words[a]} for n, a in enumerate(answers, 1)]
    return json.dumps({"questions": rows})


def test_a_choice_that_must_be_balanced_is_asked_for_once_more_and_then_invalid() -> None:
    assert isinstance(read(written("ynyn"), "complete", WRITTEN), FormValues)
    reason = may_ask_again([(written("yyyn"), "complete")], WRITTEN)
    assert reason == "good_answer is 'yes' 3 times, 'no' 1 times, and each is wanted as often as the others"
    assert structured([(written("yyyn"), "complete"), (written("nnyy"), "complete")], WRITTEN).status == "ok"
    assert structured([(written("yyyn"), "complete")] * 2, WRITTEN).status == "invalid"
    assert "balanced" not in json.dumps(json_schema(WRITTEN)), "no server is asked for what no schema can say"


def test_only_a_choice_of_the_rows_can_be_balanced() -> None:
    with pytest.raises(ValueError, match="is no choice of the rows"):
        Rows(name="a", of="ids", balanced="b", fields=(Field(name="b", kind="text", says="it"),))
