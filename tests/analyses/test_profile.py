"""The profile says what the clips say: means over separate denominators, daggers, averages and combined scores."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from lookaway.analyses.profile import profile
from lookaway.outcomes import Abstain
from lookaway.records import MetricRef, Protocol, Table
from tests.analyses.simulated_scores import KINDS, PROTOCOL, REFS, cell_at, changed, names, simulated

FEW = np.where(np.arange(len(KINDS)) == 20, 0.0, 0.5)
FOUND = simulated(1, support=FEW)


def tables() -> tuple[Table, Table]:
    made = profile(FOUND)
    assert not isinstance(made, Abstain)
    main, tested = made
    return main, tested


def values(system: str, metric: str, column: str = "value") -> list[float | None]:
    mine = FOUND.scores.filter((pl.col("system") == system) & (pl.col("metric") == metric))
    return mine[column].to_list()


def test_systems_stand_under_their_condition_type_in_the_papers_order() -> None:
    main, _ = tables()
    assert [row.group for row in main.rows] == list(KINDS)
    assert {row.title: row.group for row in main.rows} == dict(zip(names(), KINDS, strict=True))


def test_each_column_has_its_own_denominator() -> None:
    main, _ = tables()
    for metric, n in (("visible_state", 120), ("prompt_camera_alignment", 80)):
        cell = cell_at(main, "m00", metric)
        known = [v for v in values("m00", metric) if v is not None]
        assert (cell.value, cell.n, cell.total) == (pytest.approx(np.mean(known)), n, 120)
        assert cell.low < cell.value < cell.high
    seen, support = cell_at(main, "m00", "reobserved_state"), cell_at(main, "m00", "judged_support")
    assert seen.n == sum(v == 1 for v in values("m00", "judged_support")) < 120
    assert support.value == pytest.approx(100 * seen.n / 120), "of all outputs, those of a static camera included"
    assert support.n == 120


def test_both_averages_leave_out_support_and_precision() -> None:
    main, _ = tables()
    six = ("prompt_camera_alignment", "visual_integrity", "visible_spatial", "visible_state")
    parts = [cell_at(main, "m03", name).value for name in (*six, "reobserved_spatial", "reobserved_state")]
    assert cell_at(main, "m03", "average").value == pytest.approx(np.mean(parts))
    assert cell_at(main, "m03", "average_printed").value == pytest.approx(np.mean([round(v, 3) for v in parts]))


def test_a_system_that_never_posed_the_test_has_reasons_and_no_average() -> None:
    main, tested = tables()
    never = names()[20]
    assert cell_at(main, never, "judged_support").value == 0
    assert "avoided" in cell_at(main, never, "reobserved_state").reason
    for table, column in ((main, "average"), (main, "average_printed"), (tested, "m_score_reobserved_state")):
        assert cell_at(table, never, column).value is None
        assert "Re-observed" in cell_at(table, never, column).reason


def test_a_system_that_never_posed_the_test_is_worth_nothing_over_all_outputs() -> None:
    _, tested = tables()
    cell = cell_at(tested, names()[20], "credited_reobserved_state")
    assert (cell.value, cell.n) == (0.0, 120)


def test_few_or_rare_re_observed_clips_are_marked_sparse_and_others_are_not() -> None:
    rates = np.full(len(KINDS), 0.6)
    rates[4] = 0.1
    made = profile(simulated(2, support=rates))
    assert not isinstance(made, Abstain)
    cell, other = (cell_at(made[0], name, "reobserved_state") for name in ("m04", "m05"))
    assert 0 < cell.n < 12
    assert "sparse" in cell.marks
    assert "sparse" in cell_at(made[0], "m04", "average").marks
    assert "sparse" not in cell_at(made[0], "m04", "visible_state").marks
    assert other.n >= 12
    assert "sparse" not in other.marks


def test_support_times_correctness_is_their_product_and_m_score_their_harmonic_mean() -> None:
    main, tested = tables()
    support = cell_at(main, "m02", "judged_support").value / 100
    right = cell_at(main, "m02", "reobserved_state").value
    assert cell_at(tested, "m02", "credited_reobserved_state").value == pytest.approx(support * right)
    m_score = cell_at(tested, "m02", "m_score_reobserved_state")
    assert m_score.value == pytest.approx(2 / (1 / support + 1 / right))
    assert m_score.low < m_score.value < m_score.high


def test_best_and_second_are_within_a_condition_type_and_ties_share() -> None:
    same = pl.when(pl.col("metric") == "visual_integrity").then(0.5).otherwise("value").alias("value")
    made = profile(changed(FOUND, same))
    assert not isinstance(made, Abstain)
    main = made[0]
    assert all(cell_at(main, name, "visual_integrity").marks == ("best",) for name in names())
    for kind in set(KINDS):
        rivals = [cell_at(main, row.title, "visible_state") for row in main.rows if row.group == kind]
        ranked = sorted(rivals, key=lambda cell: -cell.value)
        assert ranked[0].marks[:1] == ("best",)
        assert ranked[1].marks[:1] == ("second",)


def test_two_instruments_never_share_a_cell_and_have_no_average() -> None:
    half = pl.col("task").str.starts_with("f00")
    two = pl.when(half & (pl.col("metric") == "visible_state")).then(pl.lit("other")).otherwise("instrument")
    made = profile(changed(FOUND, two.alias("instrument"), two.alias("instrument_key")))
    assert not isinstance(made, Abstain)
    found = [column.title for column in made[0].columns if column.name.startswith("visible_state")]
    assert found == ["Visible state (paper), by judge", "Visible state (paper), by other"]
    assert cell_at(made[0], "m00", "average").reason == "Visible state was read in 2 ways"


def test_two_variants_fill_two_tables() -> None:
    double = FOUND.scores.filter(pl.col("metric") == "visible_state").with_columns(
        variant=pl.lit("released"), value=pl.lit(0.25)
    )
    refs = (*REFS, "visible_state:released")
    both = Protocol.model_validate(dict(PROTOCOL) | {"metrics": refs, "headline": refs})
    what = changed(FOUND, protocol=both)
    object.__setattr__(what, "scores", pl.concat([FOUND.scores, double]))
    made = profile(what)
    assert not isinstance(made, Abstain)
    assert [one.name for one in made if "tested" not in one.name] == [
        "profile-paper-wrbench",
        "profile-released-wrbench",
    ]
    assert cell_at(made[2], "m00", "visible_state:released").value == 0.25
    assert cell_at(made[0], "m00", "visible_state:paper").value == cell_at(tables()[0], "m00", "visible_state").value


def test_what_nobody_knows_of_widens_the_bounds_of_support() -> None:
    lost = (pl.col("metric") == "judged_support") & pl.col("task").str.starts_with("f01")
    columns = [
        pl.when(lost).then(None).otherwise("value").alias("value"),
        pl.when(lost).then(pl.lit("abstained")).otherwise("status").alias("status"),
        pl.when(lost).then(pl.lit("dark")).otherwise("reason").alias("reason"),
    ]
    made = profile(changed(FOUND, *columns))
    assert not isinstance(made, Abstain)
    cell = cell_at(made[0], "m00", "judged_support")
    assert (cell.n, cell.total) == (108, 120)
    assert cell.measured_high - cell.measured_low == pytest.approx(10.0)


def test_a_protocol_without_the_dimensions_has_no_profile() -> None:
    other = PROTOCOL.model_copy(update={"metrics": (MetricRef(name="cut"),), "headline": ()})
    assert isinstance(profile(changed(FOUND, protocol=other)), Abstain)
