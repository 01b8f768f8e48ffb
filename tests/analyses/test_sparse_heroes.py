"""A lucky handful of clips is named; where nobody is sparse, nobody is."""

from __future__ import annotations

import numpy as np
import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.sparse_heroes import sparse_heroes
from lookaway.outcomes import Abstain
from tests.analyses.simulated_scores import KINDS, cell_at, changed, simulated

STATE = "Re-observed state (paper)"


def lucky(value: float) -> Findings:
    """m22 is re-observed in a few clips, always with the same re-observed state."""
    what = simulated(0, support=np.where(np.arange(len(KINDS)) == 22, 0.08, 0.8), families=8)
    mine = (pl.col("system") == "m22") & (pl.col("metric") == "reobserved_state") & pl.col("value").is_not_null()
    return changed(what, pl.when(mine).then(value).otherwise("value").alias("value"))


def test_the_best_value_of_few_clips_is_named_with_its_clips() -> None:
    made = sparse_heroes(lucky(0.99))
    assert not isinstance(made, Abstain)
    cell = cell_at(made[0], "m22", "value", STATE)
    assert 0 < cell.n < 10
    assert cell_at(made[0], "m22", "rank", STATE).value == 1
    assert cell_at(made[0], "m22", "support", STATE).value < 0.1
    assert cell_at(made[0], "m22", "dense", STATE).value < 0.99


def test_a_sparse_value_that_is_not_among_the_first_is_no_hero() -> None:
    made = sparse_heroes(lucky(0.1))
    heroes = [] if isinstance(made, Abstain) else [row.title for row in made[0].rows if row.group == STATE]
    assert heroes == []


def test_without_sparse_values_there_are_none() -> None:
    dense = simulated(1, support=np.full(len(KINDS), 0.9), families=6)
    assert sparse_heroes(dense) == Abstain("no sparse value is among the first 3")
