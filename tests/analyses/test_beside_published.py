"""Systems of a run stand below the printed rows, in the paper's columns, with their own numbers."""

from __future__ import annotations

from lookaway.analyses.beside_published import beside_published
from lookaway.analyses.own_rows import OURS
from lookaway.analyses.profile import profile
from lookaway.outcomes import Abstain
from lookaway.published import read_paper
from lookaway.records import Table
from tests.analyses.simulated_scores import KINDS, PROTOCOL, changed, simulated

WHAT = simulated(3, families=6)


def tables() -> dict[str, Table]:
    made = beside_published(WHAT)
    assert not isinstance(made, Abstain)
    return {table.name: table for table in made}


def test_every_printed_row_stays_as_printed_and_is_marked() -> None:
    printed = read_paper("wrbench").rows["table2"]
    table = tables()["published-table2-wrbench"]
    theirs = [row for row in table.rows if row.group != OURS]
    assert [row.title for row in theirs] == [row.title for row in printed]
    for row, line in zip(theirs, printed, strict=True):
        for cell, column in zip(row.cells, table.columns, strict=True):
            assert cell.reason if not line.has(column.name) else cell.value == line.number(column.name)
            assert cell.reason or "published" in cell.marks


def test_systems_of_the_run_have_the_numbers_of_its_profile() -> None:
    table = tables()["published-table2-wrbench"]
    mine = {row.title.partition(" ")[0]: row for row in table.rows if row.group == OURS}
    assert len(mine) == len(KINDS)
    own, *_ = profile(WHAT)
    for row in own.rows:
        # The profile has the same dimensions in the same order, then the average of rounded columns.
        numbers = [cell.value for cell in row.cells[:9]]
        assert [cell.value for cell in mine[row.title].cells] == numbers
        assert not any("published" in cell.marks for cell in mine[row.title].cells)


def test_events_and_actions_of_the_run_are_pooled_over_its_systems() -> None:
    made = tables()
    events = [row for row in made["published-table8-wrbench"].rows if row.group == OURS]
    assert {row.title for row in events} == {"none", "spatial", "state_only", "full"}
    clips = {task.id for task in WHAT.tasks.values() if task.event == "spatial"}
    (spatial,) = [row for row in events if row.title == "spatial"]
    assert spatial.cells[0].n == len(clips) * len(KINDS)
    assert len(spatial.cells) == len(made["published-table8-wrbench"].columns)


def test_a_gap_is_relocation_minus_change_in_place() -> None:
    rows = [row for row in tables()["published-table4-wrbench"].rows if row.group == OURS]
    for moved, in_place, gap in (row.cells for row in rows):
        assert gap.value is None or abs(gap.value - (moved.value - in_place.value)) < 1e-9
    assert any(gap.value is not None for _, _, gap in (row.cells for row in rows))


def test_a_protocol_without_a_printed_paper_has_nothing_beside_it() -> None:
    assert isinstance(
        beside_published(changed(WHAT, protocol=PROTOCOL.model_copy(update={"name": "diorama"}))), Abstain
    )
