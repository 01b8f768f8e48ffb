"""Systems as shapes: the headline, and the dimensions of the questions."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import SIGNIFICANT, is_significant, with_holm
from lookaway.analyses.dimensions import DimensionReading
from lookaway.analyses.headline import headline_readings, reading_column, readings_of
from lookaway.analyses.profile import inactive_systems
from lookaway.analyses.slices import against_others
from lookaway.analyses.summaries import marked, parted, rows_of, summary_cell
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableRow

QUESTIONED = {
    "vqa_instruction": "Instruction",
    "vqa_things": "Objects and background",
    "vqa_memory": "Memory",
    "vqa_physics": "Physics",
}
FEWEST = 3  # axes that span an area


@analysis(version=1, title="Systems as shapes")
def radars(findings: Findings) -> list[Table] | Abstain:
    """Every system's means on the axes of the headline, and on those of the questions."""
    kinds = {"radar": headline_readings(findings), "radar-questions": questioned(findings)}
    titles = {"radar": "The headline as a shape", "radar-questions": "Answers by dimension, as a shape"}
    made = [_table(name, titles[name], axes, findings) for name, axes in kinds.items() if len(axes) >= FEWEST]
    return made or Abstain(f"a shape takes {FEWEST} axes, and fewer metrics were scored")


def questioned(findings: Findings) -> list[DimensionReading]:
    """What was read of each dimension of the questions."""
    protocol = findings.protocol
    refs = [ref for name in QUESTIONED for ref in (*protocol.headline, *protocol.metrics) if ref.name == name]
    return readings_of(refs, findings)


def scaled_column(reading: DimensionReading, findings: Findings, **changes: object) -> Column:
    """The column of a reading with the ends of its scale, where it has one."""
    scale = findings.scales.get((reading.ref.name, reading.ref.variant))
    return reading_column(reading, scale=None if scale is None else (scale.low, scale.high), **changes)


def _table(name: str, title: str, axes: Sequence[DimensionReading], findings: Findings) -> Table:
    flags = inactive_systems(findings)
    parts = {one: parted(rows_of(one, findings), "system") for one in axes}
    rows = []
    for system in findings.systems:
        cells = [summary_cell(parts[one].get((system.label,)), one, findings.scales) for one in axes]
        mark = ("inactive",) if flags.get(system.label) else ()
        rows.append(TableRow(title=system.label, cells=tuple(marked(cell, *mark) for cell in cells)))
    return Table(
        name=table_name(name, findings.protocol.name),
        title=title,
        shape="radar",
        columns=tuple(scaled_column(one, findings) for one in axes),
        rows=tuple(rows),
        notes=tuple(f"{system}: {flag}" for system, flag in flags.items()),
        protocol=findings.protocol.name,
        reading="The shape tells where a system is strong; its area means nothing, for the order of axes decides it.",
    )


@analysis(version=1, title="Answers by scene and dimension")
def scene_heat_map(findings: Findings) -> list[Table] | Abstain:
    """Every scene in every dimension of the questions, all systems pooled."""
    readings = questioned(findings)
    if not readings:
        return Abstain("no question was asked")
    scenes = sorted({scene for one in readings for scene in rows_of(one, findings)["scene"]})
    places = [(scene, one) for scene in scenes for one in readings]
    tested = with_holm([against_others(one, "scene", scene, findings) for scene, one in places], "cells")
    differs = {place for place, test in zip(places, tested, strict=True) if is_significant(test)}
    rows = []
    for scene in scenes:
        mine = {one: rows_of(one, findings).filter(pl.col("scene") == scene) for one in readings}
        cells = [
            marked(summary_cell(part, one, findings.scales), *(("significant",) if (scene, one) in differs else ()))
            for one, part in mine.items()
        ]
        rows.append(TableRow(title=scene, cells=tuple(cells)))
    return [
        Table(
            name=table_name("scene-heat-map", findings.protocol.name),
            title="Answers by scene and dimension, all systems pooled",
            shape="heat_map",
            columns=tuple(scaled_column(one, findings) for one in readings),
            rows=tuple(rows),
            notes=(
                "Means over the clips of all systems; a single scene has no interval over scenes. Marked: differs from "
                "all other scenes by Wilcoxon over systems, Holm over the table, a corrected p below "
                f"{SIGNIFICANT}, which few systems can never reach.",
            ),
            protocol=findings.protocol.name,
            reading="A row that is pale all along is a scene that is hard for all; a pale column, a dimension.",
        )
    ]
