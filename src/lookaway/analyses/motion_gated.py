"""The motion-gated subset: the headline where the camera is asked to turn far, and where it is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.asked_turns import TURN_KINDS, TURN_WORDS, asked_turns
from lookaway.analyses.beside_metrics import FAR_DEG
from lookaway.analyses.clip_rows import clip_rows
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import widest_difference, with_holm
from lookaway.analyses.dimensions import DimensionReading
from lookaway.analyses.headline import headline_readings, reading_column
from lookaway.analyses.over_systems import ContrastLine, over_systems, questions_table
from lookaway.analyses.profile import inactive_systems
from lookaway.analyses.summaries import marked, mean_difference, rows_of, summary_cell
from lookaway.geometry.asked import NOT_ASKED
from lookaway.geometry.turns import Turns
from lookaway.outcomes import Abstain
from lookaway.records import Column, Contrast, Table, TableCell, TableRow

Subsets = Mapping[str, frozenset[str]]  # kind of rotation to the tasks inside


@analysis(version=1, title="Motion-gated subset")
def motion_gated(findings: Findings) -> list[Table] | Abstain:
    """How many clips each way to count rotation lets in, and every metric of the headline inside and outside."""
    readings = headline_readings(findings)
    if not readings:
        return Abstain("nothing of the headline was scored")
    tasks = sorted(findings.once(clip_rows)["task"].unique())
    turns = {name: turn for name in tasks if (turn := asked_turns(findings.tasks[name])) is not None}
    if not turns:
        return Abstain(NOT_ASKED)
    inside = {k: frozenset(n for n, turn in turns.items() if getattr(turn, k) >= FAR_DEG) for k in TURN_KINDS}
    made = [_counts(turns, inside, findings)]
    for kind in _distinct(inside, len(turns)):
        made += [_table(kind, inside, frozenset(turns), readings, findings), _tests(kind, inside, readings, findings)]
    return made


def _distinct(inside: Subsets, tasks: int) -> list[str]:
    """Kinds that part the tasks, each parting once."""
    parting: dict[frozenset[str], str] = {}
    for kind, subset in inside.items():
        if 0 < len(subset) < tasks:
            parting.setdefault(subset, kind)
    return list(parting.values())


def _counts(turns: Mapping[str, Turns], inside: Subsets, findings: Findings) -> Table:
    rows = []
    for kind, subset in inside.items():
        degrees = [getattr(turn, kind) for turn in turns.values()]
        cells = (
            TableCell(value=len(subset), n=len(subset), total=len(turns)),
            TableCell(value=sum(degrees) / len(degrees), n=len(degrees)),
            TableCell(value=min(degrees)),
            TableCell(value=max(degrees)),
        )
        rows.append(TableRow(title=f"{kind}: {TURN_WORDS[kind]}", cells=cells))
    return Table(
        name=table_name("motion-gate", findings.protocol.name),
        title=f"Tasks whose camera is asked to turn by {FAR_DEG:g} degrees or more",
        columns=(
            Column(name="inside", title="inside", unit="tasks", digits=0),
            Column(name="mean", title="mean", unit="deg", digits=1),
            Column(name="least", title="least", unit="deg", digits=1),
            Column(name="most", title="most", unit="deg", digits=1),
        ),
        rows=tuple(rows),
        notes=(
            "Rotation has three meanings. The paper calls the gate's rotation total and does not define it; the "
            "released code's total is the net one, by which a pan that comes home has none.",
            *(
                ()
                if _distinct(inside, len(turns))
                else ("None of the three parts these tasks: all are in, or all out.",)
            ),
        ),
        protocol=findings.protocol.name,
        reading="Which rotation gates decides which clips are in: a subset is named by it below.",
    )


def _table(
    kind: str, inside: Subsets, asked: frozenset[str], readings: Sequence[DimensionReading], findings: Findings
) -> Table:
    flags = inactive_systems(findings)
    rows = [
        TableRow(
            title=system.label,
            cells=tuple(
                marked(cell, *(("inactive",) if flags.get(system.label) else ()))
                for reading in readings
                for cell in _cells(reading, system.label, inside[kind], asked - inside[kind], findings)
            ),
        )
        for system in findings.systems
    ]
    same = [other for other in TURN_KINDS if other != kind and inside[other] == inside[kind]]
    return Table(
        name=table_name(f"motion-gated-{kind}", findings.protocol.name),
        title=f"The headline by {kind} rotation of the asked camera",
        columns=tuple(column for reading in readings for column in _columns(reading)),
        rows=tuple(rows),
        notes=(
            f"Far: asked to turn by {FAR_DEG:g} degrees or more, {TURN_WORDS[kind]}: {len(inside[kind])} of "
            f"{len(asked)} tasks." + (f" By {' and '.join(same)} rotation they are the same." if same else ""),
            "The asked camera decides, never what a system made of it. Intervals are over scenes; n counts clips.",
            *(f"{system}: {flag}" for system, flag in flags.items()),
        ),
        protocol=findings.protocol.name,
        reading="What is left of a system where looking away takes a real turn; a camera at rest is flattered outside.",
    )


def _columns(reading: DimensionReading) -> list[Column]:
    plain = reading_column(reading)
    parts = {"far": "far", "near": "less", "gap": "far − less"}
    return [
        reading_column(
            reading,
            name=f"{plain.name}:{part}",
            title=title,
            group=plain.title,
            better="none" if part == "gap" else plain.better,
        )
        for part, title in parts.items()
    ]


def _cells(
    reading: DimensionReading, system: str, far: frozenset[str], near: frozenset[str], findings: Findings
) -> tuple[TableCell, ...]:
    mine = rows_of(reading, findings).filter(pl.col("system") == system)
    parts = [mine.filter(pl.col("task").is_in(list(tasks))) for tasks in (far, near)]
    most = widest_difference(reading.ref, findings.scales)
    gap = mean_difference(parts[0], parts[1], "value", most)
    return (*(summary_cell(part, reading, findings.scales) for part in parts), gap)


def _tests(kind: str, inside: Subsets, readings: Sequence[DimensionReading], findings: Findings) -> Table:
    made = with_holm([_contrast(one, kind, inside[kind], findings) for one in readings], "metrics")
    return questions_table(
        f"motion-gated-{kind}-tests",
        f"Far minus less by {kind} rotation, over systems",
        [ContrastLine("", one.title, of) for one, of in zip(readings, made, strict=True)],
        findings,
        "Whether a large turn moves a metric in systems at large.",
    )


def _contrast(reading: DimensionReading, kind: str, far: frozenset[str], findings: Findings) -> Contrast:
    known = rows_of(reading, findings).drop_nulls("value")
    is_far = pl.col("task").is_in(list(far)).alias("far")
    means = known.group_by("system", is_far).agg(pl.col("value").sort().mean()).rows()
    first, second = ({system: mean for system, here, mean in means if here is side} for side in (True, False))
    name, most = f"{kind} rotation in {reading.dimension.key}", widest_difference(reading.ref, findings.scales)
    return over_systems(name, ("far", "less"), first, second, len(findings.systems), most)
