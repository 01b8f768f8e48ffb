"""The table as people read it."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from lookaway.calibration.detection import detect
from lookaway.calibration.detection_page import markdown
from lookaway.calibration.detection_table import terminal
from lookaway.calibration.systems import Rung
from lookaway.records import DetectionTable
from tests.calibration.graded import RUNGS, a_metric, in_layouts, scored, table

TASKS = in_layouts(per_layout=5)
LADDER = {f"lost@{step}": Rung(f"lost@{step}", "fault", "lost", step, step == 0.5, "grade") for step in (0.1, 0.5, 0.9)}


@pytest.fixture(scope="module")
def graded() -> DetectionTable:
    rungs = {name: rung for name, rung in RUNGS.items() if name != "lost@0.5"} | LADDER
    scores = scored("truth", TASKS, [0.0] * 20) + scored("calm", TASKS, [0.0] * 20)
    scores += scored("lost@0.1", TASKS, [0.0] * 20) + scored("lost@0.5", TASKS, [1.0] * 19 + ["abstained"])
    scores += scored("lost@0.9", TASKS, [1.0] * 20) + scored("still", TASKS, ["gated"] * 20)
    scores += scored("blurred", TASKS, [1.0, 0.0] * 10)
    metrics = [a_metric(), a_metric(name="asked")]
    rows = detect(table(scores), rungs, TASKS, metrics, not_measured={"asked:sound": "needs a judge"})
    return DetectionTable(
        suite="tiny",
        version="1",
        tasks=tuple(task.id for task in TASKS),
        halves=(("beach", "kitchen"), ("garden", "street")),
        n_clips=140,
        n_harmless=20,
        false_alarms=0.05,
        unobservable_below=0.05,
        rows=tuple(rows),
    )


def lines(text: str, start: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(start)]


def test_the_page_shows_the_whole_ladder_of_the_declared_metric(graded: DetectionTable) -> None:
    mild, middle, severe = lines(markdown(graded), "| lost |")
    assert mild.startswith("| lost | 0.1 | grade | 20 | 0 % [0, ")
    assert middle.startswith("| lost | 0.5 (middle) | grade | 20 | 95 % [")
    assert "| 1 | 0 | 0 |" in middle  # abstained, gated, unobservable
    assert severe.startswith("| lost | 0.9 | grade | 20 | 100 % [83, 100]")


def test_the_page_says_who_is_blind_who_cries_wolf_and_who_is_silent(graded: DetectionTable) -> None:
    page = markdown(graded, ["grade likes lost better than the truth"])
    assert "| grade | 0 % | lost |  |  |  |" in page
    assert "| metric | blurred |\n| --- | --- |\n| grade | 50 % |" in page
    assert "| metric | still |\n| --- | --- |\n| grade | 0 % of 20, 20 gated |" in page
    assert "- asked: needs a judge" in page
    assert "## Warnings\n\n- grade likes lost" in page


def by_two(graded: DetectionTable) -> DetectionTable:
    """The same, read by a second judge that is asked the same."""
    first = [row.model_copy(update={"instrument": "judge a", "instrument_key": "a"}) for row in graded.rows if row.n]
    second = [row.model_copy(update={"instrument": "judge b", "instrument_key": "b"}) for row in first]
    silent = [row for row in graded.rows if row.metric == "asked"]
    return graded.model_copy(update={"rows": (*first, *second, *silent)})


def test_where_two_instruments_measure_a_metric_every_table_says_which(graded: DetectionTable) -> None:
    page = markdown(by_two(graded))
    assert len(lines(page, "| lost | 0.5 (middle) | grade | judge a | 20 | 95 % [")) == 1
    assert len(lines(page, "| lost | 0.5 (middle) | grade | judge b | 20 | 95 % [")) == 1
    assert "| grade | judge a | 0 % | lost |  |  |  |\n| grade | judge b | 0 % | lost |" in page
    assert "| metric | instrument | blurred |" in page
    assert "- asked: needs a judge" in page
    text = io.StringIO()
    Console(file=text, width=100).print(terminal(by_two(graded)))
    assert text.getvalue().count("judge a") == text.getvalue().count("judge b") == 2


def test_a_single_instrument_is_no_column(graded: DetectionTable) -> None:
    one = [row.model_copy(update={"instrument": "judge a", "instrument_key": "a", "ask": "x"}) for row in graded.rows]
    assert markdown(graded.model_copy(update={"rows": tuple(one)})) == markdown(graded)


def test_the_terminal_shows_it_within_a_hundred_columns(graded: DetectionTable) -> None:
    text = io.StringIO()
    Console(file=text, width=100).print(terminal(graded, ["a warning"]))
    said = text.getvalue()
    assert all(len(line) <= 100 for line in said.splitlines())
    assert "0 95 100" in said
    assert "blurred 50 %" in said
    assert "not measured: asked: needs a judge" in said
    assert "warning: a warning" in said
