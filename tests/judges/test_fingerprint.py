"""The test that keeps or moves a fingerprint: its level under chance and noise, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy.special import expit

from lookaway.errors import UsageError
from lookaway.judges.exam.fingerprint import LEVEL, NOISE, compared, halving_p, halvings, position
from lookaway.records import Choice, ExamAnswer

ITEMS = [f"{number:02d}-{name}" for number in range(64) for name in ("there", "ended")[: 1 + number % 2]]
CLIPS = {item: item.partition("-")[0] for item in ITEMS}
Sat = list[ExamAnswer]


def said(item: str, number: int, p_yes: float, vote: Choice | None = None) -> ExamAnswer:
    choice: Choice = vote or ("yes" if p_yes > 0.5 else "no")
    return ExamAnswer(item=item, round=number, status="ok", choice=choice, p_yes=None if vote else p_yes)


def scores(beliefs: Sequence[float], noise: float, rng: np.random.Generator) -> Sat:
    """Two rounds of token scores: beliefs in nats, with noise."""
    return [
        said(item, number, float(expit(belief + noise * rng.normal())))
        for item, belief in zip(ITEMS, beliefs, strict=True)
        for number in range(2)
    ]


def votes(beliefs: Sequence[float], temperature: float, rng: np.random.Generator, rounds: int = 2) -> Sat:
    return [
        said(item, number, 0.0, "yes" if rng.random() < expit(belief / temperature) else "no")
        for item, belief in zip(ITEMS, beliefs, strict=True)
        for number in range(rounds)
    ]


def moved(make: Callable[[np.random.Generator], tuple[Sat, Sat]], trials: int) -> float:
    """Share of trials in which two sittings are called different."""
    found = [not compared(*make(np.random.default_rng([trials, seed])), CLIPS).same for seed in range(trials)]
    return float(np.mean(found))


def beliefs(rng: np.random.Generator, spread: float = 2.0) -> list[float]:
    return [float(value) for value in rng.normal(0, spread, len(ITEMS))]


# ---------------------------------------------------------------- the level


def same_votes(rng: np.random.Generator) -> tuple[Sat, Sat]:
    held = beliefs(rng)
    return votes(held, 1.0, rng), votes(held, 1.0, rng)


def same_scores(rng: np.random.Generator) -> tuple[Sat, Sat]:
    held = beliefs(rng)
    return scores(held, 0.1, rng), scores(held, 0.1, rng)


def busier_server(rng: np.random.Generator) -> tuple[Sat, Sat]:
    """The same weights in larger batches, whose rounding differs more."""
    held = beliefs(rng)
    return scores(held, 0.02, rng), scores(held, 0.1, rng)


@pytest.mark.parametrize("make", [same_votes, same_scores])
def test_a_judge_that_only_chance_sets_apart_moves_once_in_a_hundred(
    make: Callable[[np.random.Generator], tuple[Sat, Sat]],
) -> None:
    trials = 1000
    assert moved(make, trials) <= LEVEL + 3 * np.sqrt(LEVEL * (1 - LEVEL) / trials)


def test_five_times_the_noise_moves_a_judge_in_a_few_of_a_hundred_trials_at_most() -> None:
    assert moved(busier_server, 300) <= 0.05  # no longer exact: 0.025 over 1,000 trials, see the decision


def test_numerical_noise_alone_never_moves_a_judge() -> None:
    def restarted(rng: np.random.Generator) -> tuple[Sat, Sat]:
        """Equal within each sitting, and a last digit off between them."""
        held = np.array(beliefs(rng))
        return scores(list(held), 0.0, rng), scores(list(held + 1e-4 * rng.normal(size=len(held))), 0.0, rng)

    assert moved(restarted, 50) == 0


def test_equal_answers_are_the_same_beyond_doubt() -> None:
    sat = scores(beliefs(np.random.default_rng(0)), 0.0, np.random.default_rng(0))
    found = compared(sat, sat, CLIPS)
    assert (found.same, found.p, found.clips_changed, found.clips) == (True, 1.0, 0, 64)


# ---------------------------------------------------------------- what it finds


def other_weights(rng: np.random.Generator) -> tuple[Sat, Sat]:
    return scores(beliefs(rng), 0.05, rng), scores(beliefs(rng), 0.05, rng)


def rounded_weights(rng: np.random.Generator) -> tuple[Sat, Sat]:
    """Every belief is off by a tenth of a nat or so, to either side."""
    held = np.array(beliefs(rng))
    return scores(list(held), 0.02, rng), scores(list(held + 0.1 * rng.normal(size=len(held))), 0.02, rng)


def other_temperature(rng: np.random.Generator) -> tuple[Sat, Sat]:
    held = beliefs(rng)
    return votes(held, 1.0, rng), votes(held, 0.01, rng)


def other_voter(rng: np.random.Generator) -> tuple[Sat, Sat]:
    return votes(beliefs(rng), 1.0, rng, 4), votes(beliefs(rng), 1.0, rng, 4)


def words_for_scores(rng: np.random.Generator) -> tuple[Sat, Sat]:
    held = beliefs(rng)
    return scores(held, 0.0, rng), votes(held, 1.0, rng)


@pytest.mark.parametrize("make", [other_weights, rounded_weights, other_temperature, other_voter, words_for_scores])
def test_a_judge_that_has_changed_moves(make: Callable[[np.random.Generator], tuple[Sat, Sat]]) -> None:
    assert moved(make, 100) >= 0.99


# ---------------------------------------------------------------- how it counts


def test_four_rounds_can_be_halved_in_three_ways() -> None:
    assert halvings(4) == [((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2))]
    assert [len(halvings(rounds)) for rounds in (6, 8)] == [10, 35]


def test_five_clips_that_all_changed_are_worth_one_in_243() -> None:
    changed = np.tile([0.0, 2.0, 2.0], (5, 1))
    assert halving_p(changed) == pytest.approx(3**-5, rel=0.3)
    assert halving_p(changed[:0]) == 1.0


def test_answers_about_one_clip_stand_or_fall_together() -> None:
    rng = np.random.default_rng(0)
    before, after = scores([0.0] * len(ITEMS), 0.0, rng), scores([1.0] * len(ITEMS), 0.0, rng)
    assert not compared(before, after, CLIPS).same
    one_clip = compared(before, after, dict.fromkeys(ITEMS, "00"))
    assert one_clip.same
    assert one_clip.p_answers == pytest.approx(1 / 3, abs=0.02)


def test_yes_no_and_silence_are_equally_far_apart_and_p_yes_lies_between() -> None:
    yes, no = said("a", 0, 0.0, "yes"), said("a", 0, 0.0, "no")
    silent = ExamAnswer(item="a", round=0, status="abstained")
    points = [np.array(position(answer)) for answer in (yes, no, silent)]
    apart = [float(np.linalg.norm(a - b)) for a, b in zip(points, points[1:] + points[:1], strict=True)]
    assert apart == pytest.approx([np.sqrt(2)] * 3)
    assert position(said("a", 0, 1.0)) == position(yes)
    near = np.subtract(position(said("a", 0, 0.5)), position(said("a", 0, 0.501)))
    assert np.linalg.norm(near) == pytest.approx(NOISE, rel=0.01)


def test_sittings_of_unlike_length_or_with_gaps_are_refused() -> None:
    rng = np.random.default_rng(0)
    held = beliefs(rng)
    with pytest.raises(UsageError, match="number of rounds"):
        compared(votes(held, 1.0, rng), votes(held, 1.0, rng, 3), CLIPS)
    with pytest.raises(UsageError, match="cannot be compared"):
        compared(votes(held, 1.0, rng), votes(held, 1.0, rng)[1:], CLIPS)
