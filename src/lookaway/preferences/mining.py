"""Scores to preference pairs: each two clips of a task are a pair, or counted under the first rule that they break.

A pair is read by one instrument and ask. Who is preferred posed the test, with a camera that moved; what nobody
measured is never taken to hold.
"""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.dimensions import INTEGRITY, DimensionReading, panels
from lookaway.analyses.summaries import rows_of
from lookaway.preferences.axes import AXES, DEFAULT_RULES, PairRules, PreferenceAxis
from lookaway.preferences.pair_table import PAIRS, as_exported
from lookaway.preferences.standing import Assets, Standing, standing

AT_REST = "the camera is asked to rest: there is no test"
TOO_CLOSE = "the lead is below the margin"
UNSURE = "the measured bounds overlap"
SKIPPED = "the better clip skipped the test"
UNTOLD_TEST = "unknown whether the better clip posed the test"
STILL = "the camera of the better clip never turned"
UNTOLD_MOVE = "unknown whether the camera of the better clip turned"
PAID = "the lead is paid for with integrity"
UNTOLD_INTEGRITY = "unknown whether integrity holds"
NOT_DYNAMIC = "the camera of the other clip never turned, or nobody knows"
NO_VIDEO = "a video is missing"
NO_FIRST_FRAME = "the first frame is missing"
SAME_VIDEO = "both are the same video"
BEYOND = "beyond the most of an axis and task"

DIGITS = 9  # a lead of exactly the margin counts, whatever the last bits
SIDES = ("chosen", "rejected")
OF_SIDE = ["system", "seed", "value", "low", "high"]
READ_BY = ["metric", "variant", "version", "instrument", "instrument_key", "ask", "ask_key"]
COUNTED = {"axis": pl.String, "why": pl.String, "n": pl.Int64}


class MinedPairs(NamedTuple):
    pairs: pl.DataFrame  # as in pair_table.py
    removed: pl.DataFrame  # axis, why, n: pairs
    unread: pl.DataFrame  # axis, why, n: clips that have no number on the axis


def mined(findings: Findings, assets: Assets, rules: PairRules = DEFAULT_RULES) -> MinedPairs:
    """Every pair that the rules leave, the widest margins of an axis and task first; and what became of the others."""
    every = panels(findings)
    kept, lost, unread = [PAIRS.clear()], [pl.DataFrame(schema=COUNTED)], [pl.DataFrame(schema=COUNTED)]
    for axis in (one for one in AXES if one.name in rules.axes):
        for reading in dict.fromkeys(one for panel in every for one in panel.of(axis.dimension)):
            known = standing(findings, [panel for panel in every if reading in panel.readings], assets)
            pairs = _judged(axis, reading, findings, known, assets, rules)
            kept.append(as_exported(pairs.filter(pl.col("why").is_null()), axis.name, findings.protocol.name, known))
            lost.append(_counted(axis, pairs))
            unread.append(_counted(axis, rows_of(reading, findings).filter(pl.col("value").is_null()), "fate"))
    return MinedPairs(pl.concat(kept), _summed(lost), _summed(unread))


def _judged(
    axis: PreferenceAxis,
    reading: DimensionReading,
    findings: Findings,
    known: Standing,
    assets: Assets,
    rules: PairRules,
) -> pl.DataFrame:
    """All pairs of clips with a number, each with the reason `why` it is removed, or null."""
    clips = known.clips.with_columns(posed=pl.lit(True)) if axis.own_test else known.clips
    pairs = _beside(_paired(rows_of(reading, findings)), clips)
    pairs = pairs.join(assets.tasks, on="task", how="left", maintain_order="left")
    judged = pairs.with_columns(why=_first_broken(axis, known, rules))
    if rules.most is None:
        return judged
    place = pl.col("why").is_null().cum_sum().over("task")
    return judged.with_columns(
        why=pl.when(pl.col("why").is_null() & (place > rules.most)).then(pl.lit(BEYOND)).otherwise("why")
    )


def _paired(rows: pl.DataFrame) -> pl.DataFrame:
    """Each two clips of a task and round once, the one with the higher number as `chosen`; the widest margins first."""
    ranked = rows.drop_nulls("value").sort("value", "system", "seed", descending=[True, False, False])
    ranked = ranked.select("task", "round", "direction", *READ_BY, *OF_SIDE).with_row_index("place")
    one, other = (ranked.rename({name: f"{side}_{name}" for name in ("place", *OF_SIDE)}) for side in SIDES)
    pairs = one.join(other.drop("direction", *READ_BY), on=["task", "round"], how="inner")
    pairs = pairs.filter(pl.col("chosen_place") < pl.col("rejected_place"))
    lead = (pl.col("chosen_value") - pl.col("rejected_value")).round(DIGITS)
    order = ["task", "margin", "chosen_place", "rejected_place"]
    return pairs.with_columns(margin=lead).sort(*order, descending=[False, True, False, False])


def _beside(pairs: pl.DataFrame, clips: pl.DataFrame) -> pl.DataFrame:
    """Pairs with all that stands in a clip's row, for both sides."""
    for side in SIDES:
        mine = clips.rename({name: f"{side}_{name}" for name in clips.columns if name != "task"})
        at = ["task", f"{side}_system", f"{side}_seed"]
        pairs = pairs.join(mine, on=at, how="left", maintain_order="left")
    return pairs


def _first_broken(axis: PreferenceAxis, known: Standing, rules: PairRules) -> pl.Expr:
    """The first rule that a pair breaks."""
    posed, moved, other_moved = (pl.col(name) for name in ("chosen_posed", "chosen_moved", "rejected_moved"))
    broken: list[tuple[pl.Expr, str]] = [
        (pl.col("direction") == "static", AT_REST),
        (pl.col("margin") < rules.margin_of(axis), TOO_CLOSE),
        ((pl.col("chosen_low") <= pl.col("rejected_high")).fill_null(False), UNSURE),
        (~posed.fill_null(True), SKIPPED),
        (posed.is_null(), UNTOLD_TEST),
        (~moved.fill_null(True), STILL),
        (moved.is_null(), UNTOLD_MOVE),
        *(_integrity_rules(known, rules) if axis.keeps_integrity else ()),
        *(() if rules.with_static else ((~other_moved.fill_null(False), NOT_DYNAMIC),)),
        (pl.col("chosen_video").is_null() | pl.col("rejected_video").is_null(), NO_VIDEO),
        (pl.col("first_frame").is_null(), NO_FIRST_FRAME),
        (pl.col("chosen_video") == pl.col("rejected_video"), SAME_VIDEO),
    ]
    return pl.coalesce(pl.when(holds).then(pl.lit(why)) for holds, why in broken)


def _integrity_rules(known: Standing, rules: PairRules) -> list[tuple[pl.Expr, str]]:
    """By every reading of integrity, the better clip loses less of it than would be a preference the other way."""
    (axis,) = [one for one in AXES if one.dimension == INTEGRITY]
    losses = [pl.col(f"rejected_{name}") - pl.col(f"chosen_{name}") for name in known.of(INTEGRITY)]
    unknown = [loss.is_null() for loss in losses] or [pl.lit(True)]
    paid = [(loss.round(DIGITS) >= rules.margin_of(axis)).fill_null(False) for loss in losses] or [pl.lit(False)]
    return [(pl.any_horizontal(paid), PAID), (pl.any_horizontal(unknown), UNTOLD_INTEGRITY)]


def _counted(axis: PreferenceAxis, rows: pl.DataFrame, by: str = "why") -> pl.DataFrame:
    counts = rows.drop_nulls(by).group_by(pl.col(by).alias("why")).agg(n=pl.len().cast(pl.Int64))
    return counts.select(pl.lit(axis.name).alias("axis"), "why", "n")


def _summed(parts: list[pl.DataFrame]) -> pl.DataFrame:
    summed = pl.concat(parts).group_by("axis", "why").agg(pl.col("n").sum())
    return summed.sort("axis", "n", "why", descending=[False, True, False])
