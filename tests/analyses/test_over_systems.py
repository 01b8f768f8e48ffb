"""A difference over systems is never told to be larger than the metric lets it be."""

from __future__ import annotations

import pytest

from lookaway.analyses.event_contrasts import event_contrasts
from lookaway.analyses.over_systems import over_systems
from lookaway.outcomes import Abstain
from tests.analyses.simulated_scores import Planted, changed, simulated

FIRST, SECOND = {"a": 0.9, "b": 0.1}, {"a": 0.2, "b": 0.6}


def test_an_interval_over_few_systems_ends_where_no_difference_can_be_larger() -> None:
    free, cut = (over_systems("", ("x", "y"), FIRST, SECOND, 2, most) for most in (None, 1.0))
    assert free.low is not None
    assert free.low < -1
    assert (cut.low, cut.high) == (-1.0, 1.0)
    assert cut.estimate == free.estimate == pytest.approx(0.1)


def test_an_interval_inside_the_scale_is_left_as_it_is() -> None:
    first = {str(number): 0.5 + number / 100 for number in range(8)}
    second = dict.fromkeys(first, 0.5)
    free, cut = (over_systems("", ("x", "y"), first, second, 8, most) for most in (None, 1.0))
    assert cut == free


def test_tables_of_two_systems_keep_to_the_scale_and_an_interaction_to_twice_that() -> None:
    what = simulated(3, Planted(noise=0.6), families=1)
    made = event_contrasts(changed(what, systems=what.systems[:2]))
    assert not isinstance(made, Abstain)
    (table,) = [one for one in made if one.name.startswith("event-contrasts-wrbench")]
    ends = [
        (row.title, abs(end)) for row in table.rows for cell in row.cells[:1] for end in (cell.low, cell.high) if end
    ]
    of_two, of_four = (
        [end for title, end in ends if title.startswith("interaction") is four] for four in (False, True)
    )
    assert max(of_two) == 1.0
    assert 1.0 < max(of_four) <= 2.0
