"""Metrics by name: the numbers of each clip as one variant, instrument and ask gave them, or why there are none."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.clip_rows import clip_rows
from lookaway.analyses.summaries import why_nothing
from lookaway.outcomes import Abstain
from lookaway.records import MetricRef
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.ranks import midranks

CLIP = ["task", "system", "seed", "scene"]
PREFERRED = ("sound", "paper", "released")  # among the variants of the headline, or else of the metrics


class NamedMetric(NamedTuple):
    name: str
    better: Literal["higher", "lower"] = "higher"


class ClipValues(NamedTuple):
    """A metric's numbers, one row per clip: task, system, seed, scene, value."""

    ref: MetricRef
    rows: pl.DataFrame


def clip_values(findings: Findings, name: str) -> ClipValues | Abstain:
    """The numbers of a metric; the variant is the headline's where it names the metric, of several the soundest."""
    ref = _ref(findings, name)
    if ref is None:
        return Abstain(f"{name}: not in this run")
    rows = findings.once(clip_rows).filter((pl.col("metric") == ref.name) & (pl.col("variant") == ref.variant))
    if rows.is_empty():
        return Abstain(f"{ref}: not scored")
    readers = rows.drop_nulls("value").select("instrument_key", "ask_key").n_unique()
    if readers == 0:
        return Abstain(f"{ref}: {why_nothing(rows)}")
    if readers > 1:
        return Abstain(f"{ref}: read in {readers} ways")
    known = rows.drop_nulls("value").group_by(CLIP, maintain_order=True).agg(pl.col("value").mean())
    return ClipValues(ref, known.sort(CLIP))


def _ref(findings: Findings, name: str) -> MetricRef | None:
    protocol = findings.protocol
    for declared in (protocol.headline, protocol.metrics):
        if found := [ref for ref in declared if ref.name == name]:
            return min(
                found, key=lambda ref: PREFERRED.index(ref.variant) if ref.variant in PREFERRED else len(PREFERRED)
            )
    return None


def system_means(rows: pl.DataFrame) -> dict[str, float]:
    """Each system's mean, the same to the last bit in any order of rows."""
    means = rows.sort("value").group_by("system", maintain_order=True).agg(pl.col("value").mean())
    return dict(sorted(zip(means["system"], means["value"], strict=True)))


def ranks(means: dict[str, float], better: Literal["higher", "lower"] = "higher") -> dict[str, float]:
    """1 for the best; equal means share the mean of their ranks."""
    values: Floats = np.array(list(means.values()), np.float64)
    places = midranks(-values if better == "higher" else values).tolist() if means else []
    return dict(zip(means, places, strict=True))
