"""A bank in the layout of MemoBench's release, written by hand: stages are read, and what is broken is named."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lookaway.banks.memobench import COLUMNS, read_release
from lookaway.errors import UsageError

Cells = dict[str, Any]


def entry(number: int, said: str = "", dimension: str = "Continuity of Memory", polarity: str = "Positive") -> Cells:
    told = {"ID": number, "Dimension": dimension, "Dimension Polarity": polarity, "Question": f"Is {number} right?"}
    if not said:
        return told
    passed = (said == "Yes") == (polarity == "Positive")
    return told | {"Answer": said, "Verdict": "Pass" if passed else "Fail", "Reasoning": "one sees it"}


def cells() -> Cells:
    """Three questions: the truth fails the third, the hint unsettles the second."""
    return {
        "scene": "Zen_Garden",
        "video_id": "7",
        "Start Questions": [entry(1), entry(2), entry(3)],
        "Evaluation on ground truth": [entry(1, "Yes"), entry(2, "Yes"), entry(3, "No")],
        "Evaluation on failure": [entry(1, "No"), entry(2, "Yes")],
        "Revised Evaluation on failure": [entry(1, "No"), entry(2, "No")],
        "Final questions": [entry(1)],
    }


def written(folder: Path, told: Cells) -> Path:
    text = io.StringIO()
    writer = csv.DictWriter(text, [name for name in COLUMNS if name in told])
    writer.writeheader()
    writer.writerow({name: value if isinstance(value, str) else json.dumps(value) for name, value in told.items()})
    (folder / "Zen_Garden-7-questions.csv").write_text(text.getvalue(), newline="")
    return folder


def test_every_stage_is_read(tmp_path: Path) -> None:
    (bank,) = read_release(written(tmp_path, cells())).banks.values()
    assert bank.task == "Zen_Garden_007", "without the table of failures, by scene and number"
    first, second, third = (one.question.verdicts for one in bank.questions)
    assert first == {"written": "kept", "on_truth": "kept", "on_failure": "kept", "with_hint": "kept"}
    assert second == first | {"with_hint": "dropped"}
    assert third == {"written": "kept", "on_truth": "dropped"}
    assert [question.id for question in bank.kept] == ["1"]
    assert [trial.seen for trial in bank.questions[0].trials] == ["one sees it"] * 3


def test_the_table_of_failures_names_clip_and_hint(tmp_path: Path) -> None:
    cases = tmp_path / "failure-cases.csv"
    cases.write_text('scene,video_id,hint,folder\nZen_Garden,7,"""It drifts.""",ZenGarden_007\n')
    for named in (cases, None):
        (bank,) = read_release(written(tmp_path, cells()), named).banks.values()
        assert (bank.task, bank.hint) == ("ZenGarden_007", "It drifts.")
    cases.write_text("a,b\n1,2\n")
    with pytest.raises(UsageError, match="not the release's failure cases"):
        read_release(tmp_path, cases)


def test_a_bank_that_was_copied_under_the_name_of_its_task_is_called_so(tmp_path: Path) -> None:
    written(tmp_path, cells())
    (tmp_path / "Zen_Garden-7-questions.csv").rename(tmp_path / "mine_007.csv")
    assert list(read_release(tmp_path).banks) == ["mine_007"]


def without(name: str) -> Callable[[Cells], Cells]:
    return lambda told: {key: value for key, value in told.items() if key != name}


def changed(name: str, value: object) -> Callable[[Cells], Cells]:
    return lambda told: told | {name: value}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (without("Final questions"), "no column 'Final questions'"),
        (changed("Start Questions", "[{"), "not a JSON list"),
        (changed("Start Questions", "7"), "not a JSON list"),
        (changed("Start Questions", [entry(1), entry(1)]), "same ID"),
        (changed("Final questions", [entry(9)]), "question 9 is not among those that were written"),
        (changed("Start Questions", [entry(1, dimension="Taste")]), "Dimension"),
        (changed("Start Questions", "[" * 100_000), "not a JSON list"),
    ],
)
def test_a_broken_bank_is_named_with_its_file(tmp_path: Path, change: Callable[[Cells], Cells], why: str) -> None:
    with pytest.raises(UsageError, match=rf"Zen_Garden-7-questions\.csv:2.*{why}"):
        read_release(written(tmp_path, change(cells())))


def test_a_verdict_that_contradicts_its_answer_is_told(tmp_path: Path) -> None:
    told = cells()
    told["Evaluation on ground truth"][0]["Verdict"] = "Fail"
    lines = read_release(written(tmp_path, told)).report
    assert any("question 1, on_truth: 'yes' to a question that expects yes is printed as a fail" in x for x in lines)


def test_a_folder_without_banks_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="SCENE-ID-questions"):
        read_release(tmp_path)
