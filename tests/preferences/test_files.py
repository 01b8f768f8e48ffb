"""The files are what trainers of preferences load: text columns prompt, chosen and rejected, in both formats alike."""

from __future__ import annotations

import io
import json
from pathlib import Path

import polars as pl
import pytest

from lookaway.preferences import mining
from lookaway.preferences.axes import PairRules
from lookaway.preferences.export import COUNTS, JSON_LINES, PARQUET, all_files, counts, files, why_none
from lookaway.preferences.mining import MinedPairs
from tests.analyses.simulated_scores import simulated
from tests.preferences.test_mining import of_two, pairs_of

TEXT = ("prompt", "chosen", "rejected", "first_frame", "axis")


@pytest.fixture(scope="module")
def found() -> MinedPairs:
    return pairs_of(simulated(1, families=1))


def test_json_lines_and_parquet_read_back_as_the_same_pairs(found: MinedPairs) -> None:
    made = files(found.pairs)
    assert found.pairs.height > 100
    assert pl.read_parquet(io.BytesIO(made[PARQUET])).equals(found.pairs)
    lines = [json.loads(line) for line in made[JSON_LINES].decode().splitlines()]
    assert lines == found.pairs.to_dicts()


def test_a_trainer_finds_its_columns_by_another_reader(found: MinedPairs, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from pyarrow import json as arrow_json
    from pyarrow import parquet, types

    for name, data in files(found.pairs).items():
        (tmp_path / name).write_bytes(data)
    tables = {JSON_LINES: arrow_json.read_json, PARQUET: parquet.read_table}
    for name, read in tables.items():
        table = read(tmp_path / name)
        assert table.num_rows == found.pairs.height
        for column in TEXT:
            kind = table.schema.field(column).type
            assert types.is_string(kind) or types.is_large_string(kind), (name, column, kind)
            assert table.column(column).null_count == 0
        assert types.is_struct(table.schema.field("evidence").type)
        assert table.column("chosen").to_pylist() == found.pairs["chosen"].to_list()
        assert table.column("margin").to_pylist() == pytest.approx(found.pairs["margin"].to_list())


def test_the_counts_tell_what_was_removed_and_by_which_rules() -> None:
    found = pairs_of(of_two({"visible_state": 1.0, "judged_support": 0.0}, {}))
    rules = PairRules(margins={"visible_state": 0.25}, most=4)
    told = json.loads(all_files(found, rules)[COUNTS])
    (state,) = [one for one in told["axes"] if one["axis"] == "visible_state"]
    assert state == {"axis": "visible_state", "pairs": 0, "removed": {mining.SKIPPED: 1}, "unread": {}}
    assert told["rules"]["margins"]["visible_state"] == 0.25
    assert told["rules"]["most"] == 4


def test_clips_without_a_number_are_counted_by_their_fate() -> None:
    found = pairs_of(of_two({"visible_state": None}, {}))
    (state,) = [one for one in counts(found) if one.axis == "visible_state"]
    assert (state.pairs, state.removed, state.unread) == (0, {}, {"abstained": 1})


def test_without_pairs_there_is_no_file_of_them_and_a_reason() -> None:
    equal = pairs_of(of_two({}, {}))
    assert list(all_files(equal, PairRules())) == [COUNTS]
    assert why_none(counts(equal)) == f"no pair is left of 8; of 8: {mining.TOO_CLOSE}"
    alone = pairs_of(of_two({}, dict.fromkeys(simulated(0, families=1).scores["metric"].unique(), None)))
    assert "run more models or seeds" in why_none(counts(alone))
    assert "no axis was scored" in why_none([])
