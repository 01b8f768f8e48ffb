"""Replies made to cost time or a crash: each is read in time that grows with its length, and none is too deep."""

from __future__ import annotations

import time

import pytest

from lookaway.judges.estimators.structured import read, structured
from lookaway.judges.estimators.votes import vote
from tests.judges.replies import FORM
from tests.judges.test_structured import ROWS

LARGEST = 1_000_000
UNITS = {
    "open thoughts": "<think>",
    "closed thoughts": "</think>",
    "thoughts": "<think>a</think>",
    "mixed thoughts": "<think></thinking><thinking>",
    "braces": "{",
    "brackets": "[",
    "closing": "}]",
    "nested lists": '{"a":[',
    "empty lists": "[],",
    "fences": "```json\n",
    "backticks": "`",
    "digits": "7",
    "numbers": "1 ",
    "backslashes": "\\",
    "escaped quotes": '\\"',
    "escaped apostrophes": "\\'",
    "quotes": '"',
    "apostrophes": "'",
    "both quotes": "\"'",
    "commas": ",",
    "commas and spaces": ",   ",
    "spaces": " ",
    "newlines": "\n",
    "tabs": "\t",
    "letters": "a",
    "words": "yes and no ",
    "punctuation": "*_!",
    "cannot tell": "can't ",
    "fields": '"a": 1, ',
}
HEADS = {"alone": "", "in a string": '{"', "in a quote": "{'", "after a fence": "```"}


def seconds(text: str) -> float:
    start = time.process_time()
    vote(text)
    structured([(text, "complete"), (text, "unknown")], FORM)
    return time.process_time() - start


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_reading_takes_time_in_proportion_to_the_reply(head: str, unit: str) -> None:
    short, long = (head + unit * (size // len(unit)) for size in (5_000, 20_000))
    base = min(seconds(short) for _ in range(2))
    took = min(seconds(long) for _ in range(2))
    assert took < max(8 * base, 0.03), f"four times the length took {took / base:.1f} times as long"


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_a_megabyte_is_read_within_a_second(unit: str) -> None:
    text = "{" + unit * ((LARGEST - 1) // len(unit))
    for way in (vote, lambda text: read(text, "complete", FORM)):
        start = time.process_time()
        way(text)
        assert time.process_time() - start < 1.0


def many_fields(count: int) -> str:
    return "{" + ", ".join(f'"a{number}": 1' for number in range(count)) + "}"


def test_an_object_of_many_fields_is_read_at_once() -> None:
    start = time.process_time()
    reading = read(many_fields(50_000), "complete", FORM)
    assert time.process_time() - start < 1.0
    assert len(getattr(reading, "reason", "")) < 2000, "the reason does not grow with the reply"


@pytest.mark.parametrize("depth", [40, 300, 900, 40_000])
@pytest.mark.parametrize(("before", "after"), [("[", "]"), ('{"a":', "}")], ids=["lists", "objects"])
def test_brackets_however_deep_are_no_crash(depth: int, before: str, after: str) -> None:
    deep = before * depth + "1" + after * depth
    rows = f'{{"answers": [{{"id": {deep}}}]}}'
    for text in (deep, deep[: len(deep) // 2], f'{{"seen": "a", "gone": {deep}}}', rows):
        for form in (FORM, ROWS):
            assert structured([(text, "complete")], form).status == "invalid"
        assert vote(text) == "invalid"


@pytest.mark.parametrize("size", [200_000, 2_000_000])
def test_a_reply_too_long_to_read_is_invalid_and_says_so(size: int) -> None:
    text = '{"seen": "' + "a" * size + '", "gone": true}'
    reading = structured([(text, "complete")], FORM)
    assert reading.status == "invalid"
    assert "that are read" in reading.reason
    assert vote("No. " + "a" * size) == "invalid"


def test_long_thoughts_before_a_short_answer_are_no_obstacle() -> None:
    assert vote("<think>" + "Is it yes? " * 50_000 + "</think> No.") == "no"
