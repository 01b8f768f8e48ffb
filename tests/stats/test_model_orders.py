"""Agreement of two raters on which model is better, task by task."""

import numpy as np
import pytest

from lookaway.outcomes import Abstain
from lookaway.stats.model_orders import order_agreement, order_by_chance


def test_a_match_a_tie_and_a_reversal() -> None:
    first = np.array([[1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    second = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 0.0]])
    assert order_agreement(first, second) == pytest.approx((1 + 0.5 + 0 + 1) / 4)


def test_tasks_that_one_model_lacks_do_not_count() -> None:
    first = np.array([[1.0, np.nan], [0.0, 1.0]])
    assert order_agreement(first, first) == 1.0
    assert isinstance(order_agreement(first[:, 1:], first[:, 1:]), Abstain)


@pytest.mark.parametrize("rates", [(0.5, 0.5), (0.2, 0.2), (0.1, 0.6)])
def test_chance_is_what_raters_reach_who_do_not_look(rates: tuple[float, float]) -> None:
    draw = np.random.default_rng(3)
    first, second = (draw.random((8, 20_000)) < rate for rate in rates)
    assert order_agreement(first.astype(float), second.astype(float)) == pytest.approx(
        order_by_chance(*rates), abs=4e-3
    )
