"""The preference pairs of a run: read, mined and made into the bytes of files."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import polars as pl

from lookaway.errors import BlobError
from lookaway.pipeline import run_findings
from lookaway.pipeline.clips import current_clips
from lookaway.preferences.axes import AXES, AXIS_NAMES, DEFAULT_RULES, PairRules
from lookaway.preferences.labelled import labelled
from lookaway.preferences.mining import MinedPairs, mined
from lookaway.preferences.standing import Assets
from lookaway.records import Plan, Task
from lookaway.store import Run

JSON_LINES, PARQUET, COUNTS = "preferences.jsonl", "preferences.parquet", "preferences.json"


class AxisCount(NamedTuple):
    """What became of an axis's pairs."""

    axis: str
    pairs: int
    removed: dict[str, int]  # reason to pairs, the commonest first
    unread: dict[str, int]  # fate to clips without a number


def preferences(run: Run, plan: Plan, rules: PairRules = DEFAULT_RULES) -> MinedPairs:
    """The pairs under every protocol of a plan; two protocols share none."""
    findings = run_findings(run, plan)
    assets = _assets(run, plan, findings[0].tasks.values())
    parts = [mined(one, assets, rules) for one in findings]
    if rules.by_people:
        parts.append(labelled(findings[0], assets))  # what people said is of no protocol: once, under the first
    return MinedPairs(*(pl.concat(kind) for kind in zip(*parts, strict=True)))


def _assets(run: Run, plan: Plan, tasks: Iterable[Task]) -> Assets:
    clips = [
        (c.case.task, c.case.system, c.case.seed, _place(run, c.video))
        for c in current_clips(run, plan)
        if not c.case.branch
    ]
    return Assets(
        clips=pl.DataFrame(clips, schema=_CLIPS, orient="row"),
        tasks=pl.DataFrame(
            [(one.id, one.prompt, _place(run, one.first_frame)) for one in tasks],
            schema=dict.fromkeys(("task", "prompt", "first_frame"), pl.String),
            orient="row",
        ),
    )


_CLIPS = {"task": pl.String, "system": pl.String, "seed": pl.Int64, "video": pl.String}


def _place(run: Run, blob: str | None) -> str | None:
    """Where a blob lies, from the run folder; None where it is missing or damaged."""
    try:
        return None if blob is None else run.blobs.path(blob).relative_to(run.root).as_posix()
    except BlobError:
        return None


def counts(found: MinedPairs) -> list[AxisCount]:
    """What became of the pairs of every axis that was read."""
    kept = dict(found.pairs["axis"].value_counts().iter_rows())
    told = [_reasons(table) for table in (found.removed, found.unread)]
    others = sorted({axis for one in (kept, *told) for axis in one} - {*AXIS_NAMES})
    read = [axis for axis in (*AXIS_NAMES, *others) if any(axis in one for one in (kept, *told))]
    return [AxisCount(axis, kept.get(axis, 0), *(one.get(axis, {}) for one in told)) for axis in read]


def _reasons(table: pl.DataFrame) -> dict[str, dict[str, int]]:
    summed = table.group_by("axis", "why").agg(pl.col("n").sum()).sort("n", "why", descending=[True, False])
    found: dict[str, dict[str, int]] = {}
    for axis, why, n in summed.iter_rows():
        found.setdefault(axis, {})[why] = n
    return found


def summary(told: Sequence[AxisCount], rules: PairRules) -> dict[str, Any]:
    """How many pairs there are, what became of the others, and by which rules."""
    margins = {axis.name: rules.margin_of(axis) for axis in AXES if axis.name in rules.axes}
    return {
        "pairs": sum(one.pairs for one in told),
        "axes": [one._asdict() for one in told],
        "rules": {"margins": margins, "with_static": rules.with_static, "most": rules.most},
    }


def why_none(told: Sequence[AxisCount]) -> str:
    """Why no pair is left, in a line."""
    if not told:
        return "no pairs: no axis was scored; see docs/preferences.md for the metrics that are read"
    removed: dict[str, int] = {}
    for one in told:
        for why, n in one.removed.items():
            removed[why] = removed.get(why, 0) + n
    if not removed:
        return "no pairs: no task has two clips with a number on one axis; run more models or seeds"
    why, n = max(removed.items(), key=lambda item: item[1])
    return f"no pair is left of {sum(removed.values())}; of {n}: {why}"


def files(pairs: pl.DataFrame) -> dict[str, bytes]:
    """The pairs as JSON Lines and as Parquet, by name of the file."""
    parquet = io.BytesIO()
    pairs.write_parquet(parquet)
    return {JSON_LINES: pairs.write_ndjson().encode(), PARQUET: parquet.getvalue()}


def all_files(found: MinedPairs, rules: PairRules) -> dict[str, bytes]:
    """The same and the counts; where no pair is left, the counts alone."""
    told = json.dumps(summary(counts(found), rules), ensure_ascii=False, indent=1).encode()
    return {**({} if found.pairs.is_empty() else files(found.pairs)), COUNTS: told}
