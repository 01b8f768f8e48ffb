"""Support is corrected by the gate's error on clips of which the truth is known, and only there."""

from __future__ import annotations

import numpy as np
import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.corrected_support import ALONE, NO_TRUTH, corrected_support
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_scores import KINDS, cell_at, changed, simulated
from tests.analyses.test_gate_agreement import with_gate

ORACLE = {"metric": "judged_support", "variant": "sound", "instrument": "oracle@2", "instrument_key": "exact"}
JUDGE = {"metric": "judged_support", "variant": "sound", "instrument": "judge@1", "instrument_key": "judge"}


def judged(rate: float, wrong_of_yes: float, wrong_of_no: float, seed: int = 0) -> Findings:
    """All scores of support by one who knows, and by a judge who errs."""
    what = simulated(seed, support=np.full(len(KINDS), rate), families=10)
    exact = changed(what, *(_renamed(name, value) for name, value in ORACLE.items()))
    return with_gate(exact, 0.0, seed, JUDGE, by_side=(wrong_of_yes, wrong_of_no))


def _renamed(name: str, value: str) -> pl.Expr:
    return pl.when(pl.col("metric") == "judged_support").then(pl.lit(value)).otherwise(pl.col(name)).alias(name)


def tables(what: Findings) -> tuple[Table, Table]:
    made = corrected_support(what)
    assert not isinstance(made, Abstain)
    errors, corrected = made
    return errors, corrected


def test_sensitivity_and_specificity_are_those_of_the_judge() -> None:
    errors, _ = tables(judged(0.5, 0.05, 0.2))
    (row,) = errors.rows
    sensitivity, specificity = row.cells
    assert sensitivity.low <= 0.95 <= sensitivity.high
    assert specificity.low <= 0.8 <= specificity.high
    assert sensitivity.n + specificity.n == 23 * 10 * 4 * 3


def test_a_judge_that_errs_overstates_support_and_the_correction_covers_the_truth() -> None:
    covered, read, exact = [], [], []
    for seed in range(3):
        _, table = tables(judged(0.3, 0.05, 0.2, seed))
        for row in table.rows:
            true, seen, corrected = row.cells
            covered.append(corrected.low <= true.value <= corrected.high)
            read.append(seen.value)
            exact.append(true.value)
    assert np.mean(read) - np.mean(exact) > 0.08
    assert np.mean(covered) > 0.93


def test_a_judge_that_never_errs_is_left_as_it_is() -> None:
    _, table = tables(judged(0.5, 0.0, 0.0))
    for row in table.rows:
        true, seen, corrected = row.cells
        assert true.value == seen.value == corrected.value


def test_a_system_without_truth_is_corrected_by_the_others_and_one_is_never_corrected_by_itself() -> None:
    what = judged(0.3, 0.05, 0.2)
    own = (pl.col("system") == "m00") & (pl.col("instrument") == "oracle@2")
    without = changed(what)
    object.__setattr__(without, "scores", what.scores.filter(~own))
    (_, before), (_, after) = tables(what), tables(without)
    column = next(c.name for c in after.columns if c.title == "corrected")
    assert cell_at(after, "m00", column) == cell_at(before, "m00", column)
    assert cell_at(after, "m00", next(c.name for c in after.columns if c.title == "exact")).reason == "no such clip"


def test_without_truth_or_without_another_gate_there_is_a_reason() -> None:
    assert corrected_support(simulated(0, families=2)) == Abstain(NO_TRUTH)
    dialled = changed(simulated(0, families=2), _renamed("instrument", "oracle@2(error=0.1)"))
    assert corrected_support(dialled) == Abstain(NO_TRUTH), "an oracle that errs on purpose is no truth"
    alone = changed(simulated(0, families=2), *(_renamed(name, value) for name, value in ORACLE.items()))
    assert corrected_support(alone) == Abstain(ALONE)
