"""Rows of a run in the layout of MemoBench's tables: each column is the mean of a metric, each variant a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from lookaway.analyses import Findings, Scale
from lookaway.analyses.clip_rows import clip_rows
from lookaway.analyses.failure_taxonomy import TypeReading, read_types, typed_clips
from lookaway.analyses.own_rows import OURS, OwnRows
from lookaway.analyses.profile import inactive_systems
from lookaway.analyses.summaries import estimate, marked, why_nothing
from lookaway.geometry.asked import largest_turn_deg
from lookaway.published import Paper, PrintedTable
from lookaway.published.layouts import PrintedColumn
from lookaway.records import TableCell, TableRow, Task

FAR_DEG = 90.0  # as Table S5
VARIANTS = ("paper", "released", "sound")  # others behind these
ABSENT = "not in this run"
VARIANTS_NOTE = (
    "Each variant of this run's metrics has a row of its own; only `paper` is made as the paper says. Values from 0 to "
    "1 are multiplied as the column is printed."
)


def metric_rows(paper: Paper, findings: Findings) -> list[OwnRows]:
    """Every table whose columns name metrics of ours, and the one that counts failures."""
    made = []
    for table in paper.layouts.printed:
        own = OwnRows(table, f"published-{table.name}", _rows(table, findings), _notes(table))
        if table.name == "table-s10":
            own = own._replace(rows=_failures(table, findings), notes=(_FAILURES_NOTE,))
        made += [own] if own.rows else []
    return made


# ---------------------------------------------------------------- means of metrics


def turns_far(task: Task) -> bool:
    """Whether the camera is asked to turn by 90 degrees or more, at its widest."""
    return task.camera_asked and largest_turn_deg(task) >= FAR_DEG


def is_synthetic(task: Task) -> bool:
    """Whether it is not said to be real footage."""
    return task.split != "real"


SUBSETS: dict[str, tuple[Callable[[Task], bool], str]] = {
    "table-s5": (
        turns_far,
        "Rows of this run: tasks whose camera is asked to turn by 90 degrees or more, at its widest.",
    ),
    "table-s8": (is_synthetic, "Rows of this run: all tasks but those of real footage."),
}


def _notes(table: PrintedTable) -> tuple[str, ...]:
    return (VARIANTS_NOTE, SUBSETS[table.name][1]) if table.name in SUBSETS else (VARIANTS_NOTE,)


def _rows(table: PrintedTable, findings: Findings) -> list[TableRow]:
    """A row for every variant and system; none where no metric of the table was scored."""
    inside, _ = SUBSETS.get(table.name, (lambda task: True, ""))
    kept = [name for name, task in findings.tasks.items() if inside(task)]
    named = [column.metric for column in table.columns if column.metric]
    rows = findings.once(clip_rows).filter(pl.col("metric").is_in(named) & pl.col("task").is_in(kept))
    flags, made = inactive_systems(findings), []
    for variant in sorted(set(rows["variant"]), key=_order):
        mine = rows.filter(pl.col("variant") == variant)
        for system in findings.systems:
            own = mine.filter(pl.col("system") == system.label)
            still = ("inactive",) if flags.get(system.label) else ()
            cells = tuple(
                marked(_cell(column, own, findings), *(still if column.metric else ())) for column in table.columns
            )
            made.append(TableRow(title=system.label, group=f"{OURS}, {variant}", cells=cells))
    return made


def _order(variant: str) -> tuple[int, str]:
    return VARIANTS.index(variant) if variant in VARIANTS else len(VARIANTS), variant


def _cell(column: PrintedColumn, rows: pl.DataFrame, findings: Findings) -> TableCell:
    if column.name == "n":
        return TableCell(value=rows.unique(["task", "seed"]).height)
    mine = rows.filter(pl.col("metric") == column.metric)
    if mine.is_empty():
        return TableCell(reason=ABSENT if column.metric else "not told of this run")
    if mine.select("instrument_key", "ask_key").n_unique() > 1:
        return TableCell(reason="read by more than one instrument or ask")
    known = mine.drop_nulls("value")
    if known.is_empty():
        return TableCell(reason=why_nothing(mine), n=0, total=mine.height)
    scale = findings.scales.get((column.metric, str(mine["variant"][0])))
    return _mean(known, mine.height, column.times, scale)


def _mean(known: pl.DataFrame, total: int, times: float, scale: Scale | None) -> TableCell:
    found = estimate(known, "value")
    low, high = found.low, found.high
    if scale is not None and low is not None and high is not None:
        low, high = max(low, scale.low), min(high, scale.high)
    ends = (None, None) if low is None or high is None else (times * low, times * high)
    return TableCell(value=times * found.value, low=ends[0], high=ends[1], n=known.height, total=total)


# ---------------------------------------------------------------- failures

_FAILURES_NOTE = (
    "Rows of this run: clips that a rule over scores finds to fail so (see the table of kinds of failure), of those of "
    "which it is known; the paper's were labelled by people."
)


def _failures(table: PrintedTable, findings: Findings) -> list[TableRow]:
    """Each system's clips by split, in Table S10's columns."""
    types = read_types(findings)
    if not types:
        return []
    splits = {name: task.split or "no split" for name, task in findings.tasks.items()}
    clips = typed_clips(types, findings).with_columns(split=pl.col("task").replace_strict(splits))
    made = []
    for system in findings.systems:
        for split in dict.fromkeys(splits.values()):
            mine = clips.filter((pl.col("system") == system.label) & (pl.col("split") == split))
            cells = tuple(_count(column.name, types, mine) for column in table.columns)
            made.append(TableRow(title=f"{system.label}, {split}", group=OURS, cells=cells))
    return made


def _count(column: str, types: Sequence[TypeReading], clips: pl.DataFrame) -> TableCell:
    """Clips with the failure, of those of which it is known; the interval is that of their share."""
    places = [n for n, one in enumerate(types) if one.kind.name == column.replace("_", " ")]
    if not places:
        return TableCell(reason=ABSENT)
    if len(places) > 1:
        return TableCell(reason="read by more than one instrument or ask")
    name = f"type{places[0]}"
    known = clips.drop_nulls(name)
    if known.is_empty():
        return TableCell(reason="not told of any clip", n=0, total=clips.height)
    found, n = estimate(known, name), known.height
    ends = (None, None) if found.low is None or found.high is None else (n * found.low, n * found.high)
    return TableCell(value=float(known[name].sum()), low=ends[0], high=ends[1], n=n, total=clips.height)
