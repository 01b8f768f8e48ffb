"""What the papers print is here as they print it, each number with its source."""

from __future__ import annotations

from importlib import resources

import pytest

from lookaway.errors import UnknownName
from lookaway.published import Paper, PrintedTable, names, printed_table, published, published_tables, read_paper
from lookaway.published.paper import EMPTY
from lookaway.records import Table
from lookaway.reports.drawing.marks import with_marks
from lookaway.reports.drawing.phrases import content

PAPER = read_paper("wrbench")
PAPERS = {name: read_paper(name) for name in names()}
ASIDE = {  # read by checks, no table of the paper
    "wrbench": {"totals", "quotes", "venues"},
    "memobench": {"quotes", "sampling"},
    "stevo": {"quotes"},
}
SOURCE = {
    "wrbench": "WRBench, arXiv 2606.20545",
    "memobench": "MemoBench (Chen et al. 2026)",
    "stevo": "StEvo-Bench, arXiv 2603.13215",
}
FEWER_DIGITS = {  # than the rest of their column, and as we print them
    ("table-s9", "PSNR", "12.9"): "12.90",
    ("table-s9", "PSNR", "13.6"): "13.60",
    ("table2", "physics", "52"): "52.0",
}
every_paper = pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
every_table = pytest.mark.parametrize(
    ("paper", "table"),
    [
        pytest.param(paper, one, id=f"{name}-{one.name}")
        for name, paper in PAPERS.items()
        for one in paper.layouts.printed
    ],
)


def cells(table: Table, row: str) -> dict[str, tuple[float | None, tuple[str, ...]]]:
    (found,) = [r for r in table.rows if r.title == row]
    return {c.name: (cell.value, cell.marks) for c, cell in zip(table.columns, found.cells, strict=True)}


def layout(name: str) -> PrintedTable:
    (found,) = [table for table in PAPER.layouts.printed if table.name == name]
    return found


@every_table
def test_a_number_reads_as_it_is_printed(paper: Paper, table: PrintedTable) -> None:
    for printed, row in zip(paper.rows[table.name], printed_table(paper, table).rows, strict=True):
        assert (row.title, row.group) == (printed.title, printed.group)
        for column, cell, name in zip(printed_table(paper, table).columns, row.cells, printed.cells, strict=True):
            assert column.name == name
            text = printed.cells[name]
            assert (cell.reason != "") == (text == EMPTY)
            if text != EMPTY:
                read = content(cell, column)
                assert read == FEWER_DIGITS.get((table.name, name, text), text)


@every_table
def test_a_number_names_its_source(paper: Paper, table: PrintedTable) -> None:
    for number in published(paper, table):
        assert number.source.startswith(f"{SOURCE[paper.layouts.name]}, {table.label}")
        assert number.source.rpartition(": ")[2].strip()
        assert number.value is None or float(number.text.rstrip("†")) == number.value


@every_paper
def test_every_file_of_numbers_is_a_table_or_read_by_a_check(paper: Paper) -> None:
    assert {*paper.rows} == {table.name for table in paper.layouts.printed} | ASIDE[paper.layouts.name]


@every_paper
def test_no_file_of_the_authors_is_shipped(paper: Paper) -> None:
    folder = resources.files("lookaway.protocols") / paper.layouts.name / "published"
    shipped = {file.name for file in folder.iterdir()}
    assert shipped == {f"{name.replace('-', '_')}.csv" for name in paper.rows} | {"layouts.toml"}
    numbers = [text for rows in paper.rows.values() for row in rows for text in row.cells.values() if _is_number(text)]
    assert max(len(text.partition(".")[2]) for text in numbers) == 3  # the release has a dozen


def _is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdigit()


def test_the_profile_has_four_groups_200_numbers_and_8_rows_with_daggers() -> None:
    table = printed_table(PAPER, layout("table2"))
    assert len(table.rows) == 23
    assert list(dict.fromkeys(r.group for r in table.rows)) == [
        *("source-video", "geometry-cache", "model-inferred", "prompt-only")
    ]
    assert sum(cell.value is not None for row in table.rows for cell in row.cells) == 200
    sparse = [row for row in table.rows if any("sparse" in cell.marks for cell in row.cells)]
    assert len(sparse) == 8
    assert {sum("sparse" in cell.marks for cell in row.cells) for row in sparse} == {2}


def test_the_best_is_marked_within_its_condition_type_and_equals_share() -> None:
    table = with_marks(printed_table(PAPER, layout("table2")), "group", sparse_compete=True)
    assert cells(table, "HyDRA")["CamPrec"] == (0.822, ("best",))
    assert cells(table, "VerseCrafter")["CamPrec"] == (0.781, ("best",))
    assert (
        cells(table, "Lingbot World Cam")["Integ"] == cells(table, "Hunyuan WorldPlay")["Integ"] == (0.870, ("best",))
    )
    assert cells(table, "WanX2.1 I2V Turbo")["ReobsState"] == (0.777, ("best", "sparse"))


def test_correlations_are_symmetric_with_ones_on_the_diagonal() -> None:
    rows = PAPER.rows["fig4"]
    for row in rows:
        assert row.number(row.title) == 1
        assert all(row.cells[other.title] == other.cells[row.title] for other in rows)


def test_kinds_of_venues_add_up_to_their_groups() -> None:
    rows = PAPER.rows["fig3-left"]
    whole = {row.group: row.number("families_pct") for row in rows if row.title == "all of them"}
    assert sum(whole.values()) == 100
    for group, share in whole.items():
        kinds = [row.number("families_pct") for row in rows if row.group == group and row.title != "all of them"]
        assert sum(kinds) == share


def test_a_contradicted_number_says_so() -> None:
    told = {(p.system, p.metric): p.contradicts for p in published(PAPER, layout("fig4"))}
    assert "neither" in told["CamAlign", "Support"]
    assert told["Integ", "Support"] == ""


def test_tables_stand_in_the_papers_order() -> None:
    labels = [table.title.partition(":")[0] for table in published_tables(PAPER)]
    expected = [f"Table {n}" for n in (1, 2, 3, 4, 5, 7, 8, 9, 10, 13)]
    assert labels[: len(expected)] == expected
    assert labels[len(expected)] == "Fig. 3 left"


def test_the_ladder_falls_and_the_taxonomy_counts_every_row() -> None:
    made = {table.name: table for table in published_tables(PAPER)}
    support = [cells(made["table3"], row.title)["Support_pct"][0] or 0 for row in made["table3"].rows]
    assert support == sorted(support, reverse=True)
    assert cells(made["table3"], "Wan-Fun 2.2-A14B")["Visible"][0] == pytest.approx((0.810 + 0.625) / 2)
    assert [row.title for row in made["table7"].rows][-1] == "Spatia"
    assert [row.cells[0].value for row in made["table10"].rows] == [3, 3, 10, 7]


def test_a_protocol_without_a_paper_is_refused() -> None:
    assert names() == ["memobench", "stevo", "wrbench"]
    with pytest.raises(UnknownName, match="wrbench"):
        read_paper("wrbnch")
