"""A clip that failed is found beside its likes; where gaps are of the usual kind, none is marked."""

from __future__ import annotations

import polars as pl
import pytest

from lookaway.analyses import Findings
from lookaway.analyses.matched_cases import FACTORS, SHOWN, matched_cases, matched_pairs
from lookaway.outcomes import Abstain
from lookaway.records import CaseId, TableRow
from tests.analyses.simulated_scores import Planted, changed, simulated

QUIET = Planted(spread=0.01, noise=0.03)
FAILED = "f01-spatial-left/m05/0"
STATE = "Visible state (paper)"


def failing(case: str, value: float = 0.0) -> Findings:
    """All alike, and one clip with another visible state."""
    at = CaseId.parse(case)
    mine = (pl.col("task") == at.task) & (pl.col("system") == at.system) & (pl.col("metric") == "visible_state")
    return changed(simulated(0, QUIET, families=3), pl.when(mine).then(value).otherwise("value").alias("value"))


def rows(findings: Findings) -> list[TableRow]:
    made = matched_cases(findings)
    assert not isinstance(made, Abstain)
    return list(made[0].rows)


def marked(findings: Findings) -> list[TableRow]:
    return [row for row in rows(findings) if "significant" in row.cells[0].marks]


@pytest.mark.parametrize("factor", ["system", "event", "camera"])
def test_a_clip_that_failed_is_found_by_every_factor_that_it_differs_in(factor: str) -> None:
    found = [row for row in marked(failing(FAILED)) if row.group.startswith(f"another {factor}")]
    (row,) = found
    assert row.title.startswith(STATE)
    gap, better, worse = row.cells
    assert worse.link == FAILED
    assert gap.value is not None
    assert gap.value > 0.5
    one, other = CaseId.parse(better.link), CaseId.parse(worse.link)
    assert (one.system != other.system) == (factor == "system")
    assert (one.task != other.task) == (factor != "system")


def test_a_clip_that_is_far_better_is_found_as_the_better_one() -> None:
    found = [row for row in marked(failing(FAILED, 1.0)) if row.group.startswith("another system")]
    assert [row.cells[1].link for row in found] == [FAILED]


def test_a_null_effect_is_not_found() -> None:
    found = [row for seed in range(4) for row in marked(simulated(seed, QUIET, families=3))]
    assert found == []


def test_a_pair_is_alike_in_all_but_its_factor() -> None:
    what = simulated(1, families=2)
    tasks = what.tasks
    for row in rows(what):
        one, other = (CaseId.parse(cell.link) for cell in row.cells[1:])
        facts = [
            (case.system, tasks[case.task].scene, tasks[case.task].event, tasks[case.task].camera)
            for case in (one, other)
        ]
        assert sum(a != b for a, b in zip(*facts, strict=True)) == 1


def test_no_clip_is_shown_twice_for_one_factor_and_dimension() -> None:
    shown = rows(failing(FAILED))
    parts = {(row.group, row.title.partition(":")[0]) for row in shown}
    for part in parts:
        mine = [row for row in shown if (row.group, row.title.partition(":")[0]) == part]
        links = [cell.link for row in mine for cell in row.cells[1:]]
        assert len(links) == len(set(links)) <= 2 * SHOWN


def test_two_seeds_of_one_system_are_a_pair() -> None:
    what = simulated(2, QUIET, families=1)
    again = what.scores.with_columns(seed=pl.lit(1, pl.Int64), value=pl.col("value") / 2)
    object.__setattr__(what, "scores", pl.concat([what.scores, again]))
    seeds = [row for row in rows(what) if row.group.startswith("another seed")]
    assert seeds
    assert {CaseId.parse(row.cells[2].link).seed for row in seeds} == {1}


def test_ties_are_no_gap() -> None:
    table = pl.DataFrame(
        {"task": ["t", "t"], "system": ["a", "b"], "seed": [0, 0], "round": [1, 1], "value": [0.5, 0.5]}
        | {name: ["x", "x"] for name in ("scene", "event", "camera")}
    )
    assert matched_pairs(table, FACTORS[0])["gap"].to_list() == [0.0]
    even = changed(simulated(0, families=1), pl.when(pl.col("value").is_not_null()).then(0.5).alias("value"))
    assert isinstance(matched_cases(even), Abstain)
