"""Half-life and the pair of static return and clock, from scores whose memory ends at a known second."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from lookaway.analyses import Findings
from lookaway.analyses.half_life import half_life_table
from lookaway.analyses.return_and_clock import return_and_clock
from lookaway.outcomes import Abstain
from lookaway.records import ModelCard, Protocol, Score, Step, System, Table, TableCell, Task
from lookaway.store import parquet
from tests.analyses.test_dose import hidden
from tests.store.store_records import a_score

METRICS = ("return_identity:sound", "world_clock:sound")
PROTOCOL = Protocol(
    name="diorama",
    summary="",
    metrics=METRICS,
    headline=METRICS,
    ledger=(Step(name="same thing", metric="return_identity:sound", at_least=0.85),),
)
ENDS_S = {"short": 1.5, "long": 99.0, "none": 0.0}
DOSES = (0.5, 0.8, 1.2, 1.9, 3.0, 4.8)


def tasks() -> list[Task]:
    return [
        hidden(dose + 0.01 * scene, id=f"s{scene}-{dose}", scene=f"s{scene}") for scene in range(4) for dose in DOSES
    ]


def system(name: str, **facts: Any) -> System:
    return System(name=name, card=ModelCard(name=name, summary="", control="none", generator="x", **facts))


def findings(clock: float = 1.0, told: dict[str, int] | None = None, protocol: Protocol = PROTOCOL) -> Findings:
    asked = tasks()
    scores = [
        a_score(task=one.id, system=name, protocol="diorama", metric=metric, value=value)
        for name, ends_s in ENDS_S.items()
        for one in asked
        for metric, value in (
            ("return_identity", 0.97 if float(one.id.partition("-")[2]) < ends_s else 0.1),
            ("world_clock", clock),
        )
    ]
    rows = pl.DataFrame([score.model_dump() for score in scores], schema=parquet.schema(Score))
    systems = [
        system("short", context_s=1.5, history="last_frame", carrier="none"),
        system("long", memory_bytes=2_000_000_000),
        system("none"),
    ]
    return Findings(rows, {one.id: one for one in asked}, systems, protocol, {}, memory_bytes=told or {})


def only(tables: list[Table] | Abstain) -> Table:
    assert not isinstance(tables, Abstain)
    (table,) = tables
    return table


def cell(table: Table, title: str, name: str) -> TableCell:
    place = [column.name for column in table.columns].index(name)
    return next(row.cells[place] for row in table.rows if row.title == title)


def test_a_memory_of_a_second_and_a_half_is_found_in_seconds_and_in_context_windows() -> None:
    table = only(half_life_table(findings()))
    seconds, windows = cell(table, "short", "half_life"), cell(table, "short", "context")
    assert seconds.value == pytest.approx((1.23 * 1.9) ** 0.5)
    assert seconds.low is not None
    assert seconds.high is not None
    assert seconds.low <= 1.23 < 1.9 <= seconds.high
    assert windows.value == pytest.approx(seconds.value / 1.5)
    assert cell(table, "short", "kept").value == 0.5


def test_a_memory_that_outlasts_the_doses_has_no_number() -> None:
    table = only(half_life_table(findings()))
    assert cell(table, "long", "half_life").value is None
    assert cell(table, "long", "half_life").reason == "above 4.83, the longest asked"
    assert cell(table, "long", "interval").text == "4.83 to above 4.83"
    assert cell(table, "none", "half_life").reason == "below 0.5, the shortest asked"


def test_what_comes_back_is_told_per_gb_of_the_card_or_of_what_sessions_told() -> None:
    by_card = only(half_life_table(findings()))
    assert cell(by_card, "long", "kept_per_gb").value == pytest.approx(0.5)
    assert cell(by_card, "short", "kept_per_gb").reason
    by_session = only(half_life_table(findings(told={"long": 500_000_000, "short": 250_000_000})))
    assert cell(by_session, "long", "kept_per_gb").value == pytest.approx(2.0)
    assert cell(by_session, "short", "kept_per_gb").value == pytest.approx(2.0)


def test_without_a_threshold_in_the_ledger_nothing_is_told() -> None:
    bare = PROTOCOL.model_copy(update={"ledger": ()})
    assert isinstance(half_life_table(findings(protocol=bare)), Abstain)


@pytest.mark.parametrize(("clock", "flagged"), [(1.0, set()), (0.02, {"long"})])
def test_who_returns_perfectly_with_a_stopped_clock_is_named(clock: float, flagged: set[str]) -> None:
    table = only(return_and_clock(findings(clock)))
    assert cell(table, "long", "static_return").value == pytest.approx(0.97)
    assert cell(table, "long", "clock").value == pytest.approx(clock)
    assert {note.partition(":")[0] for note in table.notes if "hardly went on" in note} == flagged


def test_what_the_card_tells_of_memory_stands_beside_the_pair() -> None:
    table = only(return_and_clock(findings()))
    memory = ("history", "context", "carrier")
    words, seconds, carrier = (cell(table, "short", name) for name in memory)
    assert (words.text, seconds.value, carrier.text) == ("last frame", 1.5, "none")
    assert {cell(table, "long", name).reason for name in memory} == {"the model card does not tell"}
