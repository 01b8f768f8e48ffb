"""Every dimension by family, action, camera and tier: which kinds of tasks are hard for all systems."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.clip_rows import clip_rows
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import SIGNIFICANT, is_significant, widest_difference, with_holm
from lookaway.analyses.dimensions import DimensionReading, Panel, panel_name, panels
from lookaway.analyses.over_systems import over_systems
from lookaway.analyses.summaries import counts_as, marked, parted, rows_of, summary_cell
from lookaway.outcomes import Abstain
from lookaway.records import Contrast, Table, TableRow

FIELDS = ("family", "action", "camera", "tier", "venue")


@analysis(name="slices", version=1, title="Slices")
def slice_tables(findings: Findings) -> list[Table] | Abstain:
    """A table for each way to part the tasks; marked is what differs from all other clips."""
    every = panels(findings)
    rows = findings.once(clip_rows)
    parting = [field for field in FIELDS if len(_values(rows, field)) > 1]
    if not parting:
        return Abstain("the tasks name no two families, actions, cameras or tiers")
    return [_table(field, panel, every, findings) for panel in every for field in parting] or Abstain(
        "nothing was scored"
    )


def _values(rows: pl.DataFrame, field: str) -> list[str]:
    return sorted(value for value in rows[field].unique() if value)


def _table(field: str, panel: Panel, every: Sequence[Panel], findings: Findings) -> Table:
    values, shown = _values(findings.once(clip_rows), field), panel.readings
    parts = {reading: parted(rows_of(reading, findings), field) for reading in shown}
    places = [(value, reading) for value in values for reading in shown]
    tested = with_holm([against_others(reading, field, value, findings) for value, reading in places], "cells")
    differs = {place for place, one in zip(places, tested, strict=True) if is_significant(one)}
    lines = []
    for value in values:
        cells = [
            marked(
                summary_cell(parts[one].get((value,)), one, findings.scales),
                *(("significant",) if (value, one) in differs else ()),
            )
            for one in shown
        ]
        lines.append(TableRow(title=value, cells=tuple(cells)))
    return Table(
        name=table_name(panel_name(f"slices-{field}", panel, every), findings.protocol.name),
        title=f"Dimensions by {field}, all systems pooled",
        columns=tuple(one.column(better="none") for one in shown),
        rows=tuple(lines),
        notes=(
            "Means over the clips of all systems, intervals over scenes; none where a row has a single scene. Marked: "
            "differs from the clips of all other rows by Wilcoxon over systems, Holm over the table, a corrected p "
            f"below {SIGNIFICANT}. That speaks of these scenes, not of others of their kind.",
        ),
        protocol=findings.protocol.name,
        reading="Read n first: some kinds have a single scene.",
    )


def against_others(reading: DimensionReading, field: str, value: str, findings: Findings) -> Contrast:
    """Over systems: the clips whose field has the value, against those where it has another."""
    column = counts_as(reading)
    known = rows_of(reading, findings).filter(pl.col(field) != "").drop_nulls(column)
    means = known.group_by("system", here=pl.col(field) == value).agg(pl.col(column).sort().mean()).rows()
    mine, others = ({system: mean for system, here, mean in means if here is side} for side in (True, False))
    name = f"{field}={value} against others in {reading.dimension.key}"
    most = widest_difference(reading.ref, findings.scales)
    return over_systems(name, (value, "others"), mine, others, len(findings.systems), most)
