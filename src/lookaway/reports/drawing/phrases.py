"""How the parts of a table read, the same in every format."""

from __future__ import annotations

from typing import Literal, get_args

from lookaway.phrasing import digits_of
from lookaway.records import Column, Mark, Table, TableCell

MISSING = "–"
LARGE = 1e9  # from here on three digits and a power of ten

ARROWS = {"higher": "↑", "lower": "↓", "one": "→1", "none": ""}

SIGNS: dict[Mark, str] = {
    "best": "",  # these two are shown by the letters of the number itself
    "second": "",
    "ceiling": "△",
    "sparse": "†",
    "inactive": "‡",
    "deviation": "§",
    "inferred": "¶",
    "published": "‖",
    "significant": "*",
}
MEANINGS: dict[Mark, str] = {
    "best": "best",
    "second": "second best",
    "ceiling": "of the true clip itself, a ceiling that does not compete",
    "sparse": "from few clips, or a small share of them",
    "inactive": "with a camera that hardly moves in some clips",
    "deviation": "made otherwise than the protocol says",
    "inferred": "by a rule that its source does not state",
    "published": "as its source printed it, not measured here",
    "significant": "differs from none by the test named below",
}


def number(value: float | None, unit: str, digits: int | None = None) -> str:
    """`0.72`, never `-0.00`; a dash where there is none, `<0.001` for a p that no digit would show.

    >>> number(-0.001, "score"), number(31.26, "dB"), number(12, "clips"), number(0.0002, "p"), number(None, "dB")
    ('0.00', '31.3', '12', '<0.001', '–')
    >>> number(0.5, "rate", digits=3)
    '0.500'
    """
    if value is None:
        return MISSING
    places = digits_of(unit, digits)
    if unit == "p" and value < 10**-places:
        return f"<{10**-places:.{places}f}"
    return f"{value:z.{places}f}" if abs(value) < LARGE else f"{value:.3g}"


def arrow(better: Literal["higher", "lower", "one", "none"]) -> str:
    """Which way is better: up, down, towards 1, or nothing where no way is."""
    return ARROWS[better]


def heading(column: Column) -> str:
    """`Support ↑`."""
    return f"{column.title} {arrow(column.better)}".strip()


def holds_words(table: Table, place: int) -> bool:
    """Whether the cells of a column are read as words, from the left, and not as numbers."""
    return any(row.cells[place].text for row in table.rows)


def content(cell: TableCell, column: Column) -> str:
    """The number or text of a cell; a dash where there is a reason instead."""
    return cell.text or number(cell.value, column.unit, column.digits)


def sampling_interval(cell: TableCell, column: Column) -> str:
    """`[0.61, 0.75]`, or nothing."""
    if cell.low is None or cell.high is None:
        return ""
    return f"[{number(cell.low, column.unit, column.digits)}, {number(cell.high, column.unit, column.digits)}]"


def measurement_bounds(cell: TableCell, column: Column) -> str:
    """`measured 0.70 to 0.74`, or nothing, also where both ends are the same."""
    if cell.measured_low is None or cell.measured_high is None or cell.measured_low == cell.measured_high:
        return ""
    low, high = (number(end, column.unit, column.digits) for end in (cell.measured_low, cell.measured_high))
    return f"measured {low} to {high}"


def count(cell: TableCell) -> str:
    """`n=12 of 50`, `n=12`, or nothing."""
    if cell.n is None:
        return ""
    return f"n={cell.n}" if cell.total is None else f"n={cell.n} of {cell.total}"


def details(cell: TableCell, column: Column) -> list[str]:
    """What stands small beside a number: interval, bounds, n."""
    return [*filter(None, [sampling_interval(cell, column), measurement_bounds(cell, column), count(cell)])]


def signs(cell: TableCell) -> str:
    """The daggers behind a cell, in the order of the legend."""
    return "".join(sign for mark, sign in SIGNS.items() if mark in cell.marks)


def marks_in(table: Table) -> list[Mark]:
    """The marks that a table uses and its legend explains."""
    used = {mark for row in table.rows for cell in row.cells for mark in cell.marks}
    return [mark for mark in get_args(Mark) if mark in used]


def legend(table: Table, best: str = "bold", second: str = "underlined") -> str:
    """`bold: best · †: from few clips, or a small share of them`, or nothing where nothing is marked."""
    shown = SIGNS | {"best": best, "second": second}
    return " · ".join(f"{shown[mark]}: {MEANINGS[mark]}" for mark in marks_in(table))
