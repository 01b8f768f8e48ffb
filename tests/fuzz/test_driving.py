"""The driver itself notices what it looks for: foreign errors, hangs, false verdicts, refusals without a reason."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from lookaway.errors import UsageError
from tests.fuzz.driving import Attempt, FalseVerdict, Tally, drive, inputs, take
from tests.fuzz.targets import TARGETS


def foreign(data: bytes) -> bool:
    raise KeyError("x")


def hung(data: bytes) -> bool:
    while True:
        time.sleep(0.01)


def false(data: bytes) -> bool:
    raise FalseVerdict("says yes")


def silent(data: bytes) -> bool:
    raise UsageError("")


def fine(data: bytes) -> bool:
    return True


def refused(data: bytes) -> bool:
    raise UsageError("no")


@pytest.mark.parametrize(
    ("attempt", "why"), [(foreign, "KeyError"), (hung, "more than"), (false, "says yes"), (silent, "without a reason")]
)
def test_a_fault_is_told(attempt: Attempt, why: str) -> None:
    tally = Tally()
    take(attempt, b"x", tally, longest_s=0.2)
    assert why in tally.failures[0]
    assert (tally.accepted, tally.refused, tally.spoilt) == (0, 0, [b"x"])


def test_what_is_taken_and_what_is_refused_is_counted() -> None:
    tally = Tally()
    for attempt in (fine, refused, fine):
        take(attempt, b"x", tally)
    assert (tally.inputs, tally.accepted, tally.refused, tally.failures) == (3, 2, 1, [])


def test_the_same_seed_spoils_the_same_way_and_another_does_not() -> None:
    target = TARGETS["seal"]
    assert list(inputs(target, 1, 20)) == list(inputs(target, 1, 20))
    assert list(inputs(target, 1, 20)) != list(inputs(target, 2, 20))


def test_a_parser_that_trusts_what_it_reads_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A camera script read without its checks."""
    from lookaway.geometry import parsing

    monkeypatch.setattr(parsing, "_number", float)
    assert drive(TARGETS["camera_script"], 0, 400, tmp_path).failures
