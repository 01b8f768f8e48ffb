"""The object reappearance score under other coverage ranges and in other words (MemoBench's Tables S3 and S4)."""

from __future__ import annotations

import numpy as np
import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import SIGNIFICANT
from lookaway.analyses.metric_settings import (
    SettingRows,
    beside_default,
    default_rows,
    mean_cell,
    setting_rows,
    spread_cell,
)
from lookaway.analyses.summaries import marked
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.intervals import Floats
from lookaway.stats.paired import Significance, holm, sign_flip

METRIC = "object_reappearance"
AS_PUBLISHED = "as published"


@analysis(version=1, title="Reappearance by coverage range")
def reappearance_by_coverage(findings: Findings) -> list[Table] | Abstain:
    """Mean and standard deviation per system, for each range of the picture that a mask may cover."""
    return _sweep(findings, "cover", "coverage", "Ranges have no second, wider one to fall back on; as published has.")


@analysis(version=1, title="Reappearance by prompt")
def reappearance_by_prompt(findings: Findings) -> list[Table] | Abstain:
    """Mean and standard deviation per system, for each form in which the subject's name is put."""
    return _sweep(findings, "prompt", "prompt", f"'{AS_PUBLISHED}' is the subject's phrase alone.")


def _sweep(findings: Findings, family: str, word: str, note: str) -> list[Table] | Abstain:
    settings = setting_rows(findings, family, METRIC)
    if not any(one.rows["value"].count() for one in settings):
        return Abstain(f"{METRIC} was not measured under any other {word}")
    labels = [system.label for system in findings.systems]
    differs = _differing(settings, labels)
    lines = []
    if not isinstance(published := default_rows(findings, METRIC, settings[0].rows["instrument_key"][0]), str):
        lines.append(_line(AS_PUBLISHED, published, labels, findings, []))
    for number, one in enumerate(settings):
        lines.append(_line(one.title, one.rows, labels, findings, [s for n, s in differs if n == number]))
    return [
        Table(
            name=table_name(f"reappearance-by-{word}", findings.protocol.name),
            title=f"Object reappearance by {word}",
            columns=tuple(
                column
                for label in labels
                for column in (
                    Column(name=f"{label}-mean", title=label, unit="score", better="higher", digits=3),
                    Column(name=f"{label}-std", title=f"{label} ±", unit="score", digits=3),
                )
            ),
            rows=tuple(lines),
            notes=(
                f"Means over clips with intervals over scenes, ± is the standard deviation over clips. {note} Marked: "
                "differs from the published setting on the same clips, by sign-flips over scenes, Holm over the table, "
                f"a corrected p below {SIGNIFICANT}.",
            ),
            protocol=findings.protocol.name,
            reading="A conclusion that holds in one row alone is a conclusion about the setting.",
        )
    ]


def _line(title: str, rows: pl.DataFrame, labels: list[str], findings: Findings, differing: list[str]) -> TableRow:
    cells: list[TableCell] = []
    for label in labels:
        mine = rows.filter(pl.col("system") == label)
        mean = mean_cell(mine, findings)
        cells += [marked(mean, "significant") if label in differing else mean, spread_cell(mine)]
    return TableRow(title=title, cells=tuple(cells))


def _differing(settings: list[SettingRows], labels: list[str]) -> list[tuple[int, str]]:
    """Settings, by number, and systems whose clips score otherwise than with the published setting."""
    tested: dict[tuple[int, str], float] = {}
    for number, one in enumerate(settings):
        if isinstance(both := beside_default(one), str):
            continue
        for label in labels:
            mine = both.filter(pl.col("system") == label)
            difference: Floats = (mine["value"] - mine["default"]).to_numpy()
            found = sign_flip(difference, mine["scene"].to_numpy())
            if isinstance(found, Significance):
                tested[number, label] = found.p
    corrected = holm(np.array(list(tested.values())))
    return [place for place, p in zip(tested, corrected, strict=True) if p < SIGNIFICANT]
