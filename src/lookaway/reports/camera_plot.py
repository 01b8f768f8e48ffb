"""The camera of one clip as a small picture: the angle that was asked for and the one that was recovered."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from lookaway.reports.colours import colour
from lookaway.reports.exhibits import CameraLines
from lookaway.reports.pages import render

WIDTH, HEIGHT, MARGIN = 260.0, 74.0, 6.0
LEFT = 34.0  # for the numbers of the axis


def camera_plot(lines: CameraLines, place: int | None) -> Markup:
    """An inline SVG; the asked line is dashed, the recovered one has the system's colour."""
    points = [*lines.asked, *lines.recovered]
    low, high = (choose([0.0, *(angle for _, angle in points)]) for choose in (min, max))
    last = max(second for second, _ in points) or 1.0
    tall = max(high - low, 1.0)

    def path(line: Sequence[tuple[float, float]]) -> str:
        return " ".join(
            f"{LEFT + (WIDTH - LEFT - MARGIN) * second / last:.1f},"
            f"{HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (angle - low) / tall:.1f}"
            for second, angle in line
        )

    return render(
        "page/camera.jinja",
        lines=lines,
        asked=path(lines.asked),
        recovered=path(lines.recovered),
        stroke="var(--soft)" if place is None else colour(place),
        ends=(round(low), round(high)),
        size=(WIDTH, HEIGHT, LEFT, MARGIN),
    )
