"""Logs as polars tables: flat records read at full speed, nested fields kept as JSON text."""

from __future__ import annotations

import io
import json
import types
import typing
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import polars as pl
from polars.datatypes import DataType, DataTypeClass

from lookaway.errors import StoreError
from lookaway.records import Record
from lookaway.store import json_lines

NESTED = "\x1f"  # marks JSON text in a string column; never occurs in a name or a reason

Dtype = DataType | DataTypeClass


def schema(kind: type[Record]) -> dict[str, Dtype]:
    """Column types of a record; fields that are neither scalars nor lists of text become JSON text."""
    hints = typing.get_type_hints(kind)
    columns = {name: _dtype(hints[name]) for name in kind.model_fields}
    return {"key": pl.String, "inputs": pl.String, "attempt": pl.Int64} | columns


def is_flat(kind: type[Record]) -> bool:
    hints = typing.get_type_hints(kind)
    return all(_is_scalar(hints[n]) or hints[n] == tuple[str, ...] for n in kind.model_fields)


def read(parquets: list[Path], logs: list[Path], kind: type[Record]) -> pl.DataFrame:
    """One row per key, the highest attempt, in the order written."""
    columns = schema(kind)
    parts = [_read_parquet(path) for path in parquets]
    parts += [_read_log(path, kind, columns) for path in logs]
    table = pl.concat(parts) if parts else pl.DataFrame(schema=columns)
    compacted = not logs and len(parquets) == 1
    if compacted or table["key"].n_unique() == table.height:
        return table
    return table.sort("attempt", maintain_order=True).unique("key", keep="last", maintain_order=True)


def _read_parquet(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise StoreError(f"{path}: not a readable Parquet file ({error}); restore it") from error


def _read_log(path: Path, kind: type[Record], columns: dict[str, Dtype]) -> pl.DataFrame:
    if not is_flat(kind):
        rows = [{n: _cell(value, columns[n]) for n, value in line.items()} for line in json_lines(path)]
        return pl.DataFrame(rows, schema=columns)
    whole = _without_torn_line(path)
    if whole is not None and not whole:
        return pl.DataFrame(schema=columns)
    try:
        return pl.read_ndjson(path if whole is None else io.BytesIO(whole), schema=columns)
    except pl.exceptions.PolarsError as error:
        for _ in json_lines(path):  # knows the number of the line that is not JSON
            pass
        raise StoreError(f"{path}: not a log of {kind.__name__} ({error}); restore the file") from error


def _without_torn_line(path: Path) -> bytes | None:
    """None when the file ends whole; else its bytes up to the last whole line."""
    with path.open("rb") as file:
        size = file.seek(0, io.SEEK_END)
        if size == 0:
            return b""
        file.seek(size - 1)
        if file.read(1) == b"\n":
            return None
        file.seek(0)
        data = file.read()
    return data[: data.rfind(b"\n") + 1]


def _cell(value: Any, dtype: Dtype) -> Any:
    nested = dtype == pl.String and not isinstance(value, str | None)
    return NESTED + json.dumps(value, ensure_ascii=False) if nested else value


def _is_scalar(hint: Any) -> bool:
    return _dtype(hint) != pl.String or _bare(hint) is str or get_origin(_bare(hint)) is Literal


def _bare(hint: Any) -> Any:
    if get_origin(hint) in (typing.Union, types.UnionType):
        options = [o for o in get_args(hint) if o is not type(None)]
        return options[0] if len(options) == 1 else hint
    return hint


def _dtype(hint: Any) -> Dtype:
    bare = _bare(hint)
    scalars: dict[Any, Dtype] = {
        bool: pl.Boolean,
        int: pl.Int64,
        float: pl.Float64,
        tuple[str, ...]: pl.List(pl.String),
    }
    return scalars.get(bare, pl.String)
