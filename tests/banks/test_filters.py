"""Which questions stay: by the truth, and by failures in three declared forms."""

from __future__ import annotations

import pytest

from lookaway.banks.counting import Funnel, banks_without_failing, floors, separation, short_dimensions
from lookaway.banks.filters import failure_filtered, truth_filtered, with_trials
from lookaway.records import BankedQuestion, FailureRule, QuestionBank
from tests.banks.made_banks import Said, bank, banked, plain_bank, question


def ids(made: QuestionBank) -> list[str]:
    return [asked.id for asked in made.kept]


@pytest.mark.parametrize(
    ("expected", "answer", "verdict"),
    [
        ("yes", "yes", "kept"),
        ("yes", "no", "dropped"),
        ("no", "no", "kept"),
        ("no", "yes", "dropped"),
        ("yes", "cannot tell", "dropped"),
        ("yes", None, "unknown"),
    ],
)
def test_a_question_stays_only_if_the_true_clip_passes_it(expected: str, answer: Said, verdict: str) -> None:
    made = truth_filtered(bank(banked(question(expected=expected), answer)))
    assert made.questions[0].question.verdicts == {"on_truth": verdict}
    assert bool(made.kept) == (verdict == "kept")


def test_a_question_that_was_never_put_to_the_truth_is_not_kept() -> None:
    assert truth_filtered(bank(banked(question()))).kept == ()


def after(rule: FailureRule, one: BankedQuestion) -> dict[str, str]:
    made = failure_filtered(truth_filtered(bank(one)), rule)
    return {str(stage): str(said) for stage, said in made.questions[0].question.verdicts.items() if stage != "on_truth"}


def test_the_main_text_drops_what_its_failure_clip_passes() -> None:
    assert after("main_text", banked(question(), "yes", ["no"])) == {"on_failure": "kept"}
    assert after("main_text", banked(question(), "yes", ["yes"])) == {"on_failure": "dropped"}
    assert after("main_text", banked(question(), "yes", ["yes", "no"])) == {"on_failure": "dropped"}, "one clip alone"


def test_the_hint_drops_what_is_unstable_and_keeps_what_the_failure_passes_twice() -> None:
    assert after("hint", banked(question(), "yes", ["yes"], ["yes"]))["with_hint"] == "kept"
    assert after("hint", banked(question(), "yes", ["no"], ["no"]))["with_hint"] == "kept"
    assert after("hint", banked(question(), "yes", ["yes"], ["no"]))["with_hint"] == "dropped"
    assert after("hint", banked(question(), "yes", ["yes"], [None]))["with_hint"] == "unknown"
    assert after("hint", banked(question(), "yes", ["yes"]))["with_hint"] == "unknown"


def test_the_sound_form_keeps_what_any_failure_fails() -> None:
    assert after("sound", banked(question(), "yes", ["yes", "no"])) == {"on_failure": "kept"}
    assert after("sound", banked(question(), "yes", ["yes", "cannot tell"])) == {"on_failure": "dropped"}
    assert after("sound", banked(question(), "yes", [None, None])) == {"on_failure": "unknown"}
    assert after("sound", banked(question(), "yes")) == {"on_failure": "unknown"}, "no failure clip"


def test_what_the_truth_fails_is_not_put_to_failures() -> None:
    assert after("sound", banked(question(), "no", ["no"])) == {}


def test_new_trials_replace_old_ones_and_the_verdicts_that_rested_on_them() -> None:
    old = truth_filtered(bank(banked(question(), "no")))
    new = with_trials(old, ("on_truth",), {})
    assert (ids(old), ids(new)) == ([], ["memory-1"])
    assert new.questions[0].trials == ()


def test_a_funnel_counts_what_each_stage_leaves() -> None:
    made = bank(
        banked(question(1), "yes", ["no"]),
        banked(question(2), "yes", ["yes"]),
        banked(question(3), "no"),
        banked(question(4, expected="no"), "no", ["yes", "no"]),
    )
    made = failure_filtered(truth_filtered(made), "sound")
    assert Funnel.of(made.questions) == (4, 3, 2, 2)
    assert separation(made.questions) == (2, 2, 0, 2)
    assert banks_without_failing([made]) == []
    assert short_dimensions(made) == ["instruction", "things", "physics"]


def test_a_bank_whose_failures_pass_everything_is_named() -> None:
    made = failure_filtered(truth_filtered(bank(banked(question(), "yes", ["yes"], ["yes"]))), "hint")
    assert (len(made.kept), separation(made.questions).passing) == (1, 1)
    assert banks_without_failing([made]) == ["a_task"]


def test_floors_add_up_to_one_and_are_missing_without_questions() -> None:
    rate = floors(plain_bank(count=3).kept)
    assert rate is not None
    assert rate == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert rate.higher == rate.always_yes
    assert floors([]) is None
