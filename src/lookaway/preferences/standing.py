"""What is known of a clip beside its number on an axis: whether it posed the test and moved, and where its video is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.clip_rows import clip_rows
from lookaway.analyses.dimensions import CAMERA_ALIGNMENT, INTEGRITY, SUPPORT, Dimension, DimensionReading, Panel
from lookaway.analyses.summaries import rows_of
from lookaway.phrasing import INACTIVITY

CLIP = ["task", "system", "seed"]


class Assets(NamedTuple):
    """What of a run can be handed to a trainer."""

    clips: pl.DataFrame  # task, system, seed, video: its path, null where it is missing
    tasks: pl.DataFrame  # task, prompt, first_frame: likewise


class Standing(NamedTuple):
    """A row per clip, and who read what stands in it."""

    clips: pl.DataFrame  # CLIP, a column per guard, posed, moved, video; null is unknown
    guards: dict[str, DimensionReading]  # of support and integrity, by column

    def of(self, dimension: Dimension) -> list[str]:
        return [column for column, reading in self.guards.items() if reading.dimension == dimension]


def standing(findings: Findings, beside: Sequence[Panel], assets: Assets) -> Standing:
    """What is known of every clip by the readings of some panels.

    A clip `posed` the test if every reading of support says so. It `moved` if no reading calls its camera inactive and
    one saw it turn.
    """
    known = [one for panel in beside for kind in (SUPPORT, INTEGRITY) for one in panel.of(kind)]
    guards = {f"guard{number}": one for number, one in enumerate(dict.fromkeys(known))}
    clips = findings.once(clip_rows).select(CLIP).unique(maintain_order=True)
    for name, reading in guards.items():
        clips = _with(clips, _lowest(rows_of(reading, findings), name))
    made = Standing(clips, guards)
    supports = made.of(SUPPORT)
    posed = pl.all_horizontal([pl.col(name) >= 1 for name in supports]) if supports else pl.lit(None, pl.Boolean)
    clips = _with(clips.with_columns(posed=posed), _movement(findings, beside))
    return made._replace(clips=_with(clips, assets.clips.select(*CLIP, "video")))


def _with(clips: pl.DataFrame, facts: pl.DataFrame) -> pl.DataFrame:
    return clips.join(facts, on=CLIP, how="left", maintain_order="left")


def _lowest(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    """The lowest number of a clip's rounds; null if one is unknown."""
    number = pl.col("credited")
    return rows.group_by(CLIP, maintain_order=True).agg(
        pl.when(number.is_not_null().all()).then(number.min()).alias(name)
    )


def _movement(findings: Findings, beside: Sequence[Panel]) -> pl.DataFrame:
    """`moved` of every clip of which a camera was read; alignment above 0 is a turn of some degrees the asked way."""
    rows, (name, variant) = findings.once(clip_rows), INACTIVITY
    inactive = rows.filter((pl.col("metric") == name) & (pl.col("variant") == variant))
    told = [inactive.select(*CLIP, moved=pl.col("value") < 0.5)]
    for reading in dict.fromkeys(one for panel in beside for one in panel.of(CAMERA_ALIGNMENT)):
        turned = rows_of(reading, findings).filter(pl.col("value") > 0)
        told.append(turned.select(*CLIP, moved=pl.lit(True)))
    told_of = pl.concat(told).drop_nulls("moved").group_by(CLIP, maintain_order=True)
    return told_of.agg(pl.col("moved").all())
