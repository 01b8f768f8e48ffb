"""A report of a large run shows some of its clips, says so, and counts all of them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from lookaway.pipeline import make_board, make_exhibits, plans, write_reports
from lookaway.pipeline.shown_cases import tasks_shown
from lookaway.records import CaseId, Column, Table, TableCell, TableRow, Task
from lookaway.reports.evidence import PageEvidence
from lookaway.reports.html import html
from lookaway.store import Run, open_run
from tests.builders import task
from tests.command import invoke

SCENES = {"a1": "a", "a2": "a", "a3": "a", "b1": "b", "b2": "b", "c1": "c"}


@pytest.fixture
def tasks() -> dict[str, Task]:
    return {name: task(id=name, scene=scene) for name, scene in SCENES.items()}


def cases(tasks: dict[str, Task], systems: int = 2) -> list[CaseId]:
    return [CaseId(task=name, system=f"s{number}") for name in tasks for number in range(systems)]


def table(*links: str) -> Table:
    row = TableRow(title="worst", cells=tuple(TableCell(text="x", link=link) for link in links))
    columns = tuple(Column(name=str(number), title=str(number)) for number in range(len(links)))
    return Table(name="worst", title="Worst", reading="who is worst", columns=columns, rows=(row,))


def test_a_small_run_is_shown_whole(tasks: dict[str, Task]) -> None:
    assert tasks_shown(cases(tasks), tasks, [], most=12) == sorted(SCENES)
    assert tasks_shown(cases(tasks), tasks, [], most=0) == sorted(SCENES)


def test_every_scene_has_its_turn_before_any_has_a_second(tasks: dict[str, Task]) -> None:
    assert tasks_shown(cases(tasks), tasks, [], most=6) == ["a1", "b1", "c1"]
    assert tasks_shown(cases(tasks), tasks, [], most=11) == ["a1", "a2", "b1", "b2", "c1"]


def test_one_task_is_shown_however_many_clips_it_has(tasks: dict[str, Task]) -> None:
    assert tasks_shown(cases(tasks), tasks, [], most=1) == ["a1"]


def test_what_tables_lead_to_comes_first(tasks: dict[str, Task]) -> None:
    tables = [table("a3/s0/0", "a3/s1/0", "elsewhere/s0/0")]
    assert tasks_shown(cases(tasks), tasks, tables, most=4) == ["a1", "a3"]


@pytest.fixture
def run(small_run: Path, tmp_path: Path) -> Run:
    return open_run(shutil.copytree(small_run, tmp_path / "run"))


def test_numbers_count_the_clips_that_are_not_shown(run: Run) -> None:
    plan = plans.load(run)
    board, shown = make_board(run, plan), make_exhibits(run, plan, most=1)
    assert ([one.task.id for one in shown.tasks], shown.clips_left_out) == (["a"], 1)
    assert {cell.n for cell in board.cells if cell.metric == "psnr_all" and cell.slice == "all"} == {2}
    page = html(board, shown).decode()
    assert "1 clip of 2" in page
    assert "2 clips" in page
    data = json.loads(re.search(r'id="evidence-data">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert (len(data["clips"]), data["left_out"]) == (1, 1)
    evidence = PageEvidence(board, shown)
    assert evidence.of_case("b/held-first-frame/0") == "#cases", "where the page says how to see it"
    assert evidence.of_case("a/held-first-frame/0") == "#a/held-first-frame/0"


def test_a_score_in_the_list_leads_to_the_page_of_its_task(run: Run) -> None:
    plan = plans.load(run)
    board, shown = make_board(run, plan), make_exhibits(run, plan, apart=True)
    clip = shown.tasks[0].clips[0]
    evidence = PageEvidence(board, shown)
    address = evidence.of_case(evidence.of_score(clip, clip.scores[0].score))
    assert address.startswith("report/a.html#a/held-first-frame/0")
    assert f'href="{address}"' in html(board, shown).decode()


def test_the_command_shows_as_many_as_it_is_told(run: Run) -> None:
    code, told = invoke("report", str(run.root), "--cases", "1")
    assert code == 0, told
    assert "1 clip of 2" in (run.root / "report.html").read_text()
    write_reports(run, plans.load(run), make_board(run, plans.load(run)))
    assert "1 clip of 2" not in (run.root / "report.html").read_text()
