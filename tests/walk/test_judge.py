"""Questions put to a judge: every answer recorded with the frames it was given for, none lost, none invented."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lookaway.api import Silent
from lookaway.judges import JUDGES, Judge, Probe, Said, frames
from lookaway.pipeline import STAGES, make_board, plans
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Answer, Plan, Reply, Score, TokenScores, Usage
from lookaway.store import Run


def judged(run: Run, tmp_path: Path, lines: list[dict[str, str]]) -> Plan:
    answers = tmp_path / "answers.jsonl"
    answers.write_text("\n".join(json.dumps(line) for line in lines))
    plan = plans.extend(run, "diorama-mini", chosen=["questions"], judges=[f"scripted:{answers}"])
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
    assert len(own_run.latest("answers", Answer)) == 18, "nobody is asked about a camera that never turned"
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


def test_every_rater_votes_and_the_voting_rule_is_a_setting(own_run: Run, tmp_path: Path) -> None:
    said = {"ada": "yes", "kim": "yes", "zoe": "no"}
    ratings = tmp_path / "ratings.jsonl"
    lines = [{"media": "*", "question": "*", "rater": rater, "value": value} for rater, value in said.items()]
    ratings.write_text("\n".join(map(json.dumps, lines)))
    for rule, choice in (("majority", "yes"), ("unanimous", None), ("unanimous_true", "no")):
        plan = plans.extend(own_run, "diorama-mini", chosen=["questions"], judges=[f"human:{ratings}"], settings={"human.votes": rule})
        run_stage(STAGES["judge"], own_run, plan, Options(), Silent())
        answers = [a for a in own_run.latest("answers", Answer).values() if a.ask.endswith(rule)]
        assert {(a.choice, a.estimator, a.tally["yes"], len(a.replies)) for a in answers} == {(choice, "votes", 2, 3)}


def test_what_a_judge_is_handed(own_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """No name of a system or task, one encoding of each frame however many questions there are, exact token scores."""
    handed: list[Probe] = []
    encoded: list[int] = []
    jpeg = frames.encoded

    def counting(rgb: NDArray[np.uint8], encoding: frames.Encoding) -> bytes:
        encoded.append(1)
        return jpeg(rgb, encoding)

    async def spy(probe: Probe) -> Said:
        handed.append(probe)
        scores = TokenScores(logprobs={"Yes": math.log(0.8), "No": math.log(0.1)}, yes=("Yes",), no=("No",))
        return Said("Yes", scores, "complete", Usage(prompt_tokens=60 if len(handed) == 1 else 6000))

    monkeypatch.setattr(frames.sent, "encoded", counting)
    rule = frames.TokenRule()
    made = Judge("spy", 1, spy, None, "A spy.", encoding=frames.Encoding("jpeg"), tokens=rule)
    monkeypatch.setitem(JUDGES._plugins, "spy", made)
    plan = plans.extend(own_run, "diorama-mini", chosen=["questions"], judges=["spy"], settings={"spy.frames": "uniform:5"})
    run_stage(STAGES["judge"], own_run, plan, Options(only="parlour0*"), Silent())
    told = {probe.prompt for probe in handed}
    systems = [system.name for system in plan.systems]
    assert not [name for name in [*systems, "parlour0", "diorama"] for prompt in told if name in prompt]
    clips = {probe.about.media for probe in handed}
    assert len(encoded) == 5 * len(clips) < 5 * len(handed)
    answers = [a for a in own_run.latest("answers", Answer).values() if a.instrument == "spy@1"]
    assert [a.reason for a in answers if a.status == "failed"] == [
        "spy: frames were dropped: 5 of 320x180 make about 180 tokens, not 60"
    ]
    (p_yes,) = {a.p_yes for a in answers if a.status == "ok"}
    assert p_yes == pytest.approx(8 / 9)
    reply = next(r for r in own_run.latest("replies", Reply).values() if r.instrument == "spy@1")
    shown = next(p for p in handed if p.about.media == reply.media)
    assert reply.frames_sha256 == tuple(frame.sha256 for frame in shown.frames)
    assert (reply.prompt, reply.frame_rule, len(reply.frame_indices)) == ("question@2:sound:a", "uniform:5", 5)
