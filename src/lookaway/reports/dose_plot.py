"""Dose response as a picture: a line per system with whiskers, and under it how many clips stand behind each point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from lookaway.phrasing import point_dose
from lookaway.records import DoseCurve, DoseKind, DosePoint
from lookaway.reports.colours import colour, marker, place_of
from lookaway.reports.pages import render
from lookaway.reports.words import point_interval

WIDTH, LEFT, RIGHT, TOP, HEIGHT = 560.0, 128.0, 22.0, 14.0, 220.0  # of the picture; of the plot in it
ROW, AXIS = 17.0, 46.0  # a line of counts; ticks and label under the plot
MOST_SYSTEMS = 12
DODGE, SPREAD = 7.0, 30.0  # pixels between and over all systems at one dose, so that equal values stay apart
LETTER = 7.0  # pixels of width
STEPS = {
    "hidden_s": (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0),
    "context": (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0),
    "rotation_deg": (5.0, 15.0, 30.0, 45.0, 90.0, 180.0, 360.0),
}
TITLES: dict[DoseKind, str] = {
    "hidden_s": "Hidden time",
    "context": "Hidden time in context windows",
    "rotation_deg": "Rotation",
}
LABELS: dict[DoseKind, str] = {
    "hidden_s": "seconds for which the subject is out of view",
    "context": "hidden time as multiples of the model's context window",
    "rotation_deg": "largest turn of the camera, in degrees",
}


@dataclass(frozen=True)
class Spot:
    """A point of a line, in pixels; `at` is None where no clip had a verdict."""

    x: float
    at: float | None
    low: float | None
    high: float | None
    floor: float | None
    count: str
    count_x: float
    title: str


@dataclass(frozen=True)
class Line:
    system: str
    colour: str
    marker: str
    row: float
    spots: list[Spot]

    @property
    def path(self) -> str:
        return " ".join(f"{spot.x:g},{spot.at:g}" for spot in self.spots if spot.at is not None)


@dataclass(frozen=True)
class Plot:
    title: str
    label: str
    lines: list[Line]
    xticks: list[tuple[float, str]]
    guide: float | None = None  # where the context window ends
    left_out: int = 0
    bottom: float = TOP + HEIGHT
    left: float = LEFT
    right: float = WIDTH - RIGHT
    top: float = TOP
    width: float = WIDTH
    yticks: list[tuple[float, str]] = field(
        default_factory=lambda: [(_y(share), f"{share:g}") for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    )

    @property
    def counts(self) -> float:
        return self.bottom + AXIS

    @property
    def height(self) -> float:
        return self.counts + ROW * len(self.lines) + 8


def dose_plot(curves: Sequence[DoseCurve], systems: Sequence[str] = ()) -> Markup:
    """An inline SVG of curves that share their kind of dose; nothing where none of them has a point.

    A line has the colour of its system's place among the systems of the board.
    """
    drawn = [curve for curve in curves if curve.points]
    if not drawn:
        return Markup()
    return render("dose_plot.jinja", plot=_plot(drawn, systems))


def _plot(curves: Sequence[DoseCurve], systems: Sequence[str]) -> Plot:
    kind = curves[0].dose
    ticks = _ticks(max(point.dose for curve in curves for point in curve.points), STEPS[kind])
    span = ticks[-1] or 1.0  # where nothing is turned or hidden at all, every dose is 0
    shown = curves[:MOST_SYSTEMS]
    lines = []
    for number, curve in enumerate(shown):
        shift = (number - (len(shown) - 1) / 2) * min(DODGE, SPREAD / len(shown))
        places = [_x(point.dose, span) for point in curve.points]
        gap = LETTER * (1 + max(len(_count(point)) for point in curve.points))
        apart = _apart(places, gap, LEFT + gap / 2, WIDTH - gap / 2)
        spots = [_spot(*facts, shift, curve.system) for facts in zip(curve.points, places, apart, strict=True)]
        row = TOP + HEIGHT + AXIS + ROW * (number + 1)
        place = place_of(curve.system, systems, number)
        lines.append(Line(curve.system, colour(place), marker(place), row, spots))
    xticks = [(_x(tick, span), f"{tick:g}") for tick in ticks]
    guide = _x(1.0, span) if kind == "context" and span >= 1 else None
    return Plot(TITLES[kind], LABELS[kind], lines, xticks, guide, len(curves) - len(shown))


def _spot(point: DosePoint, x: float, count_x: float, shift: float, system: str) -> Spot:
    def height(share: float | None) -> float | None:
        return None if share is None else _y(share)

    return Spot(
        x=round(x + shift, 1),
        at=height(point.value),
        low=height(point.low),
        high=height(point.high),
        floor=height(point.floor) if point.floor != point.value else None,
        count=_count(point),
        count_x=round(count_x, 1),
        title=f"{system} at {point_dose(point)}: {_described(point)}",
    )


def _count(point: DosePoint) -> str:
    """Clips with a verdict, and those without if there are any."""
    return f"{point.ok}+{point.other}" if point.other else str(point.ok)


def _described(point: DosePoint) -> str:
    if point.value is None:
        return f"no verdict on any of {point.n} clips"
    return f"{point.value:.2f} {point_interval(point)} n={point.ok} of {point.n}, {point.method}"


def _ticks(most: float, steps: Sequence[float]) -> list[float]:
    step = next((step for step in steps if most / step <= 6), most / 4)
    return [step * number for number in range(math.ceil(round(most / step, 6)) + 1)]


def _x(dose: float, span: float) -> float:
    return round(LEFT + 12 + (WIDTH - RIGHT - LEFT - 24) * dose / span, 1)


def _y(share: float) -> float:
    return round(TOP + HEIGHT * (1 - share), 1)


def _apart(places: Sequence[float], gap: float, lowest: float, highest: float) -> list[float]:
    """The same places in the same order, pushed apart to at least `gap` where there is room."""
    gap = min(gap, (highest - lowest) / max(1, len(places) - 1))
    moved: list[float] = []
    for place in places:
        moved.append(max(place, lowest if not moved else moved[-1] + gap))
    ceiling = highest
    for number in reversed(range(len(moved))):
        moved[number] = min(moved[number], ceiling)
        ceiling = moved[number] - gap
    return moved
