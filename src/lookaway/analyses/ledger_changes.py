"""Where a system loses clips that the first one did not lose there or before, and where it gains some."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.columns import table_name
from lookaway.analyses.ledger import clip_fates
from lookaway.outcomes import Abstain
from lookaway.phrasing import commonest, with_reader
from lookaway.records import CaseId, Column, Step, Table, TableCell, TableRow

CLIP = ["task", "seed", "branch", "instruments"]
Fate = Mapping[str, object]


def ledger_changes(findings: Findings) -> list[Table] | Abstain:
    """For every system after the first and every step: clips lost here by it alone, and by the first alone."""
    if not findings.protocol.ledger:
        return Abstain("the protocol has no ledger")
    clips = findings.once(clip_fates)
    first, *others = (system.label for system in findings.systems)
    rows, notes = [], []
    for second in others:
        pairs = _side(clips, first).join(_side(clips, second), on=CLIP, how="inner", suffix="_second")
        if pairs.is_empty():
            continue
        for (instruments,), mine in pairs.partition_by("instruments", as_dict=True, maintain_order=True).items():
            group = with_reader(f"{second} against {first}", str(instruments))
            rows += [_row(number, group, mine, findings) for number in range(len(findings.protocol.ledger))]
            notes += _notes(group, second, mine, findings)
    if not rows:
        return Abstain("no clip of the ledger pairs")
    return [_table(rows, notes, findings)]


def _side(clips: pl.DataFrame, system: str) -> pl.DataFrame:
    return clips.filter(pl.col("system") == system).select(*CLIP, "outcome", "ended", "value", "reason")


def _got_beyond(ended: object, number: int) -> bool:
    return ended is None or int(str(ended)) > number


def _row(number: int, group: str, pairs: pl.DataFrame, findings: Findings) -> TableRow:
    fates = list(pairs.iter_rows(named=True))
    reached = [sum(_got_beyond(fate[ended], number) for fate in fates) for ended in ("ended", "ended_second")]
    lost, gained = _lost_here(fates, number, "_second", ""), _lost_here(fates, number, "", "_second")
    return TableRow(
        title=findings.protocol.ledger[number].name,
        group=group,
        cells=(
            *(TableCell(value=count) for count in reached),
            TableCell(value=len(lost)),
            TableCell(value=len(gained)),
        ),
    )


def _lost_here(fates: list[dict[str, object]], number: int, side: str, other: str) -> list[dict[str, object]]:
    """Clips lost at this step on one side, which on the other got beyond it."""
    return [
        fate
        for fate in fates
        if fate[f"outcome{side}"] == "lost"
        and fate[f"ended{side}"] == number
        and _got_beyond(fate[f"ended{other}"], number)
    ]


def _notes(group: str, second: str, pairs: pl.DataFrame, findings: Findings) -> list[str]:
    """At each step the reasons and the first clips that the system lost there and the first one did not."""
    fates, told = list(pairs.iter_rows(named=True)), []
    for number, step in enumerate(findings.protocol.ledger):
        if lost := _lost_here(fates, number, "_second", ""):
            why = Counter(_why(step, one) for one in lost)
            clips = ", ".join(str(_case(one, second)) for one in lost[:3])
            told.append(f"{group}, newly lost at {step.name}: {commonest(dict(why.most_common()))}; such as {clips}")
    return told


def _why(step: Step, fate: Fate) -> str:
    value = fate["value_second"]
    return str(fate["reason_second"]) if value is None else f"{step.metric.name} {step.miss(float(str(value)))}"


def _case(fate: Fate, system: str) -> CaseId:
    return CaseId(task=str(fate["task"]), system=system, seed=int(str(fate["seed"])), branch=str(fate["branch"]))


def _table(rows: list[TableRow], notes: list[str], findings: Findings) -> Table:
    return Table(
        name=table_name("ledger-changes", findings.protocol.name),
        title="Where clips are lost that were not before",
        columns=(
            Column(name="first", title="first got so far", unit="clips"),
            Column(name="second", title="second got so far", unit="clips"),
            Column(name="newly_lost", title="second alone lost here", unit="clips", better="lower"),
            Column(name="no_longer_lost", title="first alone lost here", unit="clips", better="higher"),
        ),
        rows=tuple(rows),
        notes=tuple(notes),
        protocol=findings.protocol.name,
        reading="The same tasks and seeds walk the ledger in both; lost by one alone, a clip got further in the other.",
    )
