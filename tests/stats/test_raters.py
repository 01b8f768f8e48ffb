"""A judge with people, and people among themselves."""

import numpy as np
import pytest

from lookaway.outcomes import Abstain
from lookaway.stats.raters import (
    Compares,
    Confusion,
    Floats,
    PairMean,
    accuracy,
    among_people,
    balanced_accuracy,
    confusion,
    item_agreement,
    majority,
    with_people,
)


def answers(text: str) -> Floats:
    return np.array([np.nan if letter == "?" else float(letter) for letter in text])


JUDGE = answers("101100")
PEOPLE = np.stack([answers("100101"), answers("101110"), answers("111100")])


@pytest.mark.parametrize(
    ("compares", "judge", "people"),
    [(accuracy, 0.778, 0.556), (balanced_accuracy, 0.806, 0.542)],
)
def test_the_worked_example(compares: Compares, judge: float, people: float) -> None:
    found, among = with_people(JUDGE, PEOPLE, compares), among_people(PEOPLE, compares)
    assert isinstance(found, PairMean)
    assert isinstance(among, PairMean)
    assert (round(found.value, 3), round(among.value, 3)) == (judge, people)
    assert (found.pairs, among.pairs) == (3, 6)


def test_the_spread_is_over_pairs_of_raters() -> None:
    found = among_people(PEOPLE, accuracy)  # of each two, both ways: 3, 3 and 4 of 6 items
    assert isinstance(found, PairMean)
    assert found.spread == pytest.approx(2**0.5 / 18)


def test_items_that_one_did_not_answer_are_left_out() -> None:
    assert confusion(answers("10?1"), answers("1101")) == Confusion(2, 0, 1, 0)


def test_where_only_one_answer_is_right_nothing_is_told_apart_and_it_is_said() -> None:
    assert isinstance(balanced_accuracy(answers("1111"), answers("1010")), Abstain)
    assert accuracy(answers("1111"), answers("1010")) == 0.5


def test_pairs_that_tell_nothing_are_counted_apart() -> None:
    found = with_people(JUDGE, np.stack([answers("111111"), answers("101100")]), balanced_accuracy)
    assert isinstance(found, PairMean)
    assert (found.value, found.pairs, len(found.silent)) == (1.0, 1, 1)


def test_a_majority_needs_more_than_half() -> None:
    people = np.stack([answers("110?"), answers("10??")])
    assert np.array_equal(majority(people), answers("1?0?"), equal_nan=True)


def test_three_people_agree_wholly_or_in_a_third_of_pairs() -> None:
    found = item_agreement(JUDGE, PEOPLE)
    assert set(np.round(found.people, 3)) <= {0.333, 1.0}
    assert found.judge[0] == found.people[0] == 1.0
    assert found.judge[2] == pytest.approx(2 / 3)


def test_items_that_some_did_not_answer_count_by_those_who_did() -> None:
    people = np.stack([answers("11?0"), answers("1?10"), answers("0???")])
    found = item_agreement(answers("1110"), people)
    assert list(found.items) == [True, False, False, True]
    assert list(found.judge) == pytest.approx([2 / 3, 1])
    assert list(found.people) == pytest.approx([1 / 3, 1])
