"""A snapshot reads every stage once and goes on telling what it read."""

from __future__ import annotations

from pathlib import Path

import pytest

from lookaway.records import Label
from lookaway.store import Run, snapshot


def label(value: float) -> Label:
    return Label(rater="r", study="s", items=("a",), axis="state", value=value)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    made = Run(tmp_path)
    write(made, "one", 1.0)
    write(made, "two", 2.0)
    return made


def write(run: Run, key: str, value: float, attempt: int = 0) -> None:
    with run.writer("labels") as writer:
        writer.append(key, "", label(value), attempt)


def test_what_is_written_later_is_not_in_it(run: Run) -> None:
    still = snapshot(run)
    before = (still.latest("labels", Label), still.done("labels"), still.table("labels", Label))
    write(run, "one", 9.0, attempt=1)
    write(run, "three", 3.0)
    assert set(run.latest("labels", Label)) == {"one", "two", "three"}
    assert still.latest("labels", Label) == before[0] == {"one": label(1.0), "two": label(2.0)}
    assert still.done("labels") == before[1]
    assert still.table("labels", Label).equals(before[2])


def test_tables_without_some_columns_are_tables_of_their_own(run: Run) -> None:
    still = snapshot(run)
    assert "axis" in still.table("labels", Label).columns
    assert "axis" not in still.table("labels", Label, without=["axis"]).columns


def test_a_snapshot_of_a_snapshot_is_itself(run: Run) -> None:
    still = snapshot(run)
    assert snapshot(still) is still


def test_records_by_key_are_the_newest_of_those_keys(run: Run) -> None:
    write(run, "two", 5.0, attempt=1)
    for read in (run, snapshot(run)):
        assert read.latest("labels", Label, {"two", "nowhere"}) == {"two": label(5.0)}
        assert read.latest("labels", Label, set()) == {}
