"""p_yes from token scores: exact where every spelling is scored, bounded where some are not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lookaway.errors import ObserveError
from lookaway.judges import transformers as judge_transformers
from lookaway.judges.estimators import p_yes
from lookaway.judges.estimators.spellings import NO, YES, single_tokens
from lookaway.records import TokenScores

ANSWERS = (*YES, *NO)


def scores(masses: dict[str, float], unlisted_most: float | None = None, yes=("Yes", "yes"), no=("No", "no")):
    logprobs = {token: math.log(mass) for token, mass in masses.items()}
    most = None if unlisted_most is None else math.log(unlisted_most)
    return TokenScores(logprobs=logprobs, yes=yes, no=no, unlisted_most=most)


def test_every_spelling_counts_and_none_is_left_to_guess() -> None:
    made = p_yes(scores({"Yes": 0.4, "yes": 0.2, "No": 0.1, "no": 0.1}))
    assert (made.status, made.choice) == ("ok", "yes")
    assert made.p_yes == pytest.approx(0.75)
    assert made.p_yes_low == made.p_yes_high == made.p_yes
    assert made.answer_mass == pytest.approx(0.8)


def test_a_spelling_left_out_widens_the_bounds_by_what_it_can_hold() -> None:
    made = p_yes(scores({"Yes": 0.6, "No": 0.3, "Well": 0.04}, unlisted_most=0.04))
    assert made.p_yes == pytest.approx(2 / 3)
    assert made.p_yes_low == pytest.approx(0.6 / 0.94)  # "no" may hold 0.04
    assert made.p_yes_high == pytest.approx(0.64 / 0.94)
    unknown = p_yes(scores({"Yes": 0.6, "No": 0.3, "Well": 0.04}))  # now only the remaining 0.06 bounds it
    assert unknown.p_yes_low == pytest.approx(0.6 / 0.96)


def test_bounds_hold_the_exact_value_over_random_vocabularies() -> None:
    rng = np.random.default_rng(0)
    words = [*ANSWERS, *(f"w{i}" for i in range(400))]
    narrow = 0
    for _ in range(600):
        logits = rng.normal(0, 1.5, len(words))
        logits[: len(ANSWERS)] += rng.choice([2, 5, 9]) + rng.normal(0, 2, len(ANSWERS))
        masses = np.exp(logits - logits.max())
        masses /= masses.sum()
        exact = masses[: len(YES)].sum() / masses[: len(ANSWERS)].sum()
        top = np.argsort(masses)[::-1][:20]
        listed = {words[i]: float(masses[i]) for i in top}
        made = p_yes(scores(listed, min(listed.values()), YES, NO), least_mass=0.0, widest=1.0)
        if made.status == "ok":
            assert made.p_yes_low - 1e-9 <= exact <= made.p_yes_high + 1e-9
            narrow += made.p_yes_high - made.p_yes_low < 0.05
        whole = p_yes(scores({w: float(m) for w, m in zip(words, masses, strict=True)}, None, YES, NO), 0.0)
        assert whole.p_yes == pytest.approx(exact, abs=1e-12)
    assert narrow > 200


def test_a_judge_that_begins_another_sentence_abstains() -> None:
    made = p_yes(scores({"The": 0.7, "Yes": 0.2, "No": 0.01, "yes": 0.01, "no": 0.01}))
    assert (made.status, made.choice, made.p_yes) == ("abstained", None, None)
    assert "0.230 of its belief" in made.reason
    assert p_yes(scores({"The": 0.9})).status == "abstained"


def test_bounds_too_wide_are_no_measurement() -> None:
    made = p_yes(scores({"Yes": 0.3, "No": 0.25}))
    assert (made.status, made.p_yes) == ("abstained", None)
    assert made.p_yes_low < 0.35 < 0.7 < made.p_yes_high


def test_on_either_side_of_one_half_there_is_a_number_but_no_choice() -> None:
    made = p_yes(scores({"Yes": 0.45, "No": 0.44, "Well": 0.01}, unlisted_most=0.01))
    assert (made.status, made.choice) == ("ok", None)
    assert made.p_yes == pytest.approx(0.45 / 0.89)
    assert p_yes(scores({"Yes": 0.1, "yes": 0.1, "No": 0.6, "no": 0.1})).choice == "no"


@pytest.mark.parametrize(
    "bad",
    [
        scores({"Yes": 0.9, "No": 0.8}),
        scores({"Yes": 0.5, "No": 0.3}, yes=()),
        scores({"Yes": 0.5, "No": 0.3}, yes=("Yes", "No")),
    ],
)
def test_scores_that_make_no_sense_are_invalid(bad: TokenScores) -> None:
    assert p_yes(bad).status == "invalid"


def test_the_spellings_are_the_five_a_side_of_the_release() -> None:
    tokens = {spelling: [i] for i, spelling in enumerate(("Yes", " yes", " Yes", "yes", "YES"))}
    tokens |= {spelling: [10 + i] for i, spelling in enumerate(("No", " no", " No", "no", "NO"))}
    others = {" YES": [20], " NO": [21], "Yeah": [22], "Nope": [23]}  # single tokens too, and not counted
    found = single_tokens(lambda text: (tokens | others).get(text, [1, 2, 3]))
    assert {*found.yes} == {0, 1, 2, 3, 4}
    assert {*found.no} == {10, 11, 12, 13, 14}


def test_replies_kept_under_other_spellings_are_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("checkpoint_folder", "weights_sha256"):
        monkeypatch.setattr(judge_transformers, name, str)
    monkeypatch.setattr(judge_transformers, "_placed", lambda options: ("cpu", "float32"))
    monkeypatch.setattr(judge_transformers.importlib.metadata, "version", lambda name: "1")
    ours = judge_transformers.InProcess("weights", judge_transformers.TransformersOptions()).identity
    monkeypatch.setattr(judge_transformers, "YES", (*YES, " YES"))
    assert judge_transformers.InProcess("weights", judge_transformers.TransformersOptions()).identity != ours


def test_a_token_that_two_spellings_share_counts_once() -> None:
    vocabulary = {"Yes": [7], " Yes": [7], "yes": [8], " yes": [1, 8], "No": [9], " No": [9], "no": [2, 3]}
    found = single_tokens(lambda text: vocabulary.get(text, [1, 2, 3]))
    assert found.yes == {7: "Yes", 8: "yes"}
    assert found.no == {9: "No"}


@pytest.mark.parametrize("encode", [lambda text: [1, 2], lambda text: [1]], ids=["never single", "all the same"])
def test_a_tokenizer_without_single_tokens_for_both_is_refused(encode) -> None:
    with pytest.raises(ObserveError, match="ask for votes"):
        single_tokens(encode)
