"""Standing still and breaking apart are told apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from lookaway.analyses.evolution_failures import evolution_failures
from lookaway.outcomes import Abstain
from tests.analyses.score_tables import row, table
from tests.analyses.simulated_scores import cell_at
from tests.analyses.verdict_tables import CLIPS, verdict_findings

FIRST = np.arange(CLIPS)


def test_one_who_freezes_and_one_who_breaks_are_told_apart() -> None:
    frozen = {"state_progress": np.zeros(CLIPS)}
    broken = {"coherence": (FIRST >= 50).astype(float)}
    made = evolution_failures(verdict_findings(frozen=frozen, broken=broken))
    assert not isinstance(made, Abstain)
    assert [cell_at(made[0], "frozen", kind).value for kind in ("stalled", "broken")] == [1.0, 0.0]
    assert [cell_at(made[0], "broken", kind).value for kind in ("stalled", "broken")] == [0.0, 1.0]
    assert cell_at(made[0], "broken", "broken").n == 50


def test_a_broken_one_that_stood_still_too_is_not_merely_stalled() -> None:
    both = {"state_progress": np.zeros(CLIPS), "coherence": (FIRST >= 50).astype(float)}
    made = evolution_failures(verdict_findings(both=both))
    assert not isinstance(made, Abstain)
    assert cell_at(made[0], "both", "stalled").value == pytest.approx(0.75)
    assert cell_at(made[0], "both", "stalled_and_broken").value == pytest.approx(0.25)


def test_where_nothing_fails_there_is_nothing_to_part() -> None:
    assert isinstance(evolution_failures(verdict_findings(fine={})), Abstain)


def test_one_that_goes_back_is_told_from_one_that_stands_still() -> None:
    """By the clock of the known world, where there is one; without it nobody knows which way it went."""
    known = verdict_findings(undone={"state_progress": np.zeros(CLIPS)}, frozen={"state_progress": np.zeros(CLIPS)})
    clocks = [
        row(f"t{n}", "world_clock", value, system=system, protocol="stevo", variant="sound", version=1)
        for system, value in (("undone", -0.8), ("frozen", 0.0))
        for n in range(CLIPS // 2)
    ]
    made = evolution_failures(replace(known, scores=pl.concat([known.scores, table(clocks)])))
    assert not isinstance(made, Abstain)
    cells = [cell_at(made[0], system, "undone") for system in ("undone", "frozen")]
    assert [cell.value for cell in cells] == [1.0, 0.0]
    assert [(cell.n, cell.total) for cell in cells] == [(CLIPS // 2, CLIPS)] * 2
    silent = evolution_failures(known)
    assert not isinstance(silent, Abstain)
    assert cell_at(silent[0], "frozen", "undone").reason == "nothing tells which way it went"
