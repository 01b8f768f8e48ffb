"""Promises of every analysis of the profile: whatever was scored, there are tables or a reason, in any order of rows.

To add one, name it here.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from lookaway.analyses import ANALYSES, Findings
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_scores import changed, simulated

NAMES = (
    "profile",
    "metric_correlations",
    "event_contrasts",
    "matched_support",
    "direction_retention",
    "condition_frontier",
    "denominators",
    "sparse_heroes",
    "axis_champions",
    "series_pairs",
    "slices",
    "matched_cases",
    "failure_vocabulary",
    "metric_readings",
    "model_coverage",
    "gate_agreement",
    "corrected_support",
)
WHOLE = simulated(7, families=2)


def only(rows: pl.Expr, systems: int = 23) -> Findings:
    kept = changed(WHOLE, systems=WHOLE.systems[:systems])
    labels = [one.label for one in kept.systems]
    object.__setattr__(kept, "scores", WHOLE.scores.filter(rows & pl.col("system").is_in(labels)))
    return kept


CASES = {
    "nothing": only(pl.lit(False)),
    "one system": only(pl.lit(True), 1),
    "three systems": only(pl.lit(True), 3),
    "no judge": only(~pl.col("metric").str.contains("visible|reobserved|judged")),
    "static cameras": only(pl.col("task").str.ends_with("static")),
    "one clip": only((pl.col("task") == "f00-none-left") & (pl.col("system") == "m00")),
}


def made(name: str, what: Findings) -> list[Table] | Abstain:
    fresh = changed(what)
    return ANALYSES.get(name).function(fresh)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", NAMES)
def test_there_are_tables_or_a_reason_whatever_was_scored(name: str, case: str) -> None:
    found = made(name, CASES[case])
    assert found.reason if isinstance(found, Abstain) else found
    tables = [] if isinstance(found, Abstain) else found
    assert len({table.name for table in tables}) == len(tables)
    numbers = [c.value for table in tables for row in table.rows for c in row.cells if c.value is not None]
    assert np.isfinite(numbers).all()


@pytest.mark.parametrize("name", NAMES)
def test_nothing_scored_is_a_reason(name: str) -> None:
    assert isinstance(made(name, CASES["nothing"]), Abstain)


@pytest.mark.parametrize("name", NAMES)
def test_a_static_camera_never_has_a_number_for_memory(name: str) -> None:
    found = made(name, CASES["static cameras"])
    for table in [] if isinstance(found, Abstain) else found:
        if table.name.startswith(("denominator", "profile-tested")):
            continue
        memory = [n for n, column in enumerate(table.columns) if column.name.startswith("reobserved")]
        assert all(row.cells[n].value is None for row in table.rows for n in memory)


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_rows_does_not_matter(name: str) -> None:
    shuffled = only(pl.lit(True))
    object.__setattr__(shuffled, "scores", shuffled.scores.sample(fraction=1.0, shuffle=True, seed=3))
    assert made(name, shuffled) == made(name, WHOLE)
