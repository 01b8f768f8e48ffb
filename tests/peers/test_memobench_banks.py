"""The official banks of MemoBench, as far as they are here: their counts, and what they cannot tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from lookaway.banks import read_banks
from lookaway.banks.counting import (
    Funnel,
    banks_without_failing,
    floors,
    questions_of,
    separation,
    short_dimensions,
)
from lookaway.banks.filters import DIMENSIONS, failure_filtered, truth_filtered, with_trials
from lookaway.banks.memobench import read_release
from lookaway.records import BankedQuestion, FailureRule, QuestionBank
from tests.command import call

pytestmark = pytest.mark.peers


@pytest.fixture(scope="module")
def banks(peer_data: Path) -> list[QuestionBank]:
    folder = peer_data / "memobench"
    return list(read_release(folder / "vqa_questions", folder / "failure-cases.csv").banks.values())


def test_stages_leave_what_the_release_says(banks: list[QuestionBank]) -> None:
    assert len(banks) == 23
    assert Funnel.of(questions_of(banks)) == (552, 533, 451, 451)
    assert all(len(bank.questions) == 24 for bank in banks)
    assert all(short_dimensions(bank) == [] for bank in banks), "at least two of each dimension stay"


def test_most_of_what_is_kept_passes_on_the_failure(banks: list[QuestionBank]) -> None:
    told = separation(questions_of(banks))
    assert (told.tried, told.passing, told.failing) == (451, 423, 28)
    assert len(banks_without_failing(banks)) == 15


def test_floors_of_always_yes(banks: list[QuestionBank]) -> None:
    rates = [floors([one.question for one in questions_of(banks, d) if one.stays]) for d in DIMENSIONS]
    assert [round(rate.always_yes, 3) for rate in rates if rate] == [0.55, 0.488, 0.459, 0.537]


def as_printed(one: BankedQuestion) -> BankedQuestion:
    """With answers turned where the release's own verdict says another thing than its answer."""
    turned = {"yes": "no", "no": "yes"}
    trials = tuple(
        trial.model_copy(update={"answer": turned[str(trial.answer)]})
        if (trial.recorded == "pass") != one.passed(trial)
        else trial
        for trial in one.trials
    )
    return one.model_copy(update={"trials": trials})


@pytest.mark.parametrize(("rule", "kept"), [("hint", 451), ("main_text", 47), ("sound", 47)])
def test_our_rules_on_the_released_answers(banks: list[QuestionBank], rule: FailureRule, kept: int) -> None:
    """By its printed verdicts the release held the form with the hint; the main text's would leave 47 of 533."""
    left = 0
    for bank in banks:
        printed = bank.model_copy(update={"questions": tuple(map(as_printed, bank.questions))})
        trials = {one.question.id: one.trials for one in printed.questions}
        anew = with_trials(printed, ("on_truth", "on_failure", "with_hint", "review"), trials)
        made = failure_filtered(truth_filtered(anew), rule)
        left += len(made.kept)
        if rule == "hint":
            assert [q.id for q in made.kept] == [q.id for q in bank.kept]
    assert left == kept


def test_what_contradicts_itself_is_named(peer_data: Path, tmp_path: Path) -> None:
    folder = peer_data / "memobench"
    done = call("bank", "import", "memobench", str(folder / "vqa_questions"), "--bank", str(tmp_path / "b"))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "23 banks: 552 questions written, 533 after the truth, 451 kept"
    assert sum("is printed as a" in line for line in lines) == 4
    assert sum("instruction: 4 questions expect yes, 2 no" in line for line in lines) == 8
    assert sum("its words in" in line for line in lines) == 1
    read = read_banks(tmp_path / "b")
    assert "ZenGarden_010" in read, "called as its clip, not as its scene"
    assert all(bank.hint and not bank.hint.startswith('"') for bank in read.values())
    shown = call("bank", "show", str(tmp_path / "b"))
    assert "15 of 23 banks keep no question that a failure fails" in shown.stdout
