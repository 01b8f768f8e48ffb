"""No reply crashes a parser, and no reply without a verdict is read as one."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookaway.judges.estimators.structured import FormValues, read, structured
from lookaway.judges.estimators.votes import vote
from tests.judges.replies import FORM, structured_replies, vote_replies

COUNT = 10_000


@pytest.mark.parametrize("seed", [0, 1])
def test_ten_thousand_replies_in_words_mean_what_they_were_made_to_mean(seed: int) -> None:
    read_as: Counter[str] = Counter()
    for text, meant in vote_replies(COUNT, seed):
        said = vote(text)
        read_as[said] += 1
        if meant == "?":
            assert said == "invalid" or re.search("yes|no", text, re.IGNORECASE), text
        elif meant is None:
            assert said in ("invalid", "cannot tell"), text
        else:
            assert said == meant, text
    assert min(read_as["yes"], read_as["no"], read_as["invalid"]) > COUNT / 20


@pytest.mark.parametrize("seed", [0, 1])
def test_ten_thousand_structured_replies_give_their_object_or_none(seed: int) -> None:
    kept = 0
    for text, meant in structured_replies(COUNT, seed):
        reading = read(text, "complete", FORM)
        if isinstance(reading, FormValues):
            assert reading.values == meant, text
            kept += 1
        else:
            assert reading.reason
            assert meant is None, (text, reading.reason)
    assert kept > COUNT / 4


@given(st.text())
def test_any_text_is_read_without_a_crash(text: str) -> None:
    assert vote(text) in ("yes", "no", "cannot tell", "invalid")
    assert structured([(text, "complete"), (text, "unknown")], FORM).status == "invalid"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Yes", "yes"),
        (" no.", "no"),
        ("**Yes**, the ball is back", "yes"),
        ("No, the ball is not there", "no"),
        ("The answer is: no", "no"),
        ("Yes and no", "invalid"),
        ("Yes, it is not there", "invalid"),
        ("No idea", "invalid"),
        ("No. 5 is back", "invalid"),
        ("No-one can say", "invalid"),
        ("Yes — it rolled on", "yes"),
        ("Maybe", "invalid"),
        ("", "invalid"),
        ("I think yes", "invalid"),
        ("Nothing", "invalid"),
        ("I cannot tell from these frames.", "cannot tell"),
        ("No, I cannot tell", "invalid"),
        ("Unclear.", "cannot tell"),
        ("No sé", "invalid"),
    ],
)
def test_only_a_plain_verdict_is_one(text: str, meant: str) -> None:
    assert vote(text) == meant


@pytest.mark.parametrize("finish", ["cut", "refused"])
def test_what_was_cut_could_have_ended_otherwise(finish) -> None:
    assert vote("No", finish) == "invalid"
    whole = next(text for text, meant in structured_replies(50, 0) if meant is not None and text.startswith('{"'))
    assert isinstance(read(whole, "complete", FORM), FormValues)
    assert not isinstance(read(whole, finish, FORM), FormValues)
