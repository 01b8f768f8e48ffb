"""Sides that order systems oppositely are found with the pairs that they oppose; sides that agree oppose none."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import spearmanr

from lookaway.analyses import Analyse, Findings
from lookaway.analyses.consistency_against_truth import consistency_against_truth
from lookaway.analyses.memory_sides import TRUTH
from lookaway.analyses.named_metrics import clip_values, system_means
from lookaway.analyses.quality_against_truth import quality_against_truth
from lookaway.analyses.sides import side_scores
from lookaway.analyses.steering_against_memory import steering_against_memory
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_memory import IN_DB, RATES, SYSTEMS, nothing, shifted, simulated
from tests.analyses.simulated_scores import cell_at

GOOD, BAD = {"m0": 0.25}, {"m0": -0.25}
ODD = {  # m0 leads on the first side and trails on the second
    quality_against_truth: {"visual_quality": GOOD, "psnr_all": BAD, "ssim_all": BAD, "lpips_all": GOOD},
    consistency_against_truth: {
        **{name: GOOD for name in ("object_identity", "geometric_consistency", "motion_smoothness")},
        **{"psnr_returned": BAD, "ssim_returned": BAD, "lpips_returned": GOOD},
    },
    steering_against_memory: {"camera_controllability": GOOD, "object_reappearance": BAD, "vqa_memory": BAD},
}
each = pytest.mark.parametrize("analyse", ODD, ids=lambda function: function.__name__)


def made(analyse: Analyse, what: Findings) -> list[Table]:
    found = analyse(what)
    assert not isinstance(found, Abstain)
    return found


def opposed(tables: list[Table]) -> set[str]:
    """Titles of the pairs that are marked."""
    return {row.title for table in tables[1:] for row in table.rows if "significant" in row.cells[0].marks}


@each
def test_who_leads_on_one_side_and_trails_on_the_other_is_named(analyse: Analyse) -> None:
    tables = made(analyse, simulated(1, shifted(**ODD[analyse]), metrics=tuple(ODD[analyse])))
    systems = tables[0]
    assert cell_at(systems, "m0", "lost").value == len(SYSTEMS) - 1
    assert opposed(tables) == {f"m0 – {other}" for other in SYSTEMS[1:]}


@each
def test_a_null_has_no_opposed_pair_in_nine_of_ten_tables(analyse: Analyse) -> None:
    tables = [made(analyse, simulated(seed, nothing, metrics=tuple(ODD[analyse]))) for seed in range(10)]
    assert sum(bool(opposed(one)) for one in tables) <= 1


@each
def test_sides_that_agree_oppose_nobody(analyse: Analyse) -> None:
    skill = {name: 0.08 * n - 0.3 for n, name in enumerate(SYSTEMS)}
    falling = {name: -value for name, value in skill.items()}
    every = {name: falling if name.startswith("lpips") else skill for name in (*RATES, *IN_DB)}
    tables = made(analyse, simulated(2, shifted(**every), noise=0.02))
    assert {row.cells[-1].value for row in tables[0].rows} == {0.0}
    assert len(tables) == 1


@each
def test_a_lead_on_one_side_alone_opposes_nobody(analyse: Analyse) -> None:
    first = {name: shift for name, shift in ODD[analyse].items() if shift is GOOD and not name.startswith("lpips")}
    for seed in range(3):
        assert opposed(made(analyse, simulated(seed, shifted(**first), metrics=tuple(ODD[analyse])))) == set()


def test_the_surest_pair_is_corrected_for_all_pairs() -> None:
    _, pairs = made(quality_against_truth, simulated(1, shifted(**ODD[quality_against_truth])))
    compared = len(SYSTEMS) * (len(SYSTEMS) - 1) // 2
    *_, p, corrected = pairs.rows[0].cells
    assert len(pairs.rows) < compared
    assert corrected.value == pytest.approx(compared * p.value)


def test_a_lower_lpips_is_closer_to_the_truth() -> None:
    scored = side_scores(TRUTH, simulated(3, shifted(lpips_all={"m2": -0.3})))
    assert not isinstance(scored, Abstain)
    means = system_means(scored.rows)
    assert max(means, key=lambda name: means[name]) == "m2"


def test_a_metric_that_is_not_there_is_said_and_the_others_are_used() -> None:
    what = simulated(4, shifted(**ODD[quality_against_truth]), metrics=("visual_quality", "ssim_all"))
    systems, _ = made(quality_against_truth, what)
    told = next(note for note in systems.notes if "ssim_all" in note)
    assert "psnr_all: not in this run" in told
    assert "lpips_all: not in this run" in told


def test_a_side_without_any_metric_is_a_reason() -> None:
    found = quality_against_truth(simulated(0, metrics=("visual_quality",)))
    assert isinstance(found, Abstain)
    assert "psnr_all: not in this run" in found.reason


def test_only_large_turns_count_for_steering() -> None:
    what = simulated(5, lambda system, metric, one: 0.4 * (system == "m0" and one.id.endswith("near")))
    (table, *_) = made(steering_against_memory, what)
    assert {row.cells[0].n for row in table.rows} == {12}
    near = {name: one for name, one in what.tasks.items() if name.endswith("near")}
    few = Findings(what.scores, near, what.systems, what.protocol, what.scales)
    assert isinstance(steering_against_memory(few), Abstain)


def test_the_rank_correlation_is_that_of_the_means() -> None:
    rising = {name: 0.05 * n for n, name in enumerate(SYSTEMS)}
    what = simulated(6, shifted(visual_quality=rising), metrics=("visual_quality", "ssim_all"))
    means = []
    for name in ("visual_quality", "ssim_all"):
        found = clip_values(what, name)
        assert not isinstance(found, Abstain)
        means.append(list(system_means(found.rows).values()))
    (table, *_) = made(quality_against_truth, what)
    assert any(f"over 8 systems: {spearmanr(*means).statistic:.2f} [" in note for note in table.notes)


def test_two_instruments_are_not_mixed() -> None:
    what = simulated(0)
    other = pl.when(pl.col("task").str.ends_with("far")).then(pl.lit("k2")).otherwise("instrument_key")
    scores = what.scores.with_columns(other.alias("instrument_key"))
    found = clip_values(Findings(scores, what.tasks, what.systems, what.protocol, what.scales), "ssim_all")
    assert isinstance(found, Abstain)
    assert "read in 2 ways" in found.reason


def test_scores_have_the_spread_of_one_standard_deviation() -> None:
    scored = side_scores(TRUTH._replace(metrics=TRUTH.metrics[:1]), simulated(7))
    assert not isinstance(scored, Abstain)
    values = scored.rows["value"].to_numpy()
    assert np.mean(values) == pytest.approx(0, abs=1e-9)
    assert np.std(values, ddof=1) == pytest.approx(1)
