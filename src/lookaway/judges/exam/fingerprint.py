"""Are two sittings of an exam by the same judge? A test at 1 %, exact for any judge that answers at random.

A sitting has several rounds. If nothing but chance and numerical noise sets two sittings apart, it does not matter for
any clip which half of all the rounds is called one sitting: every way to halve them is as likely. A judge that has
moved agrees with itself and not with its past, and its own halves stand out. See docs/decisions/0016-passport.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from lookaway.errors import UsageError
from lookaway.outcomes import Abstain
from lookaway.records import Comparison, ExamAnswer
from lookaway.stats.paired import sign_flip

Floats = NDArray[np.float64]

LEVEL = 0.01
NOISE = 1e-3  # between answers, see `position`: 0.001 of p_yes at one half; float32 moves it by a hundredth of that
DRAWS = 9_999

Answers = Mapping[tuple[str, int], ExamAnswer]  # by item and round


def compared(stored: Sequence[ExamAnswer], new: Sequence[ExamAnswer], clips: Mapping[str, str]) -> Comparison:
    """The new sitting against the stored one; `clips` are those of the items, which stand or fall together."""
    items = sorted(clips)
    rounds = [*by_round(stored, items), *by_round(new, items)]
    if len(rounds) != 2 * len(by_round(stored, items)):
        raise UsageError("the two sittings have not the same number of rounds: sit again with --rounds as before")
    names = np.array([clips[item] for item in items])
    inside = inside_halves(rounds, names)
    p_answers, p_spread = halving_p(inside), spread_p(rounds, names)
    p = min(1.0, 2 * min(p_answers, p_spread))
    changed = int(inside.any(axis=1).sum())
    return Comparison(
        p=p, p_answers=p_answers, p_spread=p_spread, clips_changed=changed, clips=len(inside), same=p > LEVEL
    )


def by_round(answers: Sequence[ExamAnswer], items: Sequence[str]) -> list[list[ExamAnswer]]:
    """The answers to these items, round by round."""
    found = {(answer.round, answer.item): answer for answer in answers}
    numbers = sorted({number for number, _ in found})
    missing = [item for number in numbers for item in items if (number, item) not in found]
    if missing or len(numbers) < 2:
        raise UsageError("a passport without an answer to every question in two rounds cannot be compared; sit again")
    return [[found[number, item] for item in items] for number in numbers]


def position(answer: ExamAnswer) -> tuple[float, float, float]:
    """The answer as a point: yes, no and no answer are one apart in each direction, and p_yes lies between them.

    Roots of chances, so that their distance is Hellinger's: 0.9 and 0.91 are as far apart as 0.5 and 0.517.
    """
    if answer.p_yes is not None:
        return float(np.sqrt(answer.p_yes)), float(np.sqrt(1 - answer.p_yes)), 0.0
    return float(answer.choice == "yes"), float(answer.choice == "no"), float(answer.choice is None)


def halvings(rounds: int) -> list[tuple[tuple[int, int], ...]]:
    """Every way to halve that many rounds, the given one first: the pairs of rounds that stay together.

    Four rounds have three: (0, 1) and (2, 3), (0, 2) and (1, 3), (0, 3) and (1, 2).
    """
    firsts = [half for half in combinations(range(rounds), rounds // 2) if 0 in half]
    both = [(half, tuple(number for number in range(rounds) if number not in half)) for half in firsts]
    return [tuple(pair for half in halves for pair in combinations(half, 2)) for halves in both]


def inside_halves(rounds: Sequence[Sequence[ExamAnswer]], clips: NDArray[np.str_]) -> Floats:
    """By clip and halving: the squared distances between answers of one half, summed. What is noise counts as none."""
    points = np.array([[position(answer) for answer in round] for round in rounds])
    squared = ((points[:, None] - points[None]) ** 2).sum(axis=-1)
    squared[squared < NOISE**2] = 0.0
    names, place = np.unique(clips, return_inverse=True)
    inside = [sum(squared[a, b] for a, b in pairs) for pairs in halvings(len(rounds))]
    return np.stack([np.bincount(place, apart, len(names)) for apart in inside], axis=-1)


def halving_p(inside: Floats) -> float:
    """How often halves that are drawn for each clip are as much alike inside as the two sittings are."""
    inside = inside[np.ptp(inside, axis=1) > 0]
    if not len(inside):
        return 1.0
    clips, ways = inside.shape
    chosen = np.random.default_rng(clips).integers(ways, size=(DRAWS, clips))
    drawn = inside[np.arange(clips), chosen].sum(axis=1)
    return (int((drawn <= inside[:, 0].sum() + 1e-9).sum()) + 1) / (DRAWS + 1)


def spread_p(rounds: Sequence[Sequence[ExamAnswer]], clips: NDArray[np.str_]) -> float:
    """How often chance alone makes one sitting contradict itself so much more often than the other."""
    choices = np.array([[str(answer.choice) for answer in round] for round in rounds])
    half = len(rounds) // 2
    pairs = list(combinations(range(half), 2))
    own = [sum((choices[a + first] != choices[b + first]).astype(float) for a, b in pairs) for first in (0, half)]
    found = sign_flip(np.asarray(own[0] - own[1]), clips)
    return 1.0 if isinstance(found, Abstain) else found.p
