"""Errors that go with controllability are found; a good estimator is told by true clips, a bad one too."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from lookaway.analyses import Findings
from lookaway.analyses.pose_validation import EVERY, TRUTH, pose_validation
from lookaway.outcomes import Abstain
from lookaway.records import Table
from lookaway.stats.correlations import Correlation, scene_spearman, spearman
from tests.analyses.simulated_look_aways import Planted, cell, simulated, systems, without

AMONG = tuple(systems(*({"name": name} for name in (TRUTH, "m1", "m2", "m3"))))
LINK = "link:camera_controllability"


def made(what: Findings) -> tuple[Table, Table]:
    tables = pose_validation(what)
    assert not isinstance(tables, Abstain)
    check, errors = tables
    return check, errors


def with_true_turns(what: Findings, gain: float, error: float) -> Findings:
    """The findings in which the estimator reads true clips so."""
    said = {"camera_gain": gain, "camera_rotation_error": error}
    mine = pl.col("system") == TRUTH
    value = pl.col("value")
    for metric, number in said.items():
        value = pl.when(mine & (pl.col("metric") == metric)).then(number).otherwise(value)
    scores = what.scores.with_columns(value=value)
    return Findings(scores, what.tasks, what.systems, what.protocol, what.scales)


def test_a_link_of_error_and_controllability_is_found() -> None:
    _, errors = made(simulated(0, Planted(linked=0.06), among=AMONG))
    link = cell(errors, EVERY, LINK)
    assert link.high is not None
    assert link.high < 0
    assert (link.n, link.total) == (4 * 36, 4 * 36)


def test_without_a_link_none_is_found() -> None:
    links = [cell(made(simulated(seed, Planted(spread=0.0), among=AMONG))[1], EVERY, LINK) for seed in range(5)]
    assert sum((link.high or 0) < 0 or (link.low or 0) > 0 for link in links) <= 1


def test_an_exact_estimator_is_told_by_true_clips() -> None:
    check, _ = made(with_true_turns(simulated(among=AMONG), gain=1.0, error=0.004))
    assert cell(check, check.rows[0].title, "r").value == pytest.approx(1.0)
    assert cell(check, check.rows[0].title, "most_peak").value == pytest.approx(0.0)
    assert cell(check, check.rows[0].title, "most_error").value == pytest.approx(0.004)


def test_an_estimator_that_reads_half_of_every_turn_is_off_by_half_the_largest() -> None:
    check, _ = made(with_true_turns(simulated(among=AMONG), gain=0.5, error=30.0))
    assert cell(check, check.rows[0].title, "most_peak").value == pytest.approx(90.0, abs=0.01)


def test_without_true_clips_the_check_says_so_and_the_rest_stands() -> None:
    check, errors = made(simulated())
    assert "no system named truth" in cell(check, check.rows[0].title, "r").reason
    assert cell(errors, "m3", "camera_rotation_error").value == pytest.approx(20, rel=0.5)


def test_three_rotations_stand_beside_the_error() -> None:
    _, errors = made(simulated(among=AMONG))
    degrees = [cell(errors, "m1", kind).value for kind in ("net", "path", "peak")]
    assert degrees == pytest.approx([180 / 3, (120 + 180 + 60) / 3, (60 + 180 + 30) / 3], abs=0.1)


def test_what_was_not_seen_is_counted_as_such() -> None:
    what = without(simulated(among=AMONG), (pl.col("metric") == "camera_rotation_error") & (pl.col("system") == "m1"))
    _, errors = made(what)
    assert cell(errors, "m1", "camera_rotation_error").n == 0
    assert cell(errors, "m1", LINK).reason


def test_without_the_metric_there_is_a_reason() -> None:
    what = simulated(scenes=1)
    some = what.scores.filter(pl.col("metric") != "camera_rotation_error")
    assert isinstance(pose_validation(Findings(some, what.tasks, what.systems, what.protocol, {})), Abstain)


def test_an_interval_over_scenes_is_wider_where_scenes_repeat_themselves() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.standard_normal(20), rng.standard_normal(20)
    x, y = np.repeat(x, 6), np.repeat(x + y, 6)
    by_scene, by_point = scene_spearman(x, y, np.repeat(np.arange(20), 6)), spearman(x, y)
    assert isinstance(by_scene, Correlation)
    assert isinstance(by_point, Correlation)
    assert by_scene.value == pytest.approx(by_point.value)
    widths = [(one.high or 0) - (one.low or 0) for one in (by_scene, by_point)]
    assert widths[0] > 1.5 * widths[1]
