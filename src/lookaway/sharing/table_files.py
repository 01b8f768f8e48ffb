"""The tables of a board in one of the formats that people and programs read."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence

import polars as pl

from lookaway.records import Table
from lookaway.reports.drawing.csv import csv_table
from lookaway.reports.drawing.latex import latex_table
from lookaway.reports.drawing.markdown import markdown_table


def table_file(tables: Sequence[Table], format: str) -> bytes:
    """All tables in one file; CSV and Parquet hold a line for every cell."""
    return FORMATS[format](tables)


def _csv(tables: Sequence[Table]) -> bytes:
    texts = [csv_table(table) for table in tables]
    return "".join([*texts[:1], *(text.partition("\r\n")[2] for text in texts[1:])]).encode()


def _json(tables: Sequence[Table]) -> bytes:
    return (
        json.dumps([table.model_dump(mode="json") for table in tables], ensure_ascii=False, indent=1) + "\n"
    ).encode()


def _parquet(tables: Sequence[Table]) -> bytes:
    heads, *rows = csv.reader(io.StringIO(_csv(tables).decode(), newline=""))
    lines = pl.DataFrame(rows, schema=dict.fromkeys(heads, pl.String), orient="row")
    numbers = ("value", "low", "high", "measured_low", "measured_high")
    counts = ("n", "total", "row_level", "column_digits")
    typed = lines.with_columns(
        *(pl.col(name).replace("", None).cast(pl.Float64) for name in numbers),
        *(pl.col(name).replace("", None).cast(pl.Int64) for name in counts),
    )
    file = io.BytesIO()
    typed.write_parquet(file)
    return file.getvalue()


FORMATS: dict[str, Callable[[Sequence[Table]], bytes]] = {
    "latex": lambda tables: "\n".join(map(latex_table, tables)).encode(),
    "markdown": lambda tables: "\n".join(map(markdown_table, tables)).encode(),
    "csv": _csv,
    "json": _json,
    "parquet": _parquet,
}
