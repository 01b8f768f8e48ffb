"""What a paper prints, as data: which tables and figures, in which columns, and which of them have no numbers."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from typing import Literal

from lookaway.errors import UnknownName
from lookaway.records import Record, TableShape
from lookaway.tomls import read_record

FOLDER = "published"
FILE = "layouts.toml"


class PrintedColumn(Record):
    """A column of numbers or words."""

    name: str  # as in the CSV file
    title: str  # as we print it
    unit: str = ""  # of its values
    better: Literal["higher", "lower", "one", "none"] = "none"  # as in Column
    digits: int | None = None  # as printed; None for words
    missing: str = "not printed"  # why a cell of it is empty
    group: str = ""  # the heading above it, shared with its neighbours; empty: none
    metric: str = ""  # of ours, by name: what stands here in the rows of a run; empty: none
    times: float = 1.0  # what a value of ours is multiplied with to stand here


class Contradiction(Record):
    """What else the same source says of a row, a column or a cell."""

    row: str  # empty: all of them
    column: str  # empty: all of them
    says: str  # in words


class PrintedTable(Record):
    """A table or figure of which numbers are known; they stand in a CSV file of its name."""

    name: str  # of our Table; its file has _ for -
    label: str  # as the paper numbers it
    title: str  # in our words
    reading: str  # as in Table
    shape: TableShape = "table"
    best: Literal["group", "title", "whole", "none"] = "none"  # among which rows the best is marked
    columns: tuple[PrintedColumn, ...]
    notes: tuple[str, ...] = ()
    contradicted: tuple[Contradiction, ...] = ()

    @property
    def file(self) -> str:
        return f"{self.name.replace('-', '_')}.csv"


class AbsentTable(Record):
    """A table or figure of which only the layout is known."""

    label: str
    title: str
    why: str  # there are no numbers


class Layouts(Record):
    """All that a paper prints."""

    name: str  # of the protocol
    paper: str  # where it is printed
    printed: tuple[PrintedTable, ...]
    absent: tuple[AbsentTable, ...] = ()


def names() -> list[str]:
    """Protocols whose paper we can print."""
    return sorted(f.name for f in resources.files("lookaway.protocols").iterdir() if (f / FOLDER / FILE).is_file())


def folder(protocol: str) -> Traversable:
    """Where the numbers of a protocol's paper lie."""
    if protocol not in names():
        raise UnknownName("protocol with published numbers", protocol, names())
    return resources.files("lookaway.protocols") / protocol / FOLDER


def load(protocol: str) -> Layouts:
    """What the paper of a protocol prints."""
    with resources.as_file(folder(protocol) / FILE) as path:
        return read_record(path, Layouts, "list of printed tables", protocol)
