"""Coupling of control and evolution: found where planted, and not where there is none."""

from __future__ import annotations

import numpy as np

from lookaway.analyses.control_given_evolution import control_given_evolution
from lookaway.outcomes import Abstain
from lookaway.records import TableCell
from tests.analyses.simulated_scores import cell_at
from tests.analyses.verdict_tables import CLIPS, verdict_findings


def differences(systems: int, where_evolved: float, elsewhere: float) -> list[TableCell]:
    """Of so many systems that are equal but for chance."""
    draw = np.random.default_rng(1)
    said = {}
    for number in range(systems):
        evolved = (draw.random(CLIPS) < 0.5).astype(float)
        controlled = (draw.random(CLIPS) < np.where(evolved > 0, where_evolved, elsewhere)).astype(float)
        said[f"m{number}"] = {"state_progress": evolved, "observation_control": controlled}
    made = control_given_evolution(verdict_findings(**said))
    assert not isinstance(made, Abstain)
    return [cell_at(made[0], name, "difference") for name in said]


def test_a_camera_that_follows_the_event_is_found() -> None:
    (cell,) = differences(1, 0.4, 0.8)
    assert cell.high is not None
    assert cell.high < 0
    assert "significant" in cell.marks


def test_no_coupling_is_seldom_found() -> None:
    found = ["significant" in cell.marks for cell in differences(40, 0.6, 0.6)]
    assert sum(found) <= 6  # of a nominal 2; more than 6 has a chance of 1 in 300


def test_where_everything_evolved_there_is_no_difference_to_tell() -> None:
    made = control_given_evolution(verdict_findings(one={}))
    assert not isinstance(made, Abstain)
    assert cell_at(made[0], "one", "difference").reason == "one side is empty"
