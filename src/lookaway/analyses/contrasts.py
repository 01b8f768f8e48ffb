"""Pairs to Contrasts: how far two arms are apart, and whether chance explains it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookaway.analyses import Scales
from lookaway.analyses.pairs import ContrastArm
from lookaway.phrasing import commonest
from lookaway.records import Contrast, MetricRef, TableCell
from lookaway.stats.intervals import Floats
from lookaway.stats.paired import (
    Difference,
    Discordance,
    Significance,
    holm,
    mcnemar,
    paired_difference,
    sign_flip,
)
from lookaway.stats.rates import newcombe, wilson

PAIRING = "same world, system, seed, instrument, ask and round"
TEST = "sign-flip permutation over scenes"
MCNEMAR = "exact McNemar"
SIGNIFICANT = 0.05


def contrast(
    name: str,
    pairs: pl.DataFrame,
    first: ContrastArm,
    second: ContrastArm,
    *,
    binary: bool = False,
    most: float | None = None,
    pairing: str = PAIRING,
) -> Contrast:
    """What `pairs.paired` rows of one question say: mean of first minus second, over pairs with both numbers.

    Where both are always 0 or 1 (`binary`) exact McNemar stands beside the test; it takes pairs for independent. An
    interval ends where no difference can be larger (`most`).
    """
    whole, missing = pairs.drop_nulls(["first", "second"]), _missing(pairs, first, second)
    one, other = (whole[side].cast(pl.Float64).to_numpy() for side in ("first", "second"))
    scenes = whole["scene"].to_numpy()
    found, tested = bounded_difference(one - other, scenes, most), sign_flip(one - other, scenes)
    if found is not None and found.low is None:
        found = _of_equal_scenes(found, one, other)
    beside = mcnemar(one > 0.5, other > 0.5) if binary else None
    return Contrast(
        name=name,
        arms=(first.name, second.name),
        pairing=pairing,
        n_pairs=whole.height,
        n_scenes=whole["scene"].n_unique(),
        estimate=found.value if found else None,
        low=found.low if found else None,
        high=found.high if found else None,
        method=found.method if found else "",
        test=TEST if isinstance(tested, Significance) else "",
        p=tested.p if isinstance(tested, Significance) else None,
        p_beside={MCNEMAR: beside.p} if isinstance(beside, Discordance) else {},
        missing=missing,
        reason="" if found else f"no pair with two numbers: {commonest(missing)}" if missing else "no pairs",
    )


def bounded_difference(differences: Floats, scenes: NDArray[Any], most: float | None) -> Difference | None:
    """The mean difference; without an interval where arms are equal or all pairs are of one scene.

    The interval ends where no difference can be larger (`most`); None where there is no pair.
    """
    if not len(differences):
        return None
    found = paired_difference(differences, scenes)
    if not isinstance(found, Difference):
        mean = float(np.sort(differences).mean())
        return Difference(mean, None, None, len(differences), len(set(scenes)), f"no interval: {found.reason}")
    if most is None or found.low is None or found.high is None:
        return found
    return found._replace(low=max(found.low, -most), high=min(found.high, most))


def _of_equal_scenes(found: Difference, first: Floats, second: Floats) -> Difference:
    """With an interval where both arms are rates and all scenes differ alike: Newcombe's, each scene counted once."""
    if found.scenes < 2 or not np.isin((first, second), (0.0, 1.0)).all():
        return found
    rates = [wilson(round(float(each.mean()) * found.scenes), found.scenes) for each in (first, second)]
    _, low, high = newcombe(*rates)
    method = "Newcombe over scenes, which all differ alike"
    return found._replace(low=min(low, found.value), high=max(high, found.value), method=method)


def widest_difference(ref: MetricRef, scales: Scales) -> float | None:
    """How far two values of a metric can be apart; None where it has no fixed range."""
    scale = scales.get((ref.name, ref.variant))
    return None if scale is None else scale.high - scale.low


def _missing(pairs: pl.DataFrame, first: ContrastArm, second: ContrastArm) -> dict[str, int]:
    """Why pairs lack a number, the commonest reason first: `hidden: never turned away`."""
    lacking = pairs.filter(pl.col("first").is_null() | pl.col("second").is_null())
    sides = [
        pl.when(pl.col(name).is_null()).then(pl.format(f"{arm.name}: {{}}", pl.col(f"{name}_reason")))
        for arm, name in ((first, "first"), (second, "second"))
    ]
    why = pl.concat_str(sides, separator=" and ", ignore_nulls=True).alias("why")
    counted = lacking.group_by(why).len().sort(["len", "why"], descending=[True, False])
    return dict(zip(counted["why"], counted["len"], strict=True))


def with_holm(contrasts: Sequence[Contrast], family: str) -> list[Contrast]:
    """The contrasts with their p corrected among each other; those without a test stay as they are."""
    tested = [number for number, one in enumerate(contrasts) if one.p is not None]
    corrected = dict(zip(tested, holm(np.array([contrasts[n].p for n in tested])).tolist(), strict=True))
    correction = f"Holm over {len(tested)} {family}"
    return [
        one.model_copy(update={"p_corrected": corrected[n], "correction": correction}) if n in corrected else one
        for n, one in enumerate(contrasts)
    ]


def is_significant(one: Contrast) -> bool:
    return one.p_corrected is not None and one.p_corrected < SIGNIFICANT


def difference_cell(one: Contrast) -> TableCell:
    """The difference with its interval and pairs, or why there is none."""
    total = one.n_pairs + sum(one.missing.values())
    if one.estimate is None:
        return TableCell(reason=one.reason, n=0, total=total)
    marks = ("significant",) if is_significant(one) else ()
    return TableCell(value=one.estimate, low=one.low, high=one.high, n=one.n_pairs, total=total, marks=marks)
