from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from lookaway import records
from lookaway.records import Record, Reply, Score, Task
from lookaway.store import Run, parquet
from tests.store.store_records import a_score, a_task

KINDS = [
    kind
    for kind in vars(records).values()
    if isinstance(kind, type) and issubclass(kind, Record) and kind is not Record
]


def test_scores_have_typed_columns() -> None:
    columns = parquet.schema(Score)
    assert columns["value"] == pl.Float64
    assert columns["seed"] == columns["version"] == columns["attempt"] == pl.Int64
    assert columns["status"] == columns["gate"] == columns["reason"] == pl.String
    assert columns["evidence"] == pl.List(pl.String)
    assert parquet.is_flat(Score)


def test_nested_fields_are_text() -> None:
    columns = parquet.schema(Task)
    assert columns["subjects"] == columns["phases"] == columns["world"] == pl.String
    assert columns["moves"] == pl.Boolean
    assert columns["hfov_deg"] == pl.Float64
    assert columns["tags"] == pl.List(pl.String)
    assert not parquet.is_flat(Task)
    assert not parquet.is_flat(Reply), "a list of numbers is no list of text"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_record_has_a_table_even_when_nothing_was_written(kind: type[Record], tmp_path: Path) -> None:
    table = Run(tmp_path).table("log", kind)
    assert table.height == 0
    assert table.columns == ["key", "inputs", "attempt", *kind.model_fields]
    assert Run(tmp_path).latest("log", kind) == {}


def test_a_nested_value_reads_as_json_behind_its_mark(tmp_path: Path) -> None:
    with Run(tmp_path).writer("tasks") as writer:
        writer.append("a", "", a_task())
        writer.append("b", "", a_task(world=None))
    table = Run(tmp_path).table("tasks", Task)
    nested, missing = table["world"].to_list()
    assert nested.startswith(parquet.NESTED)
    assert json.loads(nested[len(parquet.NESTED) :])["seed"] == 3
    assert missing is None
    assert table["prompt"][0] == a_task().prompt


def test_logs_of_several_writers_are_one_table_in_the_order_written(tmp_path: Path) -> None:
    for part in ("ab", "cd"):
        with Run(tmp_path).writer("scores") as writer:
            for key in part:
                writer.append(key, "", a_score(task=key, value=None, status="failed", reason="bug"))
    (tmp_path / "logs" / "scores" / "0-empty.jsonl").touch()
    table = Run(tmp_path).table("scores", Score)
    assert table["key"].to_list() == list("abcd")
    assert table["value"].null_count() == 4
