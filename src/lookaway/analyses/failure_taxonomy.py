"""Six kinds of failure, counted as MemoBench counts them: by rules over scores, with the frames that show it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.clip_rows import clip_rows
from lookaway.analyses.columns import table_name
from lookaway.analyses.failure_signs import CLIP, ReadWord, clip_words, read_rules
from lookaway.analyses.failure_vocabulary import EXAMPLES, MOST_CLIPS, clip_cell, share_cell
from lookaway.analyses.failure_words import FAILURE_TYPES, FailureWord
from lookaway.geometry.asked import NOTABLE_DEG, asked_poses
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.visibility import planned
from lookaway.outcomes import Abstain
from lookaway.phrasing import with_reader
from lookaway.records import Column, Table, TableCell, TableRow, Task

ALONG_THE_PATH = ("camera drift",)  # shown by all of the camera's way, not by the return
EVERY = "all systems"


class TypeReading(NamedTuple):
    """A kind of failure by the rules that can tell it here."""

    kind: FailureWord
    rules: tuple[ReadWord, ...]

    @property
    def title(self) -> str:
        labels = dict.fromkeys(sign.by.label for rule in self.rules for sign in rule.signs if sign.by.label)
        return with_reader(self.kind.name, " and ".join(labels))


@analysis(version=1, title="Kinds of failure")
def failure_taxonomy(findings: Findings) -> list[Table] | Abstain:
    """How many clips fail in each of six ways, by split; their share; clips and frames that show it."""
    types = read_types(findings)
    if not types:
        return Abstain("nothing by which a kind of failure is told was scored")
    clips = typed_clips(types, findings)
    return [
        _counts(types, clips, findings),
        _shares(types, clips, findings),
        *_examples(types, clips, findings),
        *_listed(types, clips, findings),
    ]


def read_types(findings: Findings) -> list[TypeReading]:
    """Every kind that the protocol's scores can tell, once for each choice of who read them."""
    return [TypeReading(kind, rules) for kind in FAILURE_TYPES for rules in read_rules(kind, findings)]


def typed_clips(types: Sequence[TypeReading], findings: Findings) -> pl.DataFrame:
    """A row per clip with its split: 1, 0 or null in `type0`, … and in `told0`, … the scores that the rule read."""
    words = [rule for one in types for rule in one.rules]
    clips, place = clip_words(findings, words), 0
    for number, one in enumerate(types):
        mine = range(place, place := place + len(one.rules))
        told = [pl.when(pl.col(f"word{n}").is_not_null()).then(pl.col(f"evidence{n}")) for n in mine]
        flags = [pl.col(f"word{n}") for n in mine]
        clips = clips.with_columns(pl.coalesce(flags).alias(f"type{number}"), pl.coalesce(told).alias(f"told{number}"))
    splits = findings.once(clip_rows).select(*CLIP, "split").unique(CLIP)
    return clips.join(splits, on=CLIP, how="left", maintain_order="left")


def evidence_frames(task: Task, kind: str) -> str:
    """Where to look, in frames of the task: `frames 49-80, after the return`; of the camera, all of its way."""
    last = task.frames - 1
    if kind in ALONG_THE_PATH and task.camera_asked:
        turned = turn_deg(asked_poses(task, np.arange(task.frames) / task.fps))
        start = max(0, int(np.argmax(turned > NOTABLE_DEG)) - 1)
        return f"frames {start}-{last}, from where the camera is asked to move"
    phases = task.phases or (planned(task).phases if task.camera_asked and task.subjects else ())
    back = next((phase for phase in phases if phase.phase == "returned"), None)
    if back is None:
        return f"frames 0-{last}"
    start, end = (round(second * task.fps) for second in (back.start_s, back.end_s))
    return f"frames {start}-{max(start, min(end, task.frames) - 1)}, after the return"


def _columns(types: Sequence[TypeReading], unit: str) -> tuple[Column, ...]:
    return tuple(
        Column(name=f"type{number}", title=one.title, unit=unit, better="lower") for number, one in enumerate(types)
    )


def _parts(clips: pl.DataFrame, findings: Findings) -> list[tuple[str, int, pl.DataFrame]]:
    """Title, level and clips of every row: all systems and each, and below each its splits where there are several."""
    splits = sorted(split for split in clips["split"].unique() if split)
    parts = []
    for system in (EVERY, *(one.label for one in findings.systems)):
        mine = clips if system == EVERY else clips.filter(pl.col("system") == system)
        parts.append((system, 0, mine))
        parts += [(s, 1, mine.filter(pl.col("split") == s)) for s in splits if len(splits) > 1]
    return parts


def _counts(types: Sequence[TypeReading], clips: pl.DataFrame, findings: Findings) -> Table:
    rows = [
        TableRow(title=title, level=level, cells=tuple(_count_cell(mine, n) for n in range(len(types))))
        for title, level, mine in _parts(clips, findings)
    ]
    return Table(
        name=table_name("failure-types", findings.protocol.name),
        title="Kinds of failure: clips",
        columns=_columns(types, "clips"),
        rows=tuple(rows),
        notes=_notes(types),
        protocol=findings.protocol.name,
        reading="A clip may fail in several ways, so a row does not add up to its clips.",
    )


def _count_cell(clips: pl.DataFrame, number: int) -> TableCell:
    known = clips.drop_nulls(f"type{number}")
    if known.is_empty():
        return TableCell(reason="not told of any clip", n=0, total=clips.height)
    return TableCell(value=float(known[f"type{number}"].sum()), n=known.height, total=clips.height)


def _notes(types: Sequence[TypeReading]) -> tuple[str, ...]:
    read = {one.kind.name for one in types}
    told = [f"{one.name}: {one.about} ({one.rule_text})." for one in FAILURE_TYPES if one.name in read]
    other = [f"{one.name} ({one.rule_text})" for one in FAILURE_TYPES if one.name not in read]
    return (
        "n counts the clips of which it is known; of the rules of a kind the first that tells something of a clip is "
        "read. What is gone has no identity, and what has quite another colour is not recognised: such clips are of "
        "both kinds.",
        *told,
        *([f"Not told here: {'; '.join(other)}."] if other else []),
    )


def _shares(types: Sequence[TypeReading], clips: pl.DataFrame, findings: Findings) -> Table:
    rows = [
        TableRow(title=title, level=level, cells=tuple(share_cell(mine, f"type{n}") for n in range(len(types))))
        for title, level, mine in _parts(clips, findings)
    ]
    return Table(
        name=table_name("failure-type-shares", findings.protocol.name),
        title="Kinds of failure: the share of clips",
        shape="heat_map",
        columns=tuple(column.model_copy(update={"scale": (0.0, 1.0)}) for column in _columns(types, "rate")),
        rows=tuple(rows),
        notes=("Of the clips of which it is known (n); intervals are over scenes.",),
        protocol=findings.protocol.name,
        reading="Which ways of failing go with which system.",
    )


def _examples(types: Sequence[TypeReading], clips: pl.DataFrame, findings: Findings) -> list[Table]:
    """Of each kind that a clip shows, a few clips of different systems and the frames to look at."""
    rows = []
    for number, one in enumerate(types):
        shown = clips.filter(pl.col(f"type{number}") == 1).sort("task", "system", "seed")
        few = shown.unique("system", keep="first", maintain_order=True).head(EXAMPLES)
        cells = [
            clip_cell(row, f"{row[f'told{number}']}; {evidence_frames(findings.tasks[row['task']], one.kind.name)}")
            for row in few.iter_rows(named=True)
        ]
        if cells:
            cells += [TableCell(reason="no other system fails so")] * (EXAMPLES - len(cells))
            rows.append(TableRow(title=one.title, cells=tuple(cells)))
    if not rows:
        return []
    return [
        Table(
            name=table_name("failure-type-examples", findings.protocol.name),
            title="Kinds of failure: clips and frames that show them",
            columns=tuple(Column(name=f"example{n + 1}", title=f"clip {n + 1}") for n in range(EXAMPLES)),
            rows=tuple(rows),
            notes=(
                "The first clips by task and system, one of a system, with the scores that the rule reads. Frames are "
                "those of the task; a clip with more or fewer shows it at the same share of its length.",
            ),
            protocol=findings.protocol.name,
            reading="Look at these frames before believing a count: a rule reads scores, not pictures.",
        )
    ]


def _listed(types: Sequence[TypeReading], clips: pl.DataFrame, findings: Findings) -> list[Table]:
    """Every clip that fails, with its kinds, what told them and where to look."""
    failing = clips.filter(pl.any_horizontal(pl.col(f"type{n}") == 1 for n in range(len(types))).fill_null(False))
    rows = []
    for row in failing.sort("task", "system", "seed").head(MOST_CLIPS).iter_rows(named=True):
        mine = [number for number in range(len(types)) if row[f"type{number}"] == 1]
        task = findings.tasks[row["task"]]
        frames = dict.fromkeys(evidence_frames(task, types[number].kind.name) for number in mine)
        texts = (
            ", ".join(types[number].title for number in mine),
            "; ".join(dict.fromkeys(str(row[f"told{number}"]) for number in mine)),
            "; ".join(frames),
        )
        title = clip_cell(row, "").link
        rows.append(TableRow(title=title, cells=tuple(TableCell(text=text) for text in texts)))
    if not rows:
        return []
    left = failing.height - len(rows)
    return [
        Table(
            name=table_name("further-failure-type-clips", findings.protocol.name),
            title="Kinds of failure: every clip",
            columns=(
                Column(name="kinds", title="fails by"),
                Column(name="told", title="told by"),
                Column(name="frames", title="where to look"),
            ),
            rows=tuple(rows),
            notes=(f"{left} further clips fail and are not listed.",) if left else (),
            protocol=findings.protocol.name,
            reading="All kinds that hold of a clip; a clip without any is not listed.",
        )
    ]
