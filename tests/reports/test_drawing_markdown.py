"""A table in Markdown renders as one table with its notes, whatever its texts say."""

from __future__ import annotations

import pytest

from lookaway.reports.drawing.markdown import markdown_table
from tests.reports.drawing_examples import FOREIGN, profile, written_by
from tests.reports.test_foreign_text import rendered, shown


@pytest.mark.parametrize("text", FOREIGN)
def test_foreign_text_is_shown_as_text(text: str) -> None:
    page, plain = rendered(markdown_table(written_by(text))), rendered(markdown_table(written_by("plain")))
    assert page.tags == plain.tags
    assert shown(page.text).count(shown(text)) == plain.text.count("plain")


def test_best_is_bold_second_in_italics_and_parts_are_indented() -> None:
    page = rendered(markdown_table(profile()))
    assert page.tags.count("strong") == 3 + 2  # and the titles of the groups
    assert page.tags.count("em") == 3
    lines = markdown_table(profile()).splitlines()
    assert (
        "| First | poses | **0.50** [-0.25, 0.75] n=12 of 50 | *0.000*‡ measured -0.125 to 0.250 | 7.2† n=4 |" in lines
    )
    assert "| &emsp;a part | words | *0.25* | no path was delivered n=0 of 50 | **31.0**\\* |" in lines


def test_every_line_of_the_table_has_as_many_cells() -> None:
    page = rendered(markdown_table(profile()))
    rows = page.tags.count("tr")
    assert rows == 1 + 2 + 3
    assert page.tags.count("th") + page.tags.count("td") == rows * 5
