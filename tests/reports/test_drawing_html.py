"""A drawn table is a table to a browser and to a screen reader, whatever its texts say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookaway.records import Table, TableShape
from lookaway.reports.drawing.html import html_table, table_style
from lookaway.reports.drawing.phrases import MEANINGS
from tests.reports.drawing_examples import FOREIGN, profile, written_by
from tests.reports.test_foreign_text import shown


class Page(HTMLParser):
    """Tags with their attributes, and the text of every cell."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.cells: list[str] = []
        self.text = ""
        self.feed(str(page))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.cells:
            self.cells[-1] += data

    def names(self) -> list[str]:
        return [name for name, _ in self.tags]

    def having(self, tag: str, **wanted: str) -> Iterator[dict[str, str | None]]:
        return (facts for name, facts in self.tags if name == tag and wanted.items() <= facts.items())


@pytest.mark.parametrize("text", FOREIGN)
def test_foreign_text_adds_no_tag_and_no_attribute(text: str) -> None:
    page, plain = Page(html_table(written_by(text))), Page(html_table(written_by("plain")))
    assert page.names() == plain.names()
    assert [facts.keys() for _, facts in page.tags] == [facts.keys() for _, facts in plain.tags]
    assert shown(page.text).count(shown(text)) == plain.text.count("plain")


@given(st.text(min_size=1).filter(lambda text: text.strip()))
def test_no_text_whatever_adds_a_tag(text: str) -> None:
    page = Page(html_table(written_by(text)))
    assert page.names() == Page(html_table(written_by("plain"))).names()


def test_heads_say_what_they_are_the_heads_of() -> None:
    page = Page(html_table(profile()))
    scopes = [facts["scope"] for facts in page.having("th")]
    assert scopes.count("col") == 4
    assert scopes.count("row") == 3
    assert scopes.count("rowgroup") == 2
    assert [facts["colspan"] for facts in page.having("th", scope="colgroup")] == ["2", "1"]
    assert sum(int(str(facts.get("span") or 1)) for facts in page.having("colgroup")) == 5


def test_a_cell_shows_value_interval_bounds_and_n() -> None:
    cells = [shown(cell) for cell in Page(html_table(profile())).cells]
    assert "0.50 [-0.25, 0.75] n=12 of 50" in cells
    assert "0.000‡ measured -0.125 to 0.250" in cells
    assert "no path was delivered n=0 of 50" in cells
    assert "7.2† n=4" in cells


def test_marks_are_explained_where_they_stand() -> None:
    page = Page(html_table(profile()))
    assert [facts["title"] for facts in page.having("abbr", **{"class": "mark sparse"})] == [MEANINGS["sparse"]]
    assert [facts["title"] for facts in page.having("abbr", **{"class": "value best"})] == [MEANINGS["best"]] * 3
    assert len([*page.having("abbr", **{"class": "value second"})]) == 3


def test_a_link_goes_nowhere_but_on_the_page() -> None:
    for text in ("javascript:alert(1)", "https://example.org", '" onclick="x'):
        assert {str(facts["href"])[0] for facts in Page(html_table(written_by(text))).having("a")} == {"#"}
    assert [facts["href"] for facts in Page(html_table(profile())).having("a")] == ["#a%20task/first/0"]


def test_colours_are_the_business_of_the_page() -> None:
    assert "style" not in Page(html_table(profile())).names()
    assert not any("style" in facts for _, facts in Page(html_table(profile())).tags)
    assert not re.search(r"#[0-9a-fA-F]{3}|rgb|hsl", table_style())


@pytest.mark.parametrize("shape", get_args(TableShape))
def test_every_shape_can_be_drawn_as_a_table(shape: TableShape) -> None:
    table = Table(**(profile().model_dump() | {"shape": shape}))
    page = Page(html_table(table))
    plain = Page(html_table(profile())).names()
    assert page.names()[page.names().index("table") :] == plain[plain.index("table") :]
    assert [*page.having("figure", **{"class": f"table {shape}"})]
