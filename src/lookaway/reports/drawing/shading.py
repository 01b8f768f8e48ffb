"""Colours of a heat map: what is best is blue, what is worst is red or white."""

from __future__ import annotations

from lookaway.records import Column, Table, TableCell

GOOD, BAD = (31, 95, 168), (179, 55, 47)  # full colour, red-green-blue; as in the map of detections
LIGHT_TEXT_ABOVE = 0.85  # of the full colour: white stands out from there on, black up to there


def ends_of(table: Table) -> tuple[float, float] | None:
    """Of the values of all columns that have no scale of their own; None where there is no value."""
    values = [cell.value for row in table.rows for cell in row.cells if cell.value is not None]
    return (min(values), max(values)) if values else None


def shade(cell: TableCell, column: Column, ends: tuple[float, float] | None) -> str:
    """The style of a cell, or nothing where it has no number; where a scale has a 0 inside, both ends have a colour."""
    low, high = column.scale or ends or (0.0, 0.0)
    if cell.value is None or low == high:
        return ""
    if low < 0 < high:
        share, full = abs(cell.value) / max(-low, high), GOOD if cell.value > 0 else BAD
    else:
        share, full = (cell.value - low) / (high - low), BAD if column.better == "lower" else GOOD
    share = min(max(share, 0.0), 1.0)
    colour = "".join(f"{round(255 + (part - 255) * share):02x}" for part in full)
    text = "#fff" if share > LIGHT_TEXT_ABOVE else "#000"
    return f"background:#{colour};color:{text}"
