"""Both denominators of evolution, and a case in which they rank two systems differently."""

from __future__ import annotations

import numpy as np
import pytest

from lookaway.analyses import Findings
from lookaway.analyses.verifier_rates import verifier_rates
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_scores import cell_at
from tests.analyses.verdict_tables import CLIPS, verdict_findings

ALL, CONTROLLED = "of-all-videos:evolution_success", "of-controlled-videos:evolution_success"


def first_table(what: Findings) -> Table:
    made = verifier_rates(what)
    assert not isinstance(made, Abstain)
    return made[0]


def shares(**rates: float) -> dict[str, np.ndarray]:
    """The first share of clips is 1."""
    return {name: (np.arange(CLIPS) < rate * CLIPS).astype(float) for name, rate in rates.items()}


def test_the_two_denominators_rank_two_systems_differently() -> None:
    """One is seldom controlled and goes on whenever it is; the other always is, and goes on in every third."""
    seldom = shares(observation_control=0.1, state_progress=0.1)
    often = shares(state_progress=1 / 3)
    made = first_table(verdict_findings(seldom=seldom, often=often))
    over_all = [cell_at(made, name, ALL).value for name in ("seldom", "often")]
    controlled = [cell_at(made, name, CONTROLLED).value for name in ("seldom", "often")]
    assert over_all[0] < over_all[1]
    assert controlled[0] > controlled[1]
    assert cell_at(made, "seldom", CONTROLLED).n == 20
    assert cell_at(made, "seldom", "task_success").value == pytest.approx(0.1)


def test_where_every_video_is_controlled_the_denominators_agree() -> None:
    made = first_table(verdict_findings(one=shares(state_progress=0.4)))
    assert cell_at(made, "one", ALL).value == cell_at(made, "one", CONTROLLED).value == pytest.approx(0.4)


def test_a_missing_verdict_leaves_the_denominator_and_is_counted() -> None:
    said = shares(state_progress=0.5)
    said["state_progress"][:20] = np.nan
    cell = cell_at(first_table(verdict_findings(one=said)), "one", "of-all-videos:state_progress")
    assert (cell.n, cell.total) == (180, 200)
    assert cell.value == pytest.approx(80 / 180)


def test_a_system_that_is_never_controlled_has_no_rate_over_controlled_videos() -> None:
    cell = cell_at(first_table(verdict_findings(one=shares(action_control=0.0))), "one", CONTROLLED)
    assert (cell.value, cell.reason) == (None, "no such video")
