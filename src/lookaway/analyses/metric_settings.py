"""Scores of one metric under several settings: variants that are called by what was set, such as `cover_0.1_50`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.clip_rows import clip_rows
from lookaway.analyses.summaries import estimate, parted, why_nothing
from lookaway.phrasing import told_apart, with_reader
from lookaway.records import Mark, MetricRef, TableCell

DEFAULT = "paper"  # the variant with the settings that a paper prints its numbers with
CLIP = ["task", "system", "seed", "round"]
PROMPTS = {
    "the": "the …",
    "detect": "detect … in the scene",
    "photo": "a photo of …",
    "first_word": "the first word",
}
UNITS = {
    "cover": " % of the picture",
    "size": " % of the true picture",
    "turn": "°",
    "top": "",
    "tau": "",
    "sample": "",
}


class SettingRows(NamedTuple):
    """The clips of a metric under one setting, and the same clips as the paper sets it."""

    metric: str
    variant: str
    title: str
    rows: pl.DataFrame
    default: pl.DataFrame | str  # or why there is nothing to compare with


def setting_rows(findings: Findings, family: str, metric: str = "") -> list[SettingRows]:
    """Every setting of a family, in the protocol's order; an instrument of its own is a line of its own."""
    parts = parted(findings.once(clip_rows), "metric", "variant", "instrument_key", "instrument")
    found = []
    for ref in findings.protocol.metrics:
        if ref.variant.partition("_")[0] != family or metric not in ("", ref.name):
            continue
        mine = {(str(key[2]), ""): (str(key[3]), "") for key in parts if key[:2] == (ref.name, ref.variant)}
        for by in told_apart(mine) if mine else ():
            (rows,) = (part for key, part in parts.items() if key[:3] == (ref.name, ref.variant, by.instrument_key))
            default = default_rows(findings, ref.name, by.instrument_key, default_variant(findings, ref))
            title = with_reader(setting_title(ref.variant), by.label)
            found.append(SettingRows(ref.name, ref.variant, title, rows, default))
    return found


def default_variant(findings: Findings, ref: MetricRef) -> str:
    """The paper's, or that by the same means: of `tau_0.05_dis` it is `paper_dis`, where the protocol has that."""
    by_the_same = f"{DEFAULT}_{ref.variant.rpartition('_')[2]}"
    return by_the_same if MetricRef(name=ref.name, variant=by_the_same) in findings.protocol.metrics else DEFAULT


def default_rows(
    findings: Findings, metric: str, instrument_key: str = "", variant: str = DEFAULT
) -> pl.DataFrame | str:
    """The rows of a metric as the paper sets it: by the same instrument, else by the only one that looked so."""
    rows = findings.once(clip_rows).filter((pl.col("metric") == metric) & (pl.col("variant") == variant))
    same = rows.filter(pl.col("instrument_key") == instrument_key)
    if same.height:
        return same
    if rows["instrument_key"].n_unique() > 1:
        return "several instruments looked with the paper's setting"
    return rows if rows.height else "not scored with the paper's setting"


def setting_title(variant: str) -> str:
    """`cover_0.1_50` -> `0.1 to 50 % of the picture`, `prompt_the` -> `the …`, `tau_0.05_dis` -> `0.05, dis`"""
    family, _, rest = variant.partition("_")
    between = ", " if family == "tau" else " to "
    return PROMPTS.get(rest, rest) if family == "prompt" else rest.replace("_", between) + UNITS.get(family, "")


def competing(rows: pl.DataFrame, findings: Findings) -> pl.DataFrame:
    """Without those of the truth itself, which is a ceiling and no system."""
    return rows.filter(~pl.col("system").is_in([one.label for one in findings.systems if one.is_ceiling]))


def mean_cell(rows: pl.DataFrame, findings: Findings) -> TableCell:
    """The mean with its interval over scenes; clips outside of the metric's population are not counted."""
    asked = rows.filter(pl.col("fate") != "not_applicable")
    known = asked.drop_nulls("value")
    if known.is_empty():
        return TableCell(reason=why_nothing(asked) if asked.height else "no such clip", n=0, total=asked.height)
    found, named = estimate(known, "value"), (known["metric"][0], known["variant"][0])
    low, high, scale = found.low, found.high, findings.scales.get(named)
    if scale is not None and low is not None and high is not None:
        low, high = max(low, scale.low), min(high, scale.high)
    ceiling: tuple[Mark, ...] = () if competing(known, findings).height else ("ceiling",)
    return TableCell(value=found.value, low=low, high=high, n=known.height, total=asked.height, marks=ceiling)


def spread_cell(rows: pl.DataFrame) -> TableCell:
    """The standard deviation over clips, with one degree of freedom less than clips."""
    values = np.sort(rows["value"].drop_nulls().to_numpy())
    if len(values) < 2:
        return TableCell(reason="fewer than two clips")
    return TableCell(value=float(values.std(ddof=1)), n=len(values))


def beside_default(one: SettingRows) -> pl.DataFrame | str:
    """Clips with a number under both settings: `value` and `default`; or why there are none."""
    if isinstance(one.default, str):
        return one.default
    known = one.default.drop_nulls("value").select(*CLIP, pl.col("value").alias("default"))
    both = one.rows.drop_nulls("value").join(known, on=CLIP, how="inner").sort(*CLIP)
    return both if both.height else "no clip has a number under both settings"
