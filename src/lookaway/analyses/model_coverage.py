"""What a run covers: kinds of systems by their cards, and of which dimension each system has numbers."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.dimensions import Panel, panel_name, panels
from lookaway.analyses.profile import CONDITION_TYPES, in_condition_order
from lookaway.analyses.summaries import parted, rows_of, why_nothing
from lookaway.outcomes import Abstain
from lookaway.records import Column, ModelCard, System, Table, TableCell, TableRow, field_text

SAID = ("input", "control", "input_policy", "history", "context_s", "takes_prefix", "can_step", "weights")
EVALUATED = tuple(kind for kind in CONDITION_TYPES if kind not in ("known-world", "baseline"))
FULL, PARTIAL, NONE = "full", "partial", "none"


@analysis(version=1, title="What is covered")
def model_coverage(findings: Findings) -> list[Table] | Abstain:
    """Condition types, what the cards tell, and for each dimension whether a system has numbers of all its clips."""
    every = panels(findings)
    if not every:
        return Abstain("no dimension of a profile was scored")
    return [_types(findings), _cards(findings), *(_dimensions(panel, every, findings) for panel in every)]


def coverage_mark(n: int, total: int) -> str:
    """`full` where every clip has a number, `none` where no clip has."""
    return NONE if n == 0 else FULL if n == total else PARTIAL


def _types(findings: Findings) -> Table:
    rows = []
    present = [one.card.condition_type for one in in_condition_order(findings)]
    for kind in dict.fromkeys((*EVALUATED, *present)):
        mine = [one for one in findings.systems if one.card.condition_type == kind]
        names = _text(", ".join(one.label for one in mine))
        facts = (_text(", ".join(dict.fromkeys(_said(one.card, name) for one in mine))) for name in SAID[:3])
        rows.append(TableRow(title=kind, cells=(TableCell(value=len(mine)), names, *facts)))
    return Table(
        name=table_name("coverage-types", findings.protocol.name),
        title="Condition types that are covered",
        columns=(
            Column(name="systems", title="n", unit="systems"),
            Column(name="names", title="systems"),
            *(Column(name=name, title=name.replace("_", " ")) for name in SAID[:3]),
        ),
        rows=tuple(rows),
        notes=("The condition type is a fact of the card with its source, never derived from the input.",),
        protocol=findings.protocol.name,
        reading="A type without systems, or with one, says nothing about its kind.",
    )


def _cards(findings: Findings) -> Table:
    rows = [
        TableRow(
            title=system.label,
            group=system.card.condition_type,
            cells=(*_known_cells(system), *(_text(_said(system.card, name)) for name in SAID)),
        )
        for system in in_condition_order(findings)
    ]
    return Table(
        name=table_name("coverage-cards", findings.protocol.name),
        title="What the cards tell of each system",
        columns=(
            Column(name="known", title="facts known", unit="rate"),
            Column(name="sourced", title="of those with a source", unit="rate"),
            *(Column(name=name, title=name.replace("_", " ")) for name in SAID),
        ),
        rows=tuple(rows),
        notes=("What a card leaves out is unknown, which is not no.",),
        protocol=findings.protocol.name,
        reading="Compare systems of like inputs; where a fact is unknown, nobody can say whether they are.",
    )


def _known_cells(system: System) -> tuple[TableCell, TableCell]:
    facts = system.card.facts()
    known = [name for name, value in facts.items() if value is not None]
    sourced = [name for name in known if system.card.source(name)]
    share = TableCell(value=len(known) / len(facts), n=len(known), total=len(facts))
    if not known:
        return share, TableCell(reason="no fact is known", n=0, total=0)
    return share, TableCell(value=len(sourced) / len(known), n=len(sourced), total=len(known))


def _said(card: ModelCard, field: str) -> str:
    said = field_text(card, field)
    return "unknown" if said in ("none", "") and field != "control" else said


def _text(said: str) -> TableCell:
    return TableCell(text=said) if said else TableCell(reason="no system")


def _dimensions(panel: Panel, every: Sequence[Panel], findings: Findings) -> Table:
    parts = {one: parted(rows_of(one, findings), "system") for one in panel.readings}
    rows = []
    for system in in_condition_order(findings):
        cells = tuple(_mark_cell(of.get((system.label,))) for of in parts.values())
        rows.append(TableRow(title=system.label, group=system.card.condition_type, cells=cells))
    return Table(
        name=table_name(panel_name("coverage-dimensions", panel, every), findings.protocol.name),
        title="Dimensions that are covered",
        columns=tuple(one.column(unit="", better="none", digits=None) for one in panel.readings),
        rows=tuple(rows),
        notes=(
            f"{FULL}: every clip that counts has a number; {PARTIAL}: some have; {NONE}: no clip has, and why most "
            "have not.",
        ),
        protocol=findings.protocol.name,
        reading="A profile compares systems only in dimensions that both have.",
    )


def _mark_cell(rows: pl.DataFrame | None) -> TableCell:
    """`full`, `partial, 12 of 40`, or why there is none."""
    if rows is None:
        return TableCell(reason=f"{NONE}: not asked of this system", n=0, total=0)
    n, total = rows.drop_nulls("value").height, rows.height
    mark = coverage_mark(n, total)
    if mark == NONE:
        return TableCell(reason=f"{NONE}: {why_nothing(rows)}", n=0, total=total)
    return TableCell(text=mark if mark == FULL else f"{mark}, {n} of {total}", n=n, total=total)
