"""A bias that was dialled in is measured as what it is."""

from __future__ import annotations

import pytest

from lookaway.calibration.judge_bias import (
    Checked,
    Reworded,
    Twice,
    accuracy,
    agreement,
    blank_canary,
    flip_consistency,
    floors,
    paraphrase_stability,
    position_lean,
    yes_lean,
)
from lookaway.judges.estimators import vote
from lookaway.judges.oracle import Dials, Known, says
from lookaway.records import Choice

CLIPS, QUESTIONS = 150, 6


def said(truth: Choice, dials: Dials, clip: int, question: str, second: float = 0.5) -> Choice | None:
    read = vote(says(Known(truth, ((0, 1),)), [second], dials, f"clip{clip}", question))
    return read if read in ("yes", "no") else None


def flipped(dials: Dials, clips: int = CLIPS) -> list[Twice]:
    """Each question and its opposite, half of them true."""
    pairs = []
    for clip in range(clips):
        for number in range(QUESTIONS):
            truth: tuple[Choice, Choice] = ("yes", "no") if number % 2 else ("no", "yes")
            first, second = (said(t, dials, clip, f"{number}{side}") for side, t in zip("ab", truth, strict=True))
            pairs.append(Twice(f"clip{clip}", first, second))
    return pairs


def holds(checked: Checked, value: float) -> bool:
    estimate = checked.estimate
    assert estimate is not None
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low <= value <= estimate.high


@pytest.mark.parametrize("bias", [-0.4, -0.1, 0.05, 0.2, 0.6])
@pytest.mark.parametrize("dials", [{"error": 0.0}, {"error": 0.15}, {"error": 0.15, "per_clip": 0.8}], ids=str)
def test_a_judge_that_says_yes_whatever_is_true_leans_by_as_much(bias: float, dials: dict[str, float]) -> None:
    lean = yes_lean(flipped(Dials(bias=bias, **dials)))
    assert holds(lean, bias)
    assert not holds(lean, bias + 0.15)
    assert holds(position_lean(flipped(Dials(bias=bias, **dials))), bias)


def test_intervals_miss_the_dialled_bias_about_as_often_as_they_say() -> None:
    dialled = [Dials(error=0.2, bias=0.3, per_clip=0.5, seed=seed) for seed in range(60)]
    held = sum(holds(yes_lean(flipped(dials, clips=20)), 0.3) for dials in dialled)
    assert 52 <= held < 60  # 57 of them, give or take three standard deviations


def test_a_right_judge_leans_nowhere_and_never_contradicts_itself() -> None:
    pairs = flipped(Dials())
    lean, consistent = yes_lean(pairs).estimate, flip_consistency(pairs).estimate
    assert lean is not None
    assert consistent is not None
    assert (lean.value, consistent.value) == (0.0, 1.0)


def test_flip_consistency_falls_as_errors_rise() -> None:
    e = 0.2
    assert holds(flip_consistency(flipped(Dials(error=e))), (1 - e) ** 2 + e**2)
    assert holds(flip_consistency(flipped(Dials(error=e, per_clip=1))), 1 - 1e-9)  # wrong about both alike


def test_floors_and_what_stands_above_them() -> None:
    expected: list[Choice] = ["yes"] * 7 + ["no"] * 3
    assert floors(expected) == (0.7, pytest.approx(0.3))
    assert floors(expected).best == 0.7
    always = accuracy([f"c{i}" for i in range(10)], ["yes"] * 10, expected)
    assert always.estimate is not None
    assert always.estimate.value == floors(expected).always_yes
    clips = [str(i // 4) for i in range(1200)]
    truth: list[Choice] = ["yes", "no"] * 600
    answers = [said(t, Dials(error=0.25), i // 4, str(i)) for i, t in enumerate(truth)]
    assert holds(accuracy(clips, answers, truth), 0.75)
    with pytest.raises(ValueError, match="no floors"):
        floors([])


def test_paraphrases_agree_as_often_as_independent_errors_let_them() -> None:
    def asked(dials: Dials) -> list[Reworded]:
        return [
            Reworded(f"c{clip}", tuple(said("yes", dials, clip, f"{number}{w}") for w in "abc"))
            for clip in range(CLIPS)
            for number in range(4)
        ]

    assert holds(paraphrase_stability(asked(Dials(error=0.1))), 0.9**3 + 0.1**3)
    stable = paraphrase_stability(asked(Dials(error=0.1, per_clip=1)))
    assert stable.estimate is not None
    assert stable.estimate.value == 1.0


def test_a_judge_blind_to_order_answers_shuffled_frames_alike() -> None:
    blind = [Twice(f"c{i}", said("yes", Dials(), i, "q"), said("yes", Dials(), i, "q")) for i in range(50)]
    seeing = [Twice(f"c{i}", said("yes", Dials(), i, "q"), said("no", Dials(), i, "q")) for i in range(50)]
    for asked, share in ((blind, 1.0), (seeing, 0.0)):
        estimate = agreement(asked).estimate
        assert estimate is not None
        assert estimate.value == share


def test_a_blank_video_is_claimed_by_a_judge_that_does_not_look() -> None:
    clips = [f"c{i}" for i in range(60)]
    looks = blank_canary(clips, [said("yes", Dials(bias=0.5), i, "q", second=9.0) for i in range(60)])
    assert looks.claims.estimate is not None
    assert looks.claims.estimate.value == 0.0
    assert looks.yes == Checked(None, 0, 60)
    guesses = blank_canary(clips, [said("no", Dials(bias=0.5), i, "q") for i in range(60)])
    assert guesses.claims.estimate is not None
    assert guesses.claims.estimate.value == 1.0
    assert holds(guesses.yes, 0.5)


def test_unanswered_pairs_are_counted_and_not_guessed() -> None:
    pairs = [Twice("a", "yes", "no"), Twice("b", None, "no"), Twice("c", "no", "yes"), Twice("d", None, None)]
    checked = flip_consistency(pairs)
    assert (checked.answered, checked.unanswered) == (2, 2)
    assert checked.estimate is not None
    assert checked.estimate.value == 1.0
    assert yes_lean([Twice("a", None, "yes")]) == Checked(None, 0, 1)
