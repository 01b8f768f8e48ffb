"""Which objects come back: the reappearance score by the size of the object and by the turn at its return (6.5)."""

from __future__ import annotations

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import with_holm
from lookaway.analyses.metric_settings import SettingRows, competing, mean_cell, setting_rows
from lookaway.analyses.over_systems import ContrastLine, over_systems, questions_table
from lookaway.outcomes import Abstain
from lookaway.records import Column, Contrast, Table, TableRow

METRIC = "object_reappearance"
SIZE = (
    "Size is the share of the true picture that the subject's mask covers, in the mean over the frames of its return."
)
TURN = (
    "The turn is that of the true camera against its first view, in the frame in which the subject is fully back: one "
    "angle per clip, neither the largest on the way nor the length of the way."
)


@analysis(version=1, title="Reappearance by object size")
def reappearance_by_size(findings: Findings) -> list[Table] | Abstain:
    """Per system, the score of small, middling and large objects; and whether large ones come back more often."""
    return _strata(findings, "size", SIZE)


@analysis(version=1, title="Reappearance by turn at the return")
def reappearance_by_turn(findings: Findings) -> list[Table] | Abstain:
    """Per system, the score by how far the camera is turned when the object is back; and whether far turns cost."""
    return _strata(findings, "turn", TURN)


def _strata(findings: Findings, family: str, note: str) -> list[Table] | Abstain:
    strata = setting_rows(findings, family, METRIC)
    if not any(one.rows["value"].count() for one in strata):
        return Abstain(f"no clip has both a score and a known {family}")
    rows = [
        TableRow(title=system.label, cells=tuple(mean_cell(_of(one, system.label), findings) for one in strata))
        for system in findings.systems
    ]
    means = Table(
        name=table_name(f"reappearance-by-{family}", findings.protocol.name),
        title=f"Object reappearance by {family}",
        columns=tuple(
            Column(name=f"{one.variant}-{number}", title=one.title, unit="score", better="higher", digits=3)
            for number, one in enumerate(strata)
        ),
        rows=tuple(rows),
        notes=(note, "Means over the clips of a stratum, intervals over scenes."),
        protocol=findings.protocol.name,
        reading="Read n first: a stratum may have few clips. Other things than size or turn differ between strata too.",
    )
    lines = [
        ContrastLine("", f"{one.title} against {strata[0].title}", contrast)
        for one, contrast in zip(strata[1:], with_holm(_against_first(strata, findings), "strata"), strict=True)
    ]
    reading = "Below 0, the stratum comes back less often than the first one."
    asked = questions_table(f"reappearance-{family}-contrasts", f"Does the {family} matter?", lines, findings, reading)
    return [means, asked]


def _of(one: SettingRows, system: str) -> pl.DataFrame:
    return one.rows.filter(pl.col("system") == system)


def _against_first(strata: list[SettingRows], findings: Findings) -> list[Contrast]:
    known = [competing(one.rows, findings).drop_nulls("value") for one in strata]
    means = [dict(rows.group_by("system").agg(pl.col("value").mean()).rows()) for rows in known]
    asked = sum(not system.is_ceiling for system in findings.systems)
    return [
        over_systems(one.title, (one.title, strata[0].title), mean, means[0], asked)
        for one, mean in zip(strata[1:], means[1:], strict=True)
    ]
