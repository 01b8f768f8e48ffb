"""Tables that people fill in: csv, or xlsx with the extra `sheets`."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from lookaway import extras
from lookaway.arrays import BAD_ZIP
from lookaway.errors import MissingExtra, SuiteError
from lookaway.limits import MB, RELEASE_BYTES, SHEET_ROWS

Row = dict[str, str]
# What openpyxl raises for workbooks whose parts are not as it expects them.
_UNREADABLE = (*BAD_ZIP, IndexError, TypeError, AttributeError, OverflowError, SyntaxError)


def sheet_rows(path: Path) -> list[tuple[int, Row]]:
    """Line and cells of every row that is not empty, by the names in the first line: small letters, no space around.

    Of a workbook the first sheet is read. Whole numbers have no decimal point, however they are stored.
    """
    lines = _workbook(path) if path.suffix.lower() == ".xlsx" else _comma_separated(path)
    head = [name.strip().lower() for name in next(lines, [])]
    found = [(number, _named(head, cells)) for number, cells in enumerate(lines, 2)]
    return [(number, row) for number, row in found if any(row.values())]


def lacking(rows: Sequence[tuple[int, Row]], columns: Iterable[str]) -> list[str]:
    """Of these columns, those that a table has not; none where it has no rows."""
    return [name for name in columns if rows and name not in rows[0][1]]


def whole_number(text: str) -> int | None:
    """`12`, `012` and `12.0` -> 12; None for what is no whole number of at most nine digits."""
    number = text.strip().removesuffix(".0")
    return int(number) if number.isascii() and number.isdigit() and len(number) <= 9 else None


def _named(head: Sequence[str], cells: Sequence[str]) -> Row:
    return {name: cell.strip() for name, cell in zip(head, [*cells, *[""] * len(head)], strict=False) if name}


def _comma_separated(path: Path) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text_of(path)))
    except csv.Error as error:
        raise SuiteError(f"{path}: not a csv file ({error})") from error


def _workbook(path: Path) -> Iterator[list[str]]:
    if extras.missing("sheets"):
        raise MissingExtra("sheets", str(path), "; or save it as csv beside it")
    from openpyxl import load_workbook

    try:
        if path.stat().st_size > RELEASE_BYTES:
            raise SuiteError(f"{path}: larger than {RELEASE_BYTES // MB} MB")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and checks that a reader of cells does not need
            book = load_workbook(path, read_only=True, data_only=True)
            sheet = book.worksheets[0]
            yield from [[_text(cell) for cell in row] for row in islice(sheet.iter_rows(values_only=True), SHEET_ROWS)]
            book.close()
    except _UNREADABLE as error:
        raise SuiteError(f"{path}: not a readable xlsx file ({error}); save it again, or as csv") from error


def _text(cell: object) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell)


def text_of(path: Path) -> str:
    """A text file, of a size that a release's or a user's has."""
    try:
        if path.stat().st_size > RELEASE_BYTES:
            raise SuiteError(f"{path}: larger than {RELEASE_BYTES // MB} MB")
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise SuiteError(f"{path}: cannot read it: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SuiteError(f"{path}: not UTF-8 text ({error.reason})") from error
