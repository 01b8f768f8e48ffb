"""`lookaway published`: every table, in every form."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from lookaway.published import published_tables, read_paper
from tests.command import call

TABLES = published_tables(read_paper("wrbench"))


def test_every_table_is_printed_and_what_is_not_here_is_told() -> None:
    done = call("published", "wrbench")
    assert (done.returncode, done.stderr) == (0, "")
    flat = " ".join(done.stdout.split())
    assert all(table.title in flat for table in TABLES)
    assert "not here: Table 12" in flat
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_the_profile_stands_side_by_side() -> None:
    said = call("published", "wrbench", "--table", "table2").stdout
    (row,) = [text for text in said.splitlines() if "WanX2.1 I2V Turbo" in text]
    shown = [cell.strip() for cell in row.strip("│").split("│")]
    assert shown == [
        "WanX2.1 I2V Turbo",
        "none",
        "0.030",
        "0.713",
        "1.0",
        "0.839",
        "0.651",
        "0.855†",
        "0.777†",
        "0.644",
    ]


def test_csv_has_one_heading_and_a_line_for_every_cell() -> None:
    rows = list(csv.DictReader(io.StringIO(call("published", "wrbench", "--format", "csv").stdout)))
    assert len(rows) == sum(len(table.rows) * len(table.columns) for table in TABLES)
    assert {row["table_name"] for row in rows} == {table.name for table in TABLES}


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_a_page_has_the_best_in_bold(form: str) -> None:
    said = call("published", "wrbench", "--table", "table2", "--format", form).stdout
    best, sparse = {
        "markdown": ("**0.822**", "0.554†"),
        "latex": (r"\textbf{0.822}", r"0.554\textsuperscript{$\dagger$}"),
    }[form]
    assert best in said
    assert sparse in said


def test_json_has_the_tables_and_what_is_absent() -> None:
    said = json.loads(call("published", "wrbench", "--table", "fig4", "--table", "fig5", "--json").stdout)
    assert [table["name"] for table in said["tables"]] == ["fig4", "fig5"]
    assert "Table 12" in [absent["label"] for absent in said["absent"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nosuch"], "no protocol with published numbers named 'nosuch'; known: memobench, stevo, wrbench"),
        (["wrbench", "--table", "tabel2"], "did you mean table2"),
        (["wrbench", "--release", "."], "--release is for --check"),
        (["wrbench", "--check", "--table", "table2"], "leave --table out"),
        (["wrbench", "--check", "--release", "nosuch"], "no such folder"),
    ],
)
def test_what_cannot_be_done_is_said(words: list[str], said: str, tmp_path: Path) -> None:
    done = call("published", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_folder_without_a_release_is_refused(tmp_path: Path) -> None:
    done = call("published", "wrbench", "--check", "--release", str(tmp_path))
    assert done.returncode == 2
    assert "holds neither wrbench_23model_results.csv" in done.stderr
