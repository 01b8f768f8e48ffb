"""Tables for the tests of drawing: one as in a paper, and one whose every text is the same."""

from __future__ import annotations

from lookaway.records import Column, Mark, Table, TableCell, TableRow
from tests.reports.test_foreign_text import HOSTILE

FOREIGN = [
    *HOSTILE,
    r"\input{secret} \end{tabular} & 50 % $x_1^2$ #1 ~ {open",
    "[0.3] starts a line, so does *",
    "-- two -- dashes, ''quotes'', ,,commas,, and `ticks`",
    '"><b onmouseover="x"> \' = quotes',
    "1. a list",
    "closing hashes ##",
    "[x] a task",
    "=HYPERLINK(1)",
    "tab\tand\r\nreturn \u202e turned",
    "世界" * 40,
    "oneverylongwordwithoutanyplacetobreak" * 5,
]


def numbers(
    *values: float | None, better: str = "higher", unit: str = "score", groups: tuple[str, ...] = (), sparse: str = ""
) -> Table:
    """One column; a row per value, titled a, b, c ... ; rows named in `sparse` are."""
    column = Column.model_validate({"name": "x", "title": "X", "unit": unit, "better": better})
    rows = []
    for number, (title, value) in enumerate(zip("abcdefgh", values, strict=False)):
        marks: tuple[Mark, ...] = ("sparse",) if title in sparse else ()
        cell = TableCell(reason="none") if value is None else TableCell(value=value, marks=marks)
        rows.append(TableRow(title=title, group=groups[number] if groups else "", cells=(cell,)))
    return Table(name="numbers", title="Numbers", columns=(column,), rows=tuple(rows), reading="Compare.")


def profile() -> Table:
    """Two condition types, numbers with all that may stand beside them, daggers and missing cells."""
    columns = (
        Column(name="kind", title="Control"),
        Column(name="align", title="Align", unit="score", better="higher", group="Camera"),
        Column(name="gain", title="Gain", unit="of the asked turn", better="one", group="Camera", digits=3),
        Column(name="support", title="Support", unit="%", better="higher", group="Return"),
    )
    first = (
        TableCell(text="poses"),
        TableCell(value=0.5, low=-0.25, high=0.75, n=12, total=50, marks=("best",), link="a task/first/0"),
        TableCell(value=-0.0004, measured_low=-0.125, measured_high=0.25, marks=("second", "inactive")),
        TableCell(value=7.25, n=4, marks=("sparse",)),
    )
    second = (
        TableCell(text="words"),
        TableCell(value=0.25, marks=("second",)),
        TableCell(reason="no path was delivered", n=0, total=50),
        TableCell(value=31.0, marks=("best", "significant")),
    )
    rows = (
        TableRow(title="First", group="explicit", cells=first),
        TableRow(title="Second", group="prompt-only", cells=second),
        TableRow(title="a part", group="prompt-only", cells=second, level=1),
    )
    return Table(
        name="profile",
        title="Profile",
        columns=columns,
        rows=rows,
        notes=("Intervals are 95 %.", "A second note."),
        protocol="wrbench",
        reading="Compare within a group.",
    )


def written_by(text: str) -> Table:
    """A table whose every field that takes a text is this one."""
    columns = (
        Column(name=f"{text}1", title=text, unit=text, group=text, better="higher"),
        Column(name=f"{text}2", title=text, group=text),
        Column(name=f"{text}3", title=text),
    )
    cells = (
        TableCell(value=0.5, low=0.25, high=0.75, n=1, total=2, marks=("best",), link=text),
        TableCell(text=text, marks=("second", "sparse")),
        TableCell(reason=text),
    )
    rows = (TableRow(title=text, group=text, cells=cells), TableRow(title=text, cells=cells, level=1))
    return Table(
        name="foreign", title=text, columns=columns, rows=rows, notes=(text, text), protocol=text, reading=text
    )
