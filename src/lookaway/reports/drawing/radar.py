"""A table of shape radar as a picture: an axis per column, the best at the rim; few rows together, many one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.reports.colours import colour, place_of
from lookaway.reports.drawing.phrases import number
from lookaway.reports.escaping import in_one_line
from lookaway.reports.pages import render

FEWEST_AXES = 3  # with fewer there is no area
TOGETHER = 5  # rows that share a picture; more of them hide each other
LINE = 13  # letters of an axis title
RINGS = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class RadarAxis:
    """A column with what its centre and rim stand for."""

    place: int  # among the columns
    column: Column
    centre: float
    rim: float

    @property
    def title(self) -> str:
        return in_one_line(self.column.title.replace("_", " "))

    @property
    def ends(self) -> str:
        """`12.1 to 18.7 dB`, from the centre to the rim."""
        centre, rim = (number(end, self.column.unit, self.column.digits) for end in (self.centre, self.rim))
        return f"{centre} to {rim}" + (f" {self.column.unit}" if self.column.unit in ("dB", "deg", "%") else "")

    def share(self, cell: TableCell) -> float | None:
        """Of the way from the centre to the rim."""
        if cell.value is None or self.rim == self.centre:
            return None if cell.value is None else 1.0
        return min(max((cell.value - self.centre) / (self.rim - self.centre), 0.0), 1.0)


@dataclass(frozen=True)
class Spoke:
    """One axis on paper."""

    x: float
    y: float
    label_x: float
    label_y: float
    anchor: str
    lines: list[str]
    ends: str


@dataclass(frozen=True)
class Outline:
    """One row on paper; `area` is empty where an axis has no number."""

    title: str
    colour: str
    sides: str
    area: str
    dots: list[tuple[float, float, str]]


@dataclass(frozen=True)
class RadarPlot:
    """One picture."""

    title: str
    width: float
    height: float
    rings: list[str]
    centre: tuple[float, float]
    spokes: list[Spoke]
    outlines: list[Outline]


def radar(table: Table, systems: Sequence[str] = ()) -> Markup:
    """The picture, or nothing where fewer than three columns have a number; rows of `systems` have their colours."""
    axes = [axis for place, column in enumerate(table.columns) if (axis := _axis(place, column, table.rows))]
    rows = [row for row in table.rows if any(row.cells[axis.place].value is not None for axis in axes)]
    if len(axes) < FEWEST_AXES or not rows:
        return Markup()
    together = len(rows) <= TOGETHER
    coloured = [(row, colour(place_of(row.title, systems, n if together else 0))) for n, row in enumerate(rows)]
    if together:
        plots = [_plot("", coloured, axes, radius=110.0, named=True)]
    else:
        plots = [_plot(row.title, [(row, paint)], axes, radius=62.0, named=False) for row, paint in coloured]
    return render("drawing/radar.jinja", plots=plots, axes=axes, table=table, together=together)


def _axis(place: int, column: Column, rows: Sequence[TableRow]) -> RadarAxis | None:
    """From the worst to the best of its scale; of its rows where it has none."""
    values = [value for row in rows if (value := row.cells[place].value) is not None]
    if not values:
        return None
    low, high = column.scale or (min(values), max(values))
    return RadarAxis(place, column, *((high, low) if column.better == "lower" else (low, high)))


def _plot(
    title: str, rows: Sequence[tuple[TableRow, str]], axes: Sequence[RadarAxis], radius: float, named: bool
) -> RadarPlot:
    angles = [2 * math.pi * number / len(axes) - math.pi / 2 for number in range(len(axes))]
    width, beside = (420.0, 62.0) if named else (2 * radius + 36, 18.0)
    middle = (width / 2, radius + beside)
    height = round(middle[1] + radius * max(map(math.sin, angles)) + beside, 1)

    def at(angle: float, reach: float) -> tuple[float, float]:
        x, y = middle[0] + reach * math.cos(angle), middle[1] + reach * math.sin(angle)
        return round(x, 1), round(y, 1)

    spokes = []
    for number_of, (axis, angle) in enumerate(zip(axes, angles, strict=True), start=1):
        lines = wrapped(axis.title) if named else [str(number_of)]
        x, y = at(angle, radius + (12 if named else 10))
        side = math.cos(angle)
        anchor = "middle" if abs(side) < 0.2 else "start" if side > 0 else "end"
        tall = 13 * (len(lines) - 1) + (13 if named else 0)
        top = y + 4 - tall * (1 - math.sin(angle)) / 2
        spokes.append(Spoke(*at(angle, radius), x, round(top, 1), anchor, lines, axis.ends if named else ""))
    rings = [_path([at(angle, ring * radius) for angle in angles]) for ring in RINGS]
    outlines = [
        _outline(
            row,
            axes,
            [at(a, radius * (axis.share(row.cells[axis.place]) or 0)) for a, axis in zip(angles, axes, strict=True)],
            paint,
        )
        for row, paint in rows
    ]
    return RadarPlot(in_one_line(title), width, height, rings, middle, spokes, outlines)


def _outline(row: TableRow, axes: Sequence[RadarAxis], points: Sequence[tuple[float, float]], paint: str) -> Outline:
    known = [row.cells[axis.place].value is not None for axis in axes]
    around = [*zip(points, known, strict=True), (points[0], known[0])]
    sides = [f"M{a[0]},{a[1]}L{b[0]},{b[1]}" for (a, here), (b, there) in pairwise(around) if here and there]
    said = [
        f"{row.title}: {axis.title} {number(row.cells[axis.place].value, axis.column.unit, axis.column.digits)}"
        for axis in axes
    ]
    dots = [(*point, in_one_line(text)) for point, text, is_known in zip(points, said, known, strict=True) if is_known]
    return Outline(in_one_line(row.title), paint, "".join(sides), _path(points) if all(known) else "", dots)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x},{y}" for x, y in points) + "Z"


def wrapped(title: str) -> list[str]:
    """The title in lines that fit beside the picture, broken between words.

    >>> wrapped("camera controllability (sound)")
    ['camera', 'controllability', '(sound)']
    """
    lines: list[str] = []
    for word in title.split():
        if lines and len(lines[-1]) + 1 + len(word) <= LINE:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines.append(word)
    return lines
