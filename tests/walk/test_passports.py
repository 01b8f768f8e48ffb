"""A judge's fingerprint is part of who it is: on the board, in keys, and for kept replies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lookaway.api import Silent
from lookaway.judges.exam import passports
from lookaway.judges.exam.operating_point import operating_point
from lookaway.pipeline import STAGES, make_board, plans
from lookaway.pipeline.instruments import without_passport
from lookaway.pipeline.seats import seat_of
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Answer, ExamAnswer, Instrument, Plan, Setting
from lookaway.store import Blobs, Run
from tests.judges.exam_papers import small_paper
from tests.judges.server import ChatServer, Manner, serving

pytest.importorskip("httpx")

ONE_CLIP = Options(only="parlour0_ball*/truth/0")
MODEL: dict[str, Setting] = {"openai.model": "tiny"}


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOKAWAY_STATE", str(tmp_path / "state"))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serving(Manner()) as found:
        yield found


def planned(run: Run, judge: str) -> Plan:
    return plans.extend(run, "diorama-mini", chosen=["questions"], judges=[judge], settings=MODEL)


def judged(run: Run, judge: str) -> Plan:
    plan = planned(run, judge)
    for stage in ("judge", "score"):
        run_stage(STAGES[stage], run, plan, ONE_CLIP, Silent())
    return plan


def instrument(plan: Plan) -> Instrument:
    found = plan.judges[0].instrument
    assert found is not None
    return found


def examined(plan: Plan, blobs: Blobs, p_yes: float) -> str:
    """The fingerprint of a sitting in which all was answered alike."""
    (member,) = seat_of(plan, plan.judges[0]).members
    plain, paper = without_passport(member.instrument), small_paper(blobs)
    address = passports.holder(plain, member.source)
    answers = [
        ExamAnswer(item=item.id, round=n, status="ok", choice="yes", p_yes=p_yes)
        for item in paper.items
        for n in (0, 1)
    ]
    stored = passports.founded(passports.kept(address), paper.id)
    passport = passports.issued(plain, address, paper, answers, "", stored)
    passports.keep(passport, operating_point(passport, paper))
    return passport.fingerprint


def test_a_board_says_that_its_judge_has_sat_no_exam_until_it_has(
    own_run: Run, server: ChatServer, tmp_path: Path
) -> None:
    judge = f"openai:{server.url}"
    board = make_board(own_run, plan := planned(own_run, judge))
    assert board.deviations == {"judge openai@2(model=tiny)": f"has sat no exam: lookaway judges exam {judge}"}
    examined(plan, Blobs(tmp_path / "blobs"), 0.9)
    assert not make_board(own_run, planned(own_run, judge)).deviations


def test_a_judge_that_answers_out_of_a_file_needs_no_exam(own_run: Run, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"media": "*", "question": "there", "text": "Yes"}\n')
    plan = plans.extend(own_run, "diorama-mini", chosen=["questions"], judges=[f"scripted:{answers}"])
    assert not plans.deviations(plan)


def test_the_fingerprint_is_part_of_key_and_label_and_only_of_that_judge(
    own_run: Run, server: ChatServer, tmp_path: Path
) -> None:
    before = planned(own_run, f"openai:{server.url}")
    fingerprint = examined(before, Blobs(tmp_path / "blobs"), 0.9)
    after = planned(own_run, f"openai:{server.url}/")
    assert instrument(after).passport == fingerprint
    assert instrument(after).key != instrument(before).key
    assert fingerprint[:6] in instrument(after).label
    assert without_passport(instrument(after)) == instrument(before)
    elsewhere = planned(own_run, "openai:http://localhost:1/v1")
    assert instrument(elsewhere).passport == ""


def test_a_judge_that_has_moved_is_asked_anew_and_has_a_column_of_its_own(
    own_run: Run, server: ChatServer, tmp_path: Path
) -> None:
    judge, blobs = f"openai:{server.url}", Blobs(tmp_path / "blobs")
    labels, asked = [], []
    for p_yes in (0.9, 0.9, 0.2):
        examined(planned(own_run, judge), blobs, p_yes)
        plan = judged(own_run, judge)
        (column,) = {cell.instrument for cell in make_board(own_run, plan).cells if cell.metric == "question_accuracy"}
        labels.append(column)
        asked.append(len(server.log))
    assert labels[0] == labels[1] != labels[2]
    assert asked[0] == asked[1] == asked[2] / 2 > 0
    kept = {answer.instrument for answer in own_run.latest("answers", Answer).values()}
    assert len(kept) == 2, "what it said before stays"
