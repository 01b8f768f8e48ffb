"""The two-by-two finds a factor that matters in the brackets that toggle it, and an interaction apart from both."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import wilcoxon

from lookaway.analyses.event_contrasts import event_contrasts
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_scores import Planted, cell_at, changed, simulated

STATE, INTEGRITY = "Re-observed state (paper)", "Integrity (paper)"


def tables(planted: Planted, seed: int = 0) -> dict[str, Table]:
    made = event_contrasts(simulated(seed, planted, families=6))
    assert not isinstance(made, Abstain)
    return {one.name.removesuffix("-wrbench"): one for one in made}


def found(table: Table) -> set[tuple[str, str]]:
    return {(row.group, row.title) for row in table.rows if "significant" in row.cells[0].marks}


def test_in_place_change_is_found_where_it_is_toggled_and_nowhere_else() -> None:
    table = tables(Planted(changed=-0.1))["event-contrasts"]
    judged = {"Visible spatial (paper)", "Visible state (paper)", "Re-observed spatial (paper)", STATE}
    toggled = ("brackets: state_only − none", "brackets: full − spatial", "main effects: changing in place")
    gap = "relocation against in-place: spatial − state_only"
    assert found(table) == {(group, title) for group in judged for title in (*toggled, gap)}
    cell = cell_at(table, "main effects: changing in place", "difference", STATE)
    assert cell.low < -0.1 < cell.high
    assert cell.total == 23


def test_an_interaction_is_found_apart_from_main_effects() -> None:
    title = "interaction: moving while changing − moving alone"
    table = tables(Planted(both=-0.2))["event-contrasts"]
    assert cell_at(table, title, "difference", STATE).value == pytest.approx(
        -0.2, abs=0.04
    )  # 23 systems, 24 clips each
    assert (STATE, title) in found(table)
    additive = tables(Planted(moved=0.1, changed=-0.1))["event-contrasts"]
    assert (STATE, title) not in found(additive)


def test_a_null_effect_is_not_found() -> None:
    alarms = [bool(found(tables(Planted(), seed)["event-contrasts"])) for seed in range(5)]
    assert sum(alarms) <= 1, "one table in twenty may have one"


def test_p_is_that_of_wilcoxon_over_the_means_of_systems() -> None:
    what = simulated(3, Planted(moved=0.02), families=6)
    made = event_contrasts(what)
    assert not isinstance(made, Abstain)
    rows = what.scores.filter(pl.col("metric") == "visible_state").with_columns(
        event=pl.col("task").str.split("-").list[1]
    )
    means = rows.group_by("system", "event").agg(pl.col("value").mean()).pivot("event", values="value")
    known = wilcoxon(means["spatial"].to_numpy() - means["none"].to_numpy())
    cell = cell_at(made[1], "brackets: spatial − none", "p", "Visible state (paper)")
    assert cell.value == pytest.approx(known.pvalue)


def test_every_system_has_its_gap_with_an_interval() -> None:
    table = tables(Planted(changed=-0.2))["event-gap"]
    gaps = [row.cells[2] for row in table.rows]
    assert np.mean([cell.value for cell in gaps if cell.value is not None]) == pytest.approx(0.2, abs=0.04)
    covered = [cell.low <= 0.2 <= cell.high for cell in gaps if cell.low is not None and cell.high is not None]
    assert len(covered) > 15
    assert np.mean(covered) > 0.75


def test_pooled_means_by_event_have_their_denominators() -> None:
    table = tables(Planted(changed=-0.2))["event-means"]
    still, changing = (cell_at(table, event, "visible_state") for event in ("none", "state_only"))
    assert (still.n, changing.n) == (23 * 18, 23 * 18)
    assert still.value - changing.value == pytest.approx(0.2, abs=0.03)
    assert 0 < cell_at(table, "none", "reobserved_state").n < 23 * 12 < cell_at(table, "none", "judged_support").n


def test_one_kind_of_event_is_a_reason() -> None:
    what = simulated(0, families=2)
    plain = {name: task for name, task in what.tasks.items() if task.event == "none"}
    assert event_contrasts(changed(what, tasks=plain)) == Abstain("the tasks have one kind of event")
