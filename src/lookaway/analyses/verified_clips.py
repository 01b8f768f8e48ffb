"""The verdicts of StEvo-Bench's verifiers, one row per clip: what its tables are counted from."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.clip_rows import clip_rows
from lookaway.metrics import METRICS
from lookaway.records import MetricRef
from lookaway.stats.rates import RateInterval, wilson

CONTROLS = ("observation_control", "action_control", "control_success")
EVOLUTION = ("state_progress", "physical_plausibility", "coherence", "evolution_success")
TASK = "task_success"  # both, by the same reading of the controls
YOKED = "yoked"  # a variant of progress that is for comparing two arms


class VerifiedClips(NamedTuple):
    """What one judge says of all clips, by one reading of the controls: a row per clip, a column per metric."""

    judge: str
    control: str  # variant of the controls
    evolution: str  # variant of all others
    rows: pl.DataFrame  # system, scene, task, seed, and 1, 0 or null by metric, `task_success` among them

    @property
    def title(self) -> str:
        read = self.evolution if self.control == self.evolution else f"{self.evolution}, controls {self.control}"
        return f"{read} by {self.judge}"


def verified_clips(findings: Findings) -> list[VerifiedClips]:
    """One for every judge and every way in which the protocol reads the controls; without judges, for every variant."""
    rows = findings.once(clip_rows).filter(pl.col("variant") != YOKED)
    controls = _variants(findings, CONTROLS[-1])
    found = []
    for evolution in _variants(findings, EVOLUTION[-1]):
        mine = rows.filter(pl.col("metric").is_in(EVOLUTION) & (pl.col("variant") == evolution))
        whole = mine.filter(pl.col("metric") == EVOLUTION[-1])
        judges = (
            (mine if whole.is_empty() else whole).select("instrument", "instrument_key").unique(maintain_order=True)
        )
        together = _is_unasked(evolution)
        for judge, key in judges.iter_rows():
            theirs = rows if together else rows.filter(pl.col("instrument_key") == key)
            found += [
                VerifiedClips(judge, control, evolution, _pivoted(theirs, control, evolution))
                for control in ([evolution] if evolution in controls else controls)
            ]
    return found


def _is_unasked(variant: str) -> bool:
    """Whether no judge has a part in it: then every verdict is by observers of its own, and all are one reading."""
    known = METRICS.all().get(f"{EVOLUTION[-1]}:{variant}")
    return known is not None and not known.asks


def _variants(findings: Findings, metric: str) -> list[str]:
    return [ref.variant for ref in map(MetricRef.model_validate, findings.protocol.metrics) if ref.name == metric]


def _pivoted(rows: pl.DataFrame, control: str, evolution: str) -> pl.DataFrame:
    read_so = (pl.col("metric").is_in(CONTROLS) & (pl.col("variant") == control)) | (
        pl.col("metric").is_in(EVOLUTION) & (pl.col("variant") == evolution)
    )
    mine = rows.filter(read_so)
    wide = mine.pivot("metric", index=["system", "scene", "task", "seed"], values="value", aggregate_function="first")
    absent = [name for name in (*CONTROLS, *EVOLUTION) if name not in wide.columns]
    whole = wide.with_columns(pl.lit(None, pl.Float64).alias(name) for name in absent)
    controlled, evolved = pl.col(CONTROLS[-1]), pl.col(EVOLUTION[-1])
    lost = (controlled == 0.0).fill_null(False) | (evolved == 0.0).fill_null(False)
    return whole.with_columns(pl.when(lost).then(0.0).otherwise(controlled * evolved).alias(TASK))


def share(rows: pl.DataFrame, metric: str) -> RateInterval | None:
    """Of the rows with a verdict, how many it is for; None where there is none."""
    known = rows[metric].drop_nulls()
    return wilson(int(known.sum()), len(known)) if len(known) else None
