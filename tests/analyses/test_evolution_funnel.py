"""The funnel: both denominators, unknown videos left out, and no narrowing where nothing fails."""

from __future__ import annotations

import numpy as np
import pytest

from lookaway.analyses.evolution_funnel import evolution_funnel
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_scores import cell_at
from tests.analyses.verdict_tables import CLIPS, verdict_findings

PLACE = np.arange(CLIPS)
STAGES = ("videos", "controlled", "went_on", "plausible", "whole")


def made(**systems: dict[str, np.ndarray]) -> Table:
    found = evolution_funnel(verdict_findings(**systems))
    assert not isinstance(found, Abstain)
    (table,) = found
    return table


def values(table: Table, system: str) -> list[float]:
    return [cell_at(table, system, stage).value for stage in STAGES]


def test_the_two_denominators_rank_two_models_differently() -> None:
    seldom = {"observation_control": (PLACE < 20).astype(float), "state_progress": (PLACE < 20).astype(float)}
    often = {"state_progress": (PLACE < 67).astype(float)}
    table = made(seldom=seldom, often=often)
    assert table.shape == "funnel"
    assert values(table, "seldom") == pytest.approx([1, 0.1, 0.1, 0.1, 0.1])
    assert values(table, "often") == pytest.approx([1, 1, 0.335, 0.335, 0.335])
    of_all = [cell_at(table, name, "evolved_of_all").value for name in ("seldom", "often")]
    of_controlled = [cell_at(table, name, "evolved_of_controlled") for name in ("seldom", "often")]
    assert of_all == pytest.approx([0.1, 0.335])
    assert [cell.value for cell in of_controlled] == pytest.approx([1.0, 0.335])
    assert [cell.n for cell in of_controlled] == [20, 200]


def test_each_stage_counts_what_is_left_of_the_one_before() -> None:
    said = {
        "action_control": (PLACE >= 40).astype(float),
        "state_progress": (PLACE >= 100).astype(float),
        "physical_plausibility": (PLACE % 2).astype(float),
        "coherence": (PLACE % 4 == 1).astype(float),
    }
    assert values(made(one=said), "one") == pytest.approx([1, 0.8, 0.5, 0.25, 0.125])


def test_a_video_without_a_verdict_leaves_the_funnel_unless_it_was_lost_before() -> None:
    unknown = np.where(PLACE < 50, np.nan, 1.0)
    said = {"observation_control": (PLACE >= 20).astype(float), "coherence": unknown}
    table = made(one=said)
    first = cell_at(table, "one", "videos")
    assert (first.n, first.total) == (CLIPS - 30, CLIPS)  # of 50 unknown ones 20 were not controlled
    assert cell_at(table, "one", "whole").value == pytest.approx(150 / 170)


def test_where_nothing_fails_nothing_narrows() -> None:
    assert values(made(fine={}), "fine") == [1.0] * len(STAGES)
