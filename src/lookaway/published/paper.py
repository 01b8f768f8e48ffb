"""The numbers of a paper as it prints them: every cell with its text, and every row with its source."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass

from lookaway.published.layouts import Layouts, PrintedTable, folder, load
from lookaway.records import Published

EMPTY = "NA"
ASIDE = ("group", "row", "id", "sparse", "second", "source")


@dataclass(frozen=True)
class PrintedRow:
    """One line of a printed table."""

    title: str
    group: str  # the heading above it; empty: none
    id: str  # as the release names it, or our model card; empty: neither does
    sparse: frozenset[str]  # columns with a printed dagger
    source: str
    cells: Mapping[str, str]  # column to what is printed; EMPTY where nothing is
    second: frozenset[str] = frozenset()  # columns in which it is marked as second best

    def number(self, column: str) -> float:
        return float(self.cells[column])

    def has(self, column: str) -> bool:
        return self.cells[column] != EMPTY


@dataclass(frozen=True)
class Paper:
    """All numbers of one paper, by the name of their table."""

    layouts: Layouts
    rows: Mapping[str, tuple[PrintedRow, ...]]

    def row(self, table: str, title: str) -> PrintedRow:
        (found,) = [row for row in self.rows[table] if row.title == title]
        return found


def read_paper(protocol: str) -> Paper:
    """The paper of a protocol, from the files that lookaway ships."""
    layouts = load(protocol)
    files = {f.name.removesuffix(".csv"): f for f in folder(protocol).iterdir() if f.name.endswith(".csv")}
    rows = {name.replace("_", "-"): _rows(file.read_text(encoding="utf-8")) for name, file in files.items()}
    return Paper(layouts, rows)


def _rows(text: str) -> tuple[PrintedRow, ...]:
    return tuple(map(_row, csv.DictReader(text.splitlines())))


def _row(line: dict[str, str]) -> PrintedRow:
    return PrintedRow(
        title=line["row"],
        group=line.get("group", ""),
        id=line.get("id", ""),
        sparse=frozenset(line.get("sparse", "").split()),
        source=line["source"],
        cells={name: text for name, text in line.items() if name not in ASIDE},
        second=frozenset(line.get("second", "").split()),
    )


def published(paper: Paper, table: PrintedTable) -> list[Published]:
    """Every number of a printed table, with what contradicts it."""
    return [
        Published(
            system=row.title,
            metric=column.name,
            value=_value(row.cells[column.name]),
            text=row.cells[column.name] + ("†" if column.name in row.sparse else ""),
            source=f"{paper.layouts.paper}, {table.label}: {row.source}",
            contradicts="; ".join(
                c.says for c in table.contradicted if c.row in ("", row.title) and c.column in ("", column.name)
            ),
        )
        for row in paper.rows[table.name]
        for column in table.columns
        if column.digits is not None
    ]


def _value(text: str) -> float | None:
    return None if text == EMPTY else float(text)
