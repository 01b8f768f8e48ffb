"""Questions put to a judge: every answer recorded with the frames it was given for, none lost, none invented."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lookaway.api import Silent
from lookaway.judges import parse_choice
from lookaway.pipeline import STAGES, make_board, plans
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Answer, Plan, Reply, Score
from lookaway.store import Run


def judged(run: Run, tmp_path: Path, lines: list[dict[str, str]]) -> Plan:
    answers = tmp_path / "answers.jsonl"
    answers.write_text("\n".join(json.dumps(line) for line in lines))
    plan = plans.extend(run, "diorama-mini", chosen=["questions"], judge=f"scripted:{answers}")
    for stage in ("judge", "score"):
        run_stage(STAGES[stage], run, plan, Options(), Silent())
    return plan


RIGHT = [
    {"media": "*", "question": "there", "text": "Yes."},
    {"media": "*", "question": "ended", "text": "yes"},
    {"media": "*", "question": "as_before", "text": "No"},
]


def test_answers_become_scores_and_a_static_camera_stays_gated(own_run: Run, tmp_path: Path) -> None:
    plan = judged(own_run, tmp_path, RIGHT)
    board = make_board(own_run, plan)
    assert board.cell("truth", "question_accuracy").value == 1.0
    assert board.cell("static-camera", "question_accuracy").avoided == 2
    assert len(own_run.latest("answers", Answer)) == 24
    reply = next(iter(own_run.latest("replies", Reply).values()))
    assert len(reply.frames_sha256) == len(reply.frame_seconds) == 12
    again = run_stage(STAGES["judge"], own_run, plan, Options(), Silent())
    assert again.outcomes == ()


def test_what_is_neither_yes_nor_no_is_an_abstention(own_run: Run, tmp_path: Path) -> None:
    judged(own_run, tmp_path, [*RIGHT[:2], {"media": "*", "question": "as_before", "text": "Yes and no"}])
    scores = [s for s in own_run.latest("scores", Score).values() if s.metric == "question_accuracy"]
    assert {s.status for s in scores if s.system == "truth"} == {"abstained"}
    assert {s.reason for s in scores if s.system == "truth"} == {"no answer to as_before"}


def test_a_judge_without_a_reply_is_our_failure_and_is_asked_again(own_run: Run, tmp_path: Path) -> None:
    judged(own_run, tmp_path, RIGHT[:2])
    scores = [s for s in own_run.latest("scores", Score).values() if s.metric == "question_accuracy"]
    assert {s.status for s in scores if s.system == "truth"} == {"failed"}
    assert all("no reply for question as_before" in s.reason for s in scores if s.system == "truth")
    plan = judged(own_run, tmp_path, RIGHT)
    assert make_board(own_run, plan).cell("truth", "question_accuracy").value == 1.0


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("Yes", "yes"),
        (" no.", "no"),
        ("**Yes**, the ball is back", "yes"),
        ("Yes and no", None),
        ("Maybe", None),
        ("", None),
        ("I think yes", None),
        ("Nothing", None),
    ],
)
def test_only_a_plain_verdict_is_one(text: str, choice: str | None) -> None:
    assert parse_choice(text) == choice
