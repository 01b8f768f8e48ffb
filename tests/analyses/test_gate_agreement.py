"""Gates that agree, and gates that do not, over the clips of which both tell."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from lookaway.analyses import Findings
from lookaway.analyses.gate_agreement import gate_agreement
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_scores import KINDS, cell_at, changed, simulated

PAIR = "judged_support (sound) / tracked_support"


def with_gate(
    what: Findings,
    wrong: float,
    seed: int = 0,
    names: dict[str, str] | None = None,
    by_side: tuple[float, float] | None = None,
) -> Findings:
    """A second gate beside `judged_support`, which says the opposite of a share of clips: of all, or of yes and no."""
    rng = np.random.default_rng(seed)
    mine = what.scores.filter(pl.col("metric") == "judged_support").sort("task", "system")
    said = mine["value"].to_numpy()
    chance = np.full(len(said), wrong) if by_side is None else np.where(said == 1, *by_side)
    flipped = np.where(rng.random(len(said)) < chance, 1 - said, said)
    facts: dict[str, Any] = {"metric": "tracked_support", "variant": "sound", "instrument": "subject_track@3"}
    new = [pl.lit(value).alias(name) for name, value in (facts | (names or {})).items()]
    other = mine.with_columns(pl.Series("value", flipped), *new)
    made = changed(what)
    object.__setattr__(made, "scores", pl.concat([what.scores, other.select(what.scores.columns)]))
    return made


def table(what: Findings) -> Table:
    made = gate_agreement(what)
    assert not isinstance(made, Abstain)
    (only,) = made
    return only


SUPPORTED = simulated(3, support=np.full(len(KINDS), 0.5), families=8)


def test_gates_that_always_agree_have_kappa_one_with_an_interval() -> None:
    kappa = cell_at(table(with_gate(SUPPORTED, 0.0)), PAIR, "kappa", "yaw rows")
    assert (kappa.value, kappa.high) == (1.0, 1.0)
    assert kappa.low < 1.0


def test_one_that_guesses_agrees_as_by_chance() -> None:
    made = table(with_gate(SUPPORTED, 0.5))
    kappa = cell_at(made, PAIR, "kappa", "yaw rows")
    assert kappa.low < 0.0 < kappa.high
    assert abs(kappa.value) < 0.1


def test_a_tenth_of_errors_is_found_in_kappa_and_in_the_counts() -> None:
    made = table(with_gate(SUPPORTED, 0.1))
    kappa, agreement = (cell_at(made, PAIR, name, "yaw rows") for name in ("kappa", "agreement"))
    assert kappa.low <= 0.8 <= kappa.high
    assert agreement.low <= 0.9 <= agreement.high
    counts = [
        cell_at(made, PAIR, name, "yaw rows").value for name in ("both", "first_alone", "second_alone", "neither")
    ]
    assert sum(counts) == agreement.n == 23 * 8 * 4 * 2
    assert agreement.value == pytest.approx((counts[0] + counts[3]) / sum(counts))


def test_rows_are_counted_over_all_yaw_and_opportunity_rows() -> None:
    made = table(with_gate(SUPPORTED, 0.1))
    counted = [cell_at(made, PAIR, "agreement", over).n for over in ("all rows", "yaw rows", "rows with opportunity")]
    assert counted == [23 * 8 * 4 * 3, 23 * 8 * 4 * 2, 23 * 8 * 4 * 2]


def test_clips_of_which_one_does_not_tell_are_left_out_and_counted() -> None:
    what = with_gate(SUPPORTED, 0.0)
    silent = (pl.col("metric") == "tracked_support") & pl.col("task").str.starts_with("f00")
    columns = {"value": None, "status": "abstained", "reason": "its colours do not stand out"}
    hushed = changed(what, *(pl.when(silent).then(pl.lit(v)).otherwise(pl.col(k)).alias(k) for k, v in columns.items()))
    kappa = cell_at(table(hushed), PAIR, "kappa", "all rows")
    assert (kappa.n, kappa.total) == (23 * 7 * 4 * 3, 23 * 8 * 4 * 3)


def test_one_gate_alone_agrees_with_nobody() -> None:
    assert isinstance(gate_agreement(SUPPORTED), Abstain)
