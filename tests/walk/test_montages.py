"""Rows of tables that name clips are shown as labelled strips, drawn from the run folder alone."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from lookaway.pipeline import make_board, make_exhibits, plans
from lookaway.pipeline.montages import MOST_OF_A_TABLE, montages
from lookaway.records import Clip, Column, Table, TableCell, TableRow
from lookaway.reports.html import html
from lookaway.store import Run, open_run

CASES = ("a/held-first-frame/0", "b/held-first-frame/0")


@pytest.fixture
def run(small_run: Path, tmp_path: Path) -> Run:
    """A copy that a test may harm."""
    return open_run(shutil.copytree(small_run, tmp_path / "run"))


def table(*rows: tuple[str, ...], marked: int | None = None) -> Table:
    """A gap, and two clips by their cases."""
    made = []
    for number, links in enumerate(rows):
        gap = TableCell(value=1.0, marks=("significant",) if number == marked else ())
        clips = tuple(TableCell(text=f"clip {link[0]}: 0.50", link=link) for link in links)
        made.append(TableRow(title=f"row {number}", cells=(gap, *clips)))
    columns = (Column(name="gap", title="gap"), Column(name="x", title="better"), Column(name="y", title="worse"))
    return Table(name="matched", title="Matched", columns=columns, rows=tuple(made), reading="Look.")


def test_both_clips_are_drawn_with_their_labels(run: Run) -> None:
    (made,) = montages(run, plans.load(run), [table(CASES)])
    assert (made.table, made.title) == ("Matched", "row 0")
    assert [clip.title for clip in made.clips] == [
        "better: clip a: 0.50 (a/held-first-frame/0)",
        "worse: clip b: 0.50 (b/held-first-frame/0)",
    ]
    assert all(clip.strip.startswith("data:image/jpeg;base64,") and not clip.video for clip in made.clips)
    assert made.clips[0].strip != made.clips[1].strip


def test_the_page_shows_them_without_the_run_folder(run: Run) -> None:
    plan = plans.load(run)
    board, drawn = make_board(run, plan), montages(run, plan, [table(CASES)])
    shown = replace(make_exhibits(run, plan), montages=drawn)
    shutil.rmtree(run.root)
    page = html(board, shown).decode()
    assert "Cases side by side" in page
    assert all(clip.strip in page and clip.title in page for clip in drawn[0].clips)
    assert "Cases side by side" not in html(board, replace(shown, montages=())).decode()


def test_a_clip_that_is_gone_or_unknown_costs_its_own_strip_alone(run: Run) -> None:
    (clip,) = [c for c in run.latest("clips", Clip).values() if c.case.task == "a"]
    run.blobs.path(str(clip.video)).unlink()
    (made,) = montages(run, plans.load(run), [table((CASES[0], "b/nobody/0"))])
    assert [clip.status for clip in made.clips] == ["cannot be shown", "no video"]
    assert str(run.root) not in made.clips[0].reason


def test_marked_rows_are_drawn_first_and_not_more_than_the_most(run: Run) -> None:
    rows = [(CASES[0], f"b/system{number}/0") for number in range(MOST_OF_A_TABLE + 2)]
    made = montages(run, plans.load(run), [table(*rows, marked=MOST_OF_A_TABLE + 1)])
    assert [one.title for one in made][:2] == [f"row {MOST_OF_A_TABLE + 1}", "row 0"]
    assert len(made) == MOST_OF_A_TABLE


def test_the_same_clips_are_drawn_once(run: Run) -> None:
    made = montages(run, plans.load(run), [table(CASES, CASES[::-1]), table(CASES)])
    assert [one.title for one in made] == ["row 0"]


def test_a_table_that_leads_nowhere_has_none(run: Run) -> None:
    rows = (TableRow(title="m", cells=(TableCell(value=1.0),)),)
    plain = Table(name="t", title="T", columns=(Column(name="x", title="x"),), rows=rows, reading="Read.")
    assert montages(run, plans.load(run), [plain]) == ()
