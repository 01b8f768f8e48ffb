"""A calibration's judge is asked again in other ways; what its table says is what the oracle's dials say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lookaway.api import Silent
from lookaway.calibration import judge_page
from lookaway.calibration import walk as walking
from lookaway.calibration.judge_checks import LOG
from lookaway.calibration.judge_tables import judge_tables
from lookaway.calibration.report import write_judged
from lookaway.calibration.systems import rungs
from lookaway.calibration.walk import Wish, calibrate
from lookaway.pipeline.stage import Options
from lookaway.pipeline.tasks import built_banks
from lookaway.records import Answer, JudgeCheck, JudgeTable, Plan, Reply, Setting
from lookaway.store import Run

SYSTEMS = ("truth", "compressed", "frozen@0.7")
QUESTIONS = ("there", "ended", "as_before")
ALWAYS = [[0, 99]]


def oracle_file(path: Path) -> Path:
    """The true answer to every question in every way of asking it, whatever the clip."""
    lines = []
    for question in QUESTIONS:
        truth = "no" if question == "as_before" else "yes"
        turned = "yes" if truth == "no" else "no"
        names = [question, f"b/{question}", f"c/{question}", f"shuffled/{question}", f"blank/{question}"]
        lines += [{"media": "*", "question": name, "truth": truth, "evidence": ALWAYS} for name in names]
        lines.append({"media": "*", "question": f"opposite/{question}", "truth": turned, "evidence": ALWAYS})
    for place, truth in (("before", "no"), ("after", "yes")):
        lines.append({"media": "*", "question": f"pair/{place}", "truth": truth, "evidence": ALWAYS})
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("judged")


def judged(folder: Path, **dials: Setting) -> tuple[Run, Plan]:
    """The same clips under an oracle of these dials."""
    run, few = Run(folder / "run"), [rung for rung in rungs() if rung.system in SYSTEMS]
    settings = {f"oracle.{name}": value for name, value in dials.items()}
    source = oracle_file(folder / "truths.jsonl")
    quotas = {"fault": 2, "rung": 2, "harmless": 2}
    wish = Wish("diorama-mini", None, ["question_accuracy"], 2, quotas, [f"oracle:{source}"], settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walking, "rungs", lambda: few)
        plan, reports = calibrate(run, wish, Options(), Silent(), lambda line: None)
    assert not any(report.failures for report in reports)
    return run, plan


def value(table: JudgeTable, name: str) -> float | None:
    return {check.name: check.value for check in table.checks}[name]


def test_a_judge_that_looks_and_knows_has_no_bias(folder: Path) -> None:
    run, plan = judged(folder)
    (table,) = judge_tables(run, plan)
    assert all(len(bank.questions) == len(QUESTIONS) for bank in built_banks(run, plan).values())
    assert (table.true_clips, table.faulty_clips) == (2, 2)
    assert table.right.value == 1.0
    assert table.right.answered == 4 * len(QUESTIONS), "true and harmless clips"
    assert not table.beats_floors, "four clips are too few to be sure of it"
    assert table.always_yes == pytest.approx(2 / 3)
    assert value(table, "question and opposite disagree") == 1.0
    assert value(table, "leans to yes") == 0.0
    assert value(table, "same in every wording") == 1.0
    assert value(table, "claims to know without a picture") == 0.0
    assert value(table, "leans to the first of two") == 0.0
    assert {c.name for c in table.checks if c.reason.startswith("no question")} == {"then says yes"}


def test_each_way_of_asking_shows_what_it_says(folder: Path) -> None:
    run, _ = judged(folder)
    shown = {reply.question: reply for reply in run.latest("replies", Reply).values()}
    filmed, blank, shuffled = (shown[name] for name in ("there", "blank/there", "shuffled/there"))
    assert len(set(blank.frames_sha256)) == 1
    assert shuffled.frames_sha256 != filmed.frames_sha256
    assert shuffled.frame_seconds == filmed.frame_seconds
    assert sorted(shuffled.frame_indices) == list(filmed.frame_indices) != list(shuffled.frame_indices)
    assert shown["b/there"].prompt.endswith(":b")
    assert len(shown["pair/before"].frames_sha256) == 2 * len(filmed.frames_sha256)
    half = len(filmed.frames_sha256)
    before, after = (shown[f"pair/{place}"].frames_sha256 for place in ("before", "after"))
    assert (before[:half], before[half:]) == (after[half:], after[:half])


def test_a_judge_that_always_says_yes_is_found_out(folder: Path) -> None:
    run, plan = judged(folder, bias=1.0)
    (table,) = judge_tables(run, plan)
    assert value(table, "leans to yes") == 1.0
    assert value(table, "leans to the first of two") == 1.0
    assert value(table, "question and opposite disagree") == 0.0
    assert table.right.value == table.always_yes
    assert not table.beats_floors
    assert judge_page.NOTHING in judge_page.markdown(table)


def test_a_judge_that_was_never_shown_a_blank_video_has_no_number_for_it(folder: Path) -> None:
    run, plan = judged(folder, frames="native:as it likes")
    (table,) = judge_tables(run, plan)
    never = {check.name for check in table.checks if check.reason == "nothing was asked"}
    assert never == {"claims to know without a picture", "then says yes"}
    assert value(table, "same with frames shuffled") is None


def test_checks_are_kept_and_not_asked_again(folder: Path) -> None:
    run, plan = judged(folder, bias=1.0)
    before = run.latest(LOG, Answer)
    attempts = {key: done.attempt for key, done in run.done(LOG).items()}
    judged(folder, bias=1.0)
    assert run.latest(LOG, Answer) == before
    assert {key: done.attempt for key, done in run.done(LOG).items()} == attempts
    assert [path.name for path in write_judged(run, judge_tables(run, plan))] == ["judge.json", "judge.md"]


def table_of(right: JudgeCheck, *checks: JudgeCheck) -> JudgeTable:
    counts = {"true_clips": 20, "faulty_clips": 20, "always_yes": 0.6, "always_no": 0.4}
    return JudgeTable(judge="x", settings={}, suite="s", version="1", right=right, checks=checks, **counts)


def test_a_number_that_is_missing_says_why() -> None:
    check = JudgeCheck(name="leans to yes", best="0", answered=0, unanswered=3, reason="no question was answered")
    page = judge_page.markdown(table_of(check, check))
    assert "| leans to yes | 0 | – | – | 0 | 3 |" in page
    assert "leans to yes: no question was answered" in page


@pytest.mark.parametrize(("low", "beats"), [(0.61, True), (0.6, False), (None, False)])
def test_a_judge_must_surely_beat_both_floors(low: float | None, beats: bool) -> None:
    right = JudgeCheck(name="right", best="", value=0.9, low=low, high=1.0, answered=60, unanswered=0)
    assert table_of(right).beats_floors == beats
    assert (judge_page.NOTHING in judge_page.markdown(table_of(right))) == (not beats)
