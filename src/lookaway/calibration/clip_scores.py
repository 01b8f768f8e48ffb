"""Scores as the detection table counts them: each video once, and each reader apart."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import NamedTuple

import polars as pl

from lookaway.calibration.thresholds import halves, layout_of
from lookaway.records import CaseId, Clip, Task

CLIP = ("task", "system", "seed")
METRIC = ("metric", "variant", "version")


class Reader(NamedTuple):
    """Who read a metric: an instrument and what it was asked, by label and key, as a score has them."""

    instrument: str
    instrument_key: str
    ask: str
    ask_key: str


NOBODY = Reader("", "", "", "")


def by_reader(scores: pl.DataFrame) -> list[tuple[Reader, pl.DataFrame]]:
    """The scores of each reader, in the order of labels: what two of them measured is never pooled."""
    parts = scores.partition_by("instrument_key", "ask_key", maintain_order=True)
    told = [(Reader(*part.select(Reader._fields).row(0)), part) for part in parts]
    return sorted(told, key=lambda reading: reading[0])


def without_copies(scores: pl.DataFrame, clips: Iterable[Clip]) -> pl.DataFrame:
    """Scores of different videos: a model without chance makes the same clip of a task with every seed."""
    seen: set[tuple[str, str, str]] = set()
    copies = []
    for clip in sorted(clips, key=lambda clip: clip.case.seed):
        case = clip.case
        if clip.video is not None and (case.task, case.system, clip.video) in seen:
            copies.append((case.task, case.system, case.seed))
        seen.add((case.task, case.system, clip.video or ""))
    columns = {"task": pl.String, "system": pl.String, "seed": pl.Int64}
    gone = pl.DataFrame(copies, schema=columns, orient="row")
    return scores.join(gone, on=list(columns), how="anti", maintain_order="left")


def clip_scores(scores: pl.DataFrame, tasks: Iterable[Task], unobservable: Set[CaseId]) -> pl.DataFrame:
    """Scores with scene, half and whether the fault can be seen at all; a clip counts once per metric and reader."""
    tasks = list(tasks)
    first, _ = halves(map(layout_of, tasks))
    facts = pl.DataFrame(
        [(t.id, t.scene, 0 if layout_of(t) in first else 1) for t in tasks],
        schema={"task": pl.String, "scene": pl.String, "half": pl.Int64},
        orient="row",
    )
    hidden = pl.DataFrame(
        [(c.task, c.system, c.seed, True) for c in sorted(unobservable, key=str)],
        schema={"task": pl.String, "system": pl.String, "seed": pl.Int64, "unobservable": pl.Boolean},
        orient="row",
    )
    return (
        scores.select(*CLIP, *METRIC, *Reader._fields, "status", "value", "reason")
        .unique([*CLIP, *METRIC, "instrument_key", "ask_key"], keep="first", maintain_order=True)
        .join(facts, on="task", maintain_order="left")
        .join(hidden, on=CLIP, how="left", maintain_order="left")
        .with_columns(pl.col("unobservable").fill_null(False))
    )
