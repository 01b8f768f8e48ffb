"""Pairs to Contrasts: how far two arms are apart, and whether chance explains it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookaway.analyses.pairs import ContrastArm
from lookaway.phrasing import commonest
from lookaway.records import Contrast
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

PAIRING = "same world, system, seed, instrument, ask and round"
TEST = "sign-flip permutation over scenes"
MCNEMAR = "exact McNemar"
SIGNIFICANT = 0.05


def contrast(
    name: str, pairs: pl.DataFrame, first: ContrastArm, second: ContrastArm, *, binary: bool = False
) -> Contrast:
    """What `pairs.paired` rows of one question say: mean of first minus second, over pairs with both numbers.

    Where both are always 0 or 1 (`binary`) exact McNemar stands beside the test; it takes pairs for independent.
    """
    whole, missing = pairs.drop_nulls(["first", "second"]), _missing(pairs, first, second)
    one, other = (whole[side].cast(pl.Float64).to_numpy() for side in ("first", "second"))
    scenes = whole["scene"].to_numpy()
    found, tested = _difference(one - other, scenes), sign_flip(one - other, scenes)
    beside = mcnemar(one > 0.5, other > 0.5) if binary else None
    return Contrast(
        name=name,
        arms=(first.name, second.name),
        pairing=PAIRING,
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


def _difference(differences: Floats, scenes: NDArray[Any]) -> Difference | None:
    """The mean difference; without an interval where arms are equal or all pairs are of one scene."""
    if not len(differences):
        return None
    found = paired_difference(differences, scenes)
    if isinstance(found, Difference):
        return found
    mean = float(np.sort(differences).mean())
    return Difference(mean, None, None, len(differences), len(set(scenes)), f"no interval: {found.reason}")


def _missing(pairs: pl.DataFrame, first: ContrastArm, second: ContrastArm) -> dict[str, int]:
    """Why pairs lack a number, the commonest reason first: `hidden: never turned away`."""
    found: Counter[str] = Counter()
    for one, other in pairs.select("first_reason", "second_reason").iter_rows():
        sides = [f"{arm.name}: {why}" for arm, why in ((first, one), (second, other)) if why is not None]
        found.update([" and ".join(sides)] if sides else [])
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


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
