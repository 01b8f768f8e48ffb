"""A fault that beats the truth is found, and noise is not."""

from __future__ import annotations

from lookaway.calibration.conformance import beats_truth
from tests.calibration.graded import RUNGS, a_metric, in_layouts, scored, table

TASKS = in_layouts(per_layout=2)


def test_a_fault_that_looks_better_than_the_truth_everywhere_is_found() -> None:
    scores = scored("truth", TASKS, [0.3, 0.4] * 4) + scored("lost@0.5", TASKS, [0.1, 0.3] * 4)
    (beaten,) = beats_truth(table(scores), RUNGS, TASKS, [a_metric()])
    assert (beaten.metric, beaten.system, beaten.n) == ("grade", "lost@0.5", 8)
    assert round(beaten.gain, 9) == 0.15
    assert 0 < beaten.low < beaten.gain
    assert str(beaten) == "grade likes lost@0.5 better than the truth, by 0.15 on 8 clips"


def test_a_constant_gain_has_no_spread_and_is_found() -> None:
    scores = scored("truth", TASKS, [0.3] * 8) + scored("still", TASKS, [0.2] * 8)
    assert [b.system for b in beats_truth(table(scores), RUNGS, TASKS, [a_metric()])] == ["still"]


def test_what_goes_both_ways_is_noise() -> None:
    scores = scored("truth", TASKS, [0.3] * 8) + scored("lost@0.5", TASKS, [0.1, 0.49] * 4)
    assert beats_truth(table(scores), RUNGS, TASKS, [a_metric()]) == []


def test_a_gain_within_the_margin_is_noise() -> None:
    scores = scored("truth", TASKS, [0.3] * 8) + scored("lost@0.5", TASKS, [0.2] * 8)
    assert beats_truth(table(scores), RUNGS, TASKS, [a_metric(margin=0.1)]) == []


def test_pairs_without_two_numbers_and_systems_that_are_no_fault_do_not_count() -> None:
    scores = scored("truth", TASKS, [0.3] * 4 + ["abstained"] * 4) + scored("calm", TASKS, [0.0] * 8)
    scores += scored("lost@0.5", TASKS, [0.3] * 4 + [0.0] * 4)
    assert beats_truth(table(scores), RUNGS, TASKS, [a_metric()]) == []


def test_the_better_side_is_the_metrics_own() -> None:
    scores = scored("truth", TASKS, [1.1] * 8) + scored("lost@0.5", TASKS, [1.3] * 8)
    assert beats_truth(table(scores), RUNGS, TASKS, [a_metric(better="one")]) == []
    assert len(beats_truth(table(scores), RUNGS, TASKS, [a_metric(better="higher")])) == 1


def test_each_instrument_is_held_against_its_own_truth() -> None:
    """One sees no difference; the other, whose numbers are higher throughout, likes the fault better."""
    even = {"instrument": "judge a", "instrument_key": "a"}
    odd = {"instrument": "judge b", "instrument_key": "b"}
    scores = scored("truth", TASKS, [0.2] * 8, **even) + scored("lost@0.5", TASKS, [0.2] * 8, **even)
    scores += scored("truth", TASKS, [0.6] * 8, **odd) + scored("lost@0.5", TASKS, [0.5] * 8, **odd)
    (beaten,) = beats_truth(table(scores), RUNGS, TASKS, [a_metric()])
    assert str(beaten) == "grade, by judge b, likes lost@0.5 better than the truth, by 0.1 on 8 clips"
