"""Records refuse what would mislead."""

from __future__ import annotations

import inspect

import pytest
from pydantic import ValidationError

from lookaway.records import CaseId, Cell, Clip, Interval, Record, Score, Step, content_key
from tests.builders import task

SCORE = {
    "task": "t",
    "system": "s",
    "seed": 0,
    "protocol": "p",
    "metric": "m",
    "variant": "sound",
    "version": 1,
    "instrument": "i",
    "phase_source": "measured",
    "subject": "x",
}


@pytest.mark.parametrize(
    ("facts", "complaint"),
    [
        ({"status": "ok"}, "a value exactly when it is ok"),
        ({"status": "abstained", "value": 0.0, "reason": "why"}, "a value exactly when it is ok"),
        ({"status": "abstained"}, "needs a reason"),
        ({"status": "gated", "reason": "why"}, "name their gate"),
        ({"status": "ok", "value": float("nan")}, "finite number"),
        ({"status": "ok", "value": 1.0, "colour": "red"}, "Extra inputs"),
    ],
)
def test_a_score_is_a_number_or_a_reason(facts: dict, complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        Score(**SCORE, **facts)


def test_equal_content_has_an_equal_key_whatever_the_order() -> None:
    assert content_key({"a": 1, "b": [1, 2]}) == content_key({"b": [1, 2], "a": 1})
    assert content_key("ab", "c") != content_key("a", "bc")


def test_a_changed_prompt_or_first_frame_is_another_instance() -> None:
    assert task().instance == task().instance
    assert task(prompt="Other.").instance != task().instance
    assert task(first_frame="1" * 64).instance != task().instance


@pytest.mark.parametrize(
    ("moves", "changes", "event"),
    [(False, False, "none"), (True, False, "spatial"), (False, True, "state_only"), (True, True, "full")],
)
def test_events_fill_the_two_by_two(moves: bool, changes: bool, event: str) -> None:
    assert task(moves=moves, changes_in_place=changes).event == event


def test_a_case_survives_its_own_name() -> None:
    for case in (CaseId(task="a", system="m@2", seed=3), CaseId(task="a", system="m", branch="watching")):
        assert CaseId.parse(str(case)) == case
    with pytest.raises(ValueError, match="is not task/system/seed"):
        CaseId.parse("a/b")


def test_an_interval_cannot_run_backwards() -> None:
    with pytest.raises(ValidationError, match="before it starts"):
        Interval(phase="hidden", start_s=2, end_s=1)


@pytest.mark.parametrize(
    ("bounds", "why"),
    [({}, "give at_least, at_most or both"), ({"at_least": 0.9, "at_most": 0.8}, "nothing reaches it")],
)
def test_a_ledger_step_has_bounds_that_something_can_reach(bounds: dict, why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        Step(name="right", metric="m", **bounds)


def test_a_ledger_step_says_how_it_was_missed() -> None:
    assert Step(name="right", metric="m", at_most=0.08).miss(0.1) == "above 0.08"
    band = Step(name="right", metric="m", at_least=0.75, at_most=1.34)
    assert (band.miss(0.5), band.miss(2.0)) == ("below 0.75", "above 1.34")


@pytest.mark.parametrize("record", [Clip, Score, Cell], ids=lambda record: record.__name__)
def test_every_field_says_what_it_is_where_it_stands(record: type[Record]) -> None:
    """In its description, or in a comment on its line."""
    lines = inspect.getsource(record).splitlines()
    for name, field in record.model_fields.items():
        (line,) = [line for line in lines if line.startswith(f"    {name}:")]
        assert field.description or "  # " in line, f"{record.__name__}.{name}"
