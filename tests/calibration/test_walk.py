"""A small calibration from end to end: sampled, resumed, told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lookaway import suites
from lookaway.api import Silent
from lookaway.banks import read_banks, reference, write_banks
from lookaway.calibration import walk as walking
from lookaway.calibration.detection import detection_from
from lookaway.calibration.measurable import not_measured, planned_protocols
from lookaway.calibration.report import graded, write
from lookaway.calibration.sample import candidates, choose_tasks
from lookaway.calibration.systems import Rung, rungs
from lookaway.calibration.walk import Wish, calibrate, chosen_rungs
from lookaway.errors import UnknownName, UsageError
from lookaway.metrics import METRICS
from lookaway.models import system
from lookaway.outcomes import Abstain
from lookaway.pipeline import make_board, plans
from lookaway.pipeline.stage import Options
from lookaway.records import BankedQuestion, Clip, DetectionTable, Plan, Question, QuestionBank
from lookaway.store import Run

SYSTEMS = ("truth", "compressed", "frozen@1")
WISH = Wish("diorama-mini", metrics=["psnr_returned:sound", "turned_away"], tasks=2, quotas={"rung": 2})


@pytest.fixture(scope="module")
def few_rungs() -> list[Rung]:
    return [rung for rung in rungs() if rung.system in SYSTEMS]


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory: pytest.TempPathFactory, few_rungs: list[Rung]) -> tuple[Run, Plan]:
    run = Run(tmp_path_factory.mktemp("calibrated"))
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walking, "rungs", lambda: few_rungs)
        plan, reports = calibrate(run, WISH, Options(), Silent(), said.append)
    assert not any(report.failures for report in reports)
    assert said == ["calibrating on 6 clips of 2 tasks: 2 truth, 2 harmless, 2 fault"]
    return run, plan


def test_questions_of_a_bank_are_those_that_are_graded(few_rungs: list[Rung], tmp_path: Path) -> None:
    run, task = Run(tmp_path / "run"), choose_tasks(candidates(suites.find("diorama-mini")), 2)[0]
    asked = Question(
        id="1",
        text="Is it there?",
        dimension="memory",
        polarity="positive",
        expected="yes",
        verdicts={"written": "kept"},
    )
    write_banks(tmp_path / "bank", [QuestionBank(task=task, questions=(BankedQuestion(question=asked),))])
    wish = replace(WISH, banks=tmp_path / "bank")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walking, "rungs", lambda: few_rungs)
        plan, _ = calibrate(run, wish, Options(dry_run=True), Silent(), lambda line: None)
        write_banks(tmp_path / "other", [QuestionBank(task="elsewhere")])
        other = replace(WISH, banks=tmp_path / "other")
        with pytest.raises(UsageError, match="none of the 1 banks is of a task of this suite"):
            calibrate(run, other, Options(dry_run=True), Silent(), lambda line: None)
    assert plan.bank == reference(read_banks(tmp_path / "bank"))
    assert not run.root.exists(), "a dry run writes nothing"


def test_only_the_sample_is_built_and_made(calibrated: tuple[Run, Plan]) -> None:
    run, plan = calibrated
    clips = run.latest("clips", Clip).values()
    assert {clip.case for clip in clips} == set(plan.cases)
    assert len(clips) == 6
    assert len(run.done("tasks")) == 2
    assert not any("planned clips" in what or "tasks" in what for what in make_board(run, plan).not_measured)


def test_a_second_calibration_makes_nothing(
    calibrated: tuple[Run, Plan], few_rungs: list[Rung], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, plan = calibrated
    monkeypatch.setattr(walking, "rungs", lambda: few_rungs)
    before = graded(run, plan)
    again, reports = calibrate(run, WISH, Options(), Silent(), lambda line: None)
    assert [report.stage for report in reports] == ["tasks", "controls", "generate", "observe", "score"]
    assert all(report.outcomes == () for report in reports)
    assert again == plan == plans.load(run)
    assert graded(run, again) == before


def test_a_smaller_wish_leaves_the_rest_out_of_the_table(
    calibrated: tuple[Run, Plan], few_rungs: list[Rung], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, plan = calibrated
    monkeypatch.setattr(walking, "rungs", lambda: few_rungs[:2])
    smaller, reports = calibrate(run, WISH, Options(), Silent(), lambda line: None)
    assert all(report.outcomes == () for report in reports)
    assert {case.system for case in smaller.cases} == {"truth", "compressed"}
    assert isinstance(detection_from(run, smaller), Abstain)
    plans.sample(run, plan)


def test_the_table_names_every_metric_and_says_why_it_has_no_number(calibrated: tuple[Run, Plan]) -> None:
    run, plan = calibrated
    table, _ = graded(run, plan)
    assert isinstance(table, DetectionTable)
    assert {(row.metric, row.variant) for row in table.rows} == {(m.name, m.variant) for m in METRICS.all().values()}
    assert (table.n_clips, table.n_harmless, len(table.tasks)) == (6, 2, 2)
    measured = [
        row for row in table.rows if (row.metric, row.variant, row.fault) == ("psnr_returned", "sound", "frozen")
    ]
    assert [(row.n, row.n_harmless) for row in measured] == [(2, 2)]
    assert "too few harmless clips" in measured[0].reason
    assert {row.reason for row in table.rows if row.metric == "question_accuracy"} == {
        "needs a judge; give one with --judge"
    }
    assert {row.reason for row in table.rows if row.metric == "ssim_all"} == {"not part of this run"}


def test_the_table_is_written_as_json_and_as_a_page(calibrated: tuple[Run, Plan]) -> None:
    run, plan = calibrated
    table, warnings = graded(run, plan)
    assert isinstance(table, DetectionTable)
    names = {path.name for path in write(run, table, warnings)}
    assert {"detection.json", "detection.md"} <= names
    assert DetectionTable.model_validate_json((run.root / "detection.json").read_text()) == table
    page = (run.root / "detection.md").read_text()
    assert page.startswith("# Detection\n")
    assert "6 clips of 2 tasks, 2 of them harmless" in page
    assert "- question_accuracy: needs a judge" in page
    assert json.loads((run.root / "detection.json").read_text())["suite"] == "diorama-mini"


def test_a_sampled_folder_takes_no_other_models_and_no_other_suite(
    calibrated: tuple[Run, Plan], demo_run: Path
) -> None:
    run, plan = calibrated
    with pytest.raises(UsageError, match="holds a sampled run"):
        plans.extend(run, "diorama-mini", [system("vanished")])
    with pytest.raises(UsageError, match="holds another run"):
        plans.sample(run, plan.model_copy(update={"suite": "diorama-dose"}))
    with pytest.raises(UsageError, match="holds another run"):
        plans.sample(Run(demo_run), plan)
    assert plans.extend(run, "diorama-mini", keep=False).cases == plan.cases


def test_a_run_without_harmless_variations_has_no_table_but_a_reason(demo_run: Path) -> None:
    run = Run(demo_run)
    plan = plans.load(run)
    systems = tuple(s for s in plan.systems if s.name in ("truth", "frozen"))
    found = detection_from(run, plan.model_copy(update={"systems": systems}))
    assert isinstance(found, Abstain)
    assert "no harmless variation" in found.reason


def test_every_registered_metric_is_in_the_protocol_or_has_a_reason() -> None:
    (listed,) = planned_protocols([], None, judged=False)
    names = set(map(str, listed.metrics))
    plan = Plan(suite="s", suite_version="1", protocols=(listed,))
    assert names | set(not_measured(plan)) == set(METRICS.all())
    assert not names & set(not_measured(plan))
    judged = {str(ref): p.name for p in planned_protocols([], None, judged=True) for ref in p.metrics}
    assert judged["question_accuracy:sound"] == "questions", "asked as the protocol that has it asks"
    assert judged.keys() == names | {str(metric.ref) for metric in METRICS.all().values() if metric.all_asks}


def test_named_faults_come_with_truth_and_everything_harmless() -> None:
    chosen = chosen_rungs(["frozen", "held-first-frame"])
    assert {rung.kind for rung in chosen} == {"truth", "harmless", "fault", "baseline"}
    assert {rung.name for rung in chosen if rung.kind == "fault"} == {"frozen"}
    with pytest.raises(UnknownName, match="did you mean frozen"):
        chosen_rungs(["forzen"])


def test_every_fault_has_an_odd_ladder_with_one_middle() -> None:
    faults = {rung.name for rung in rungs() if rung.kind == "fault"}
    for fault in faults:
        assert [rung.middle for rung in rungs() if rung.name == fault].count(True) == 1


def test_the_metric_that_must_notice_a_fault_exists() -> None:
    sound = {metric.name for metric in METRICS.all().values() if metric.variant == "sound"}
    assert {rung.declared for rung in rungs() if rung.kind == "fault"} <= sound
