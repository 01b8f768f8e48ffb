"""Do other settings of a metric change the order of clips and systems (MemoBench's Table S7)?"""

from __future__ import annotations

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.metric_settings import SettingRows, beside_default, competing, setting_rows
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.correlations import kendall
from lookaway.stats.intervals import Floats

FAMILIES = {
    "cover": "share of the picture that a mask may cover",
    "prompt": "words",
    "top": "share of the best patches",
    "tau": "tau",
    "sample": "frames sampled",
}
FORCED = {
    "tau": "tau only stretches the scale: exp(-e / tau) falls with e whatever tau is, so the order of clips cannot "
    "change and Kendall's tau over clips is 1.000 by construction. It says nothing of how robust the metric is."
}


@analysis(version=1, title="Sensitivity to settings")
def setting_sensitivity(findings: Findings) -> list[Table] | Abstain:
    """Kendall's tau of each setting against the paper's, over clips of all systems and over the systems' means."""
    settings = [(family, one) for family in FAMILIES for one in setting_rows(findings, family)]
    rows = [_row(family, one, findings) for family, one in settings]
    if not any(row.cells[-1].value is not None for row in rows):
        return Abstain("no clip has a number under two settings")
    forced = [FORCED[family] for family in FORCED if any(family == other for other, _ in settings)]
    return [
        Table(
            name=table_name("setting-sensitivity", findings.protocol.name),
            title="Does another setting change the order?",
            columns=(
                Column(name="clips", title="Kendall over clips", unit="r", better="none", digits=3),
                Column(name="systems", title="over systems", unit="r", better="none", digits=3),
                Column(name="shift", title="mean change", unit="score", digits=3),
            ),
            rows=tuple(rows),
            notes=(
                "Tau-b against the paper's setting, intervals by Fieller, which take clips for independent though "
                "clips of a scene are not. 1 keeps every order. Systems with few clips change places by chance.",
                *forced,
            ),
            protocol=findings.protocol.name,
            reading="Near 1 the setting does not matter for who is better; the mean may still move.",
        )
    ]


def _row(family: str, one: SettingRows, findings: Findings) -> TableRow:
    group = f"{one.metric.replace('_', ' ')}: {FAMILIES[family]}"
    both = beside_default(one._replace(rows=competing(one.rows, findings)))
    if isinstance(both, str):
        return TableRow(title=one.title, group=group, cells=(TableCell(reason=both),) * 3)
    value, default = both["value"].to_numpy(), both["default"].to_numpy()
    means = both.group_by("system").agg(pl.col("value").mean(), pl.col("default").mean()).sort("system")
    return TableRow(
        title=one.title,
        group=group,
        cells=(
            _tau(value, default),
            _tau(means["value"].to_numpy(), means["default"].to_numpy()),
            TableCell(value=float((value - default).mean()), n=both.height),
        ),
    )


def _tau(x: Floats, y: Floats) -> TableCell:
    found = kendall(x, y)
    if isinstance(found, Abstain):
        return TableCell(reason=found.reason, n=len(x))
    return TableCell(value=found.value, low=found.low, high=found.high, n=found.n)
