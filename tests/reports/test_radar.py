"""A radar has its best at the rim, its worst in the middle, and a gap where a number is missing."""

from __future__ import annotations

import re

import pytest

from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.reports.drawing.html import html_table
from lookaway.reports.drawing.radar import TOGETHER, radar
from lookaway.reports.drawing.shading import ends_of, shade

SCALED = Column(name="ssim", title="SSIM", unit="similarity", better="higher", scale=(0.0, 1.0))
FREE = Column(name="psnr", title="PSNR", unit="dB", better="higher")
LOWER = Column(name="lpips", title="LPIPS", better="lower", scale=(0.0, 1.0))


def table(*rows: tuple[float | None, ...], columns: tuple[Column, ...] = (SCALED, FREE, LOWER)) -> Table:
    made = [
        TableRow(
            title=f"m{number}",
            cells=tuple(TableCell(reason="none") if v is None else TableCell(value=v) for v in values),
        )
        for number, values in enumerate(rows)
    ]
    return Table(name="t", title="T", shape="radar", columns=columns, rows=tuple(made), reading="Look.")


def dots(page: str, row: str) -> list[tuple[float, float]]:
    (group,) = re.findall(rf'<g data-row="{row}">(.*?)</g>', page, re.S)
    return [(float(x), float(y)) for x, y in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', group)]


def reach(page: str, row: str) -> list[float]:
    """How far from the middle each dot is, as a share of the radius of a picture with names."""
    x0, y0 = map(float, re.findall(r'<line x1="([\d.]+)" y1="([\d.]+)"', page)[0])
    return [((x - x0) ** 2 + (y - y0) ** 2) ** 0.5 / 110 for x, y in dots(page, row)]


def test_the_best_is_at_the_rim_and_the_worst_in_the_middle_whichever_way_a_column_counts() -> None:
    page = radar(table((1.0, 20.0, 0.0), (0.0, 10.0, 1.0), (0.5, 15.0, 0.75)))
    assert reach(page, "m0") == pytest.approx([1, 1, 1], abs=0.01)
    assert reach(page, "m1") == pytest.approx([0, 0, 0], abs=0.01)
    assert reach(page, "m2") == pytest.approx([0.5, 0.5, 0.25], abs=0.01)


def test_the_ends_of_every_axis_are_told() -> None:
    page = radar(table((1.0, 20.0, 0.0), (0.2, 10.0, 0.9)))
    assert "10.0 to 20.0 dB" in page
    assert "1.00 to 0.00" in page


def test_a_missing_number_leaves_a_gap_and_no_area() -> None:
    whole, lacking = (radar(table((0.5, 12.0, last), (0.9, 20.0, 0.1))) for last in (0.2, None))
    assert len(dots(whole, "m0")) == 3
    assert len(dots(lacking, "m0")) == 2
    assert lacking.count("fill-opacity") == whole.count("fill-opacity") - 1


def test_many_rows_have_a_picture_each_and_few_share_one() -> None:
    few, many = (radar(table(*[(0.5, float(n), 0.5) for n in range(count)])) for count in (TOGETHER, TOGETHER + 1))
    assert few.count("<svg") == 1
    assert many.count("<svg") == TOGETHER + 1
    assert "1 SSIM, 0.00 to 1.00" in many


def test_two_axes_are_drawn_as_a_table_alone() -> None:
    page = html_table(table((0.5, 12.0), (0.2, 3.0), columns=(SCALED, FREE)))
    assert "<svg" not in page
    assert "<table" in page


def test_names_are_escaped() -> None:
    made = table((0.5, 12.0, 0.3))
    bad = made.model_copy(update={"rows": (made.rows[0].model_copy(update={"title": "<b>x</b>"}),)})
    assert "<b>" not in radar(bad)


def test_a_heat_map_is_shaded_by_its_scale_and_other_tables_are_not() -> None:
    made = table((1.0, 20.0, 0.0), (0.0, 10.0, 1.0))
    map_ = html_table(made.model_copy(update={"shape": "heat_map"}))
    assert map_.count('class="shaded"') == 6
    assert 'class="shaded"' not in html_table(made.model_copy(update={"shape": "table"}))


def test_the_best_is_blue_the_worst_of_a_failure_red_and_nothing_white() -> None:
    full, none = (shade(TableCell(value=v), SCALED, None) for v in (1.0, 0.0))
    assert full.startswith("background:#1f5fa8")
    assert none.startswith("background:#ffffff")
    assert shade(TableCell(value=1.0), LOWER, None).startswith("background:#b3372f")
    both = Column(name="r", title="r", scale=(-1.0, 1.0))
    assert shade(TableCell(value=-1.0), both, None).startswith("background:#b3372f")
    assert shade(TableCell(reason="none"), SCALED, None) == ""
    assert ends_of(table((1.0, 20.0, 0.0))) == (0.0, 20.0)
