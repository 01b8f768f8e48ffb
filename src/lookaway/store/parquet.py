"""Logs as polars tables: flat records read at full speed, nested fields kept as JSON text."""

from __future__ import annotations

import io
import json
import re
import types
import typing
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import polars as pl
from polars.datatypes import DataType, DataTypeClass

from lookaway.errors import StoreError
from lookaway.records import Record
from lookaway.store.blobs import file_sha256, fsync, holds
from lookaway.store.logs import json_lines

NESTED = "\x1f"  # marks JSON text in a string column; never occurs in a name or a reason

Dtype = DataType | DataTypeClass

ENVELOPE: dict[str, Dtype] = {"key": pl.String, "inputs": pl.String, "attempt": pl.Int64}


def schema(kind: type[Record]) -> dict[str, Dtype]:
    """Column types of a record; fields that are neither scalars nor lists of text become JSON text."""
    hints = typing.get_type_hints(kind)
    columns = {name: _dtype(hints[name]) for name in kind.model_fields}
    return ENVELOPE | columns


def is_flat(kind: type[Record]) -> bool:
    hints = typing.get_type_hints(kind)
    return all(_is_scalar(hints[n]) or hints[n] == tuple[str, ...] for n in kind.model_fields)


def read(parquets: list[Path], logs: list[Path], kind: type[Record], without: Collection[str] = ()) -> pl.DataFrame:
    """One row per key, the highest attempt, in the order written; `without` these columns."""
    columns = schema(kind)
    left = [name for name in columns if name not in without]
    parts = [_read_parquet(path, columns, left) for path in parquets]
    parts += [_read_log(path, kind, columns).select(left) for path in logs]
    table = pl.concat(parts) if parts else pl.DataFrame(schema={name: columns[name] for name in left})
    compacted = not logs and len(parquets) == 1
    if compacted or table["key"].n_unique() == table.height:
        return table
    return table.sort("attempt", maintain_order=True).unique("key", keep="last", maintain_order=True)


def write(table: pl.DataFrame, folder: Path) -> Path:
    """A table as a Parquet file named by its content, once it is known to read back."""
    temporary = folder / "compacting.incoming"
    try:
        table.write_parquet(temporary, compression="zstd")
        back = pl.read_parquet(temporary, columns=["key", "attempt"])
    except pl.exceptions.PolarsError as error:
        raise StoreError(f"{temporary}: cannot be written ({error}); no line was lost") from error
    if not back.equals(table.select("key", "attempt")):
        temporary.unlink()
        raise StoreError(f"{temporary}: does not read back as it was written; no line was lost. See to the disk")
    fsync(temporary)
    target = folder / f"{file_sha256(temporary)}.parquet"
    temporary.replace(target)
    fsync(folder)
    return target


def parquet_rows(path: Path, wanted: Mapping[str, str | int]) -> Iterator[dict[str, Any]]:
    """The lines of a compacted log that have the wanted values."""
    try:
        for row in _parquet(path, wanted).iter_rows(named=True):
            yield {name: json.loads(v[1:]) if isinstance(v, str) and v[:1] == NESTED else v for name, v in row.items()}
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, error) from error


def _read_parquet(path: Path, columns: dict[str, Dtype], left: Sequence[str]) -> pl.DataFrame:
    table = _parquet(path, {}, left)
    if dict(pl.read_parquet_schema(path)) != dict(pl.Schema(columns)):
        raise StoreError(f"{path}: its columns are others; was it written by another version of lookaway? Restore it")
    return table


def _parquet(path: Path, wanted: Mapping[str, str | int], left: Sequence[str] | None = None) -> pl.DataFrame:
    """The rows that have the wanted values, and of a log that has them all, the columns that are left."""
    try:
        if re.fullmatch("[0-9a-f]{64}", path.stem) and not holds(path, path.stem):
            raise StoreError(
                f"{path}: damaged, its content is not what its name says; restore it, or delete it and make again "
                "what it held with the same command as before"
            )
        known = [name for name in left or () if name in pl.read_parquet_schema(path)] or None
        table = pl.scan_parquet(path).filter(**wanted).collect() if wanted else pl.read_parquet(path, columns=known)
    except FileNotFoundError:
        raise
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(path, error) from error
    if any(table.schema.get(name) != kind for name, kind in ENVELOPE.items()):
        raise StoreError(f"{path}: not a compacted log, it lacks key, inputs or attempt; restore it or take it away")
    return table


def _unreadable(path: Path, error: Exception) -> StoreError:
    why = str(error).partition("\n")[0]
    return StoreError(f"{path}: not a readable Parquet file ({why}); restore it, or delete it and run again")


def _read_log(path: Path, kind: type[Record], columns: dict[str, Dtype]) -> pl.DataFrame:
    try:
        table = _flat_log(path, columns) if is_flat(kind) else _nested_log(path, columns)
        empty = [name for name in _required(kind) if table[name].null_count()]
    except (pl.exceptions.PolarsError, TypeError, KeyError) as error:
        _name_bad_line(path)
        why = str(error).partition("\n")[0]
        raise StoreError(f"{path}: not a log of {kind.__name__} ({why}); restore the file") from error
    if empty:
        _name_bad_line(path)
        raise StoreError(f"{path}: not a log of {kind.__name__}, a line has no {empty[0]}; restore the file")
    return table


def _name_bad_line(path: Path) -> None:
    """Raise what is wrong with the first line that is not one of any log, if there is one."""
    for _ in json_lines(path):
        pass


def _required(kind: type[Record]) -> list[str]:
    hints = typing.get_type_hints(kind)
    fields = [
        name for name, field in kind.model_fields.items() if field.is_required() and _bare(hints[name]) is hints[name]
    ]
    return [*ENVELOPE, *fields]


def _nested_log(path: Path, columns: dict[str, Dtype]) -> pl.DataFrame:
    rows = [{n: _cell(value, columns[n]) for n, value in line.items()} for line in json_lines(path)]
    return pl.DataFrame(rows, schema=columns)


def _flat_log(path: Path, columns: dict[str, Dtype]) -> pl.DataFrame:
    whole = _without_torn_line(path)
    if whole is not None and not whole:
        return pl.DataFrame(schema=columns)
    return pl.read_ndjson(path if whole is None else io.BytesIO(whole), schema=columns)


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
