"""A system that leads in one dimension alone is named; one that is alike in all has no gap."""

from __future__ import annotations

import numpy as np
import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.axis_champions import axis_champions
from lookaway.outcomes import Abstain
from tests.analyses.simulated_scores import KINDS, cell_at, changed, names, simulated


def with_means(mean: pl.Expr) -> Findings:
    what = simulated(0, support=np.ones(len(KINDS)), families=3)
    number = pl.col("value").is_not_null() & (pl.col("metric") != "judged_support")
    return changed(what, pl.when(number).then(mean).otherwise("value").alias("value"))


SKILL = pl.col("system").replace_strict({name: 0.2 + n / 40 for n, name in enumerate(names())})


def test_one_who_leads_in_the_camera_alone_is_a_champion() -> None:
    odd = pl.col("system") == "m00"
    camera = pl.col("metric") == "prompt_camera_alignment"
    made = axis_champions(with_means(pl.when(odd & camera).then(0.95).otherwise(SKILL)))
    assert not isinstance(made, Abstain)
    assert cell_at(made[0], "m00", "best").text == "CamAlign (sound)"
    assert cell_at(made[0], "m00", "gap").value == 1.0
    champions = [row.title for row in made[0].rows if row.cells[-1].text == "yes"]
    assert champions == ["m00"]


def test_where_all_dimensions_agree_nobody_is_a_champion() -> None:
    made = axis_champions(with_means(SKILL))
    assert not isinstance(made, Abstain)
    assert {row.cells[-1].text for row in made[0].rows} == {"no"}
    assert cell_at(made[0], "m22", "worst_place").value <= 0.5, "support is equal for all and shares its ranks"


def test_two_systems_are_too_few() -> None:
    what = simulated(0, families=2)
    few = changed(what, systems=what.systems[:2])
    object.__setattr__(few, "scores", what.scores.filter(pl.col("system").is_in(["m00", "m01"])))
    assert isinstance(axis_champions(few), Abstain)
