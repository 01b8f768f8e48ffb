"""Moving against changing in place: the two-by-two of events, each factor toggled with the other one fixed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, get_args

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import widest_difference, with_holm
from lookaway.analyses.dimensions import (
    EVENT_DIMENSIONS,
    REOBSERVED_STATE,
    DimensionReading,
    Panel,
    panel_name,
    panels,
)
from lookaway.analyses.over_systems import ContrastLine, Means, over_systems, questions_table
from lookaway.analyses.profile import in_condition_order
from lookaway.analyses.summaries import (
    SystemCells,
    counts_as,
    mean_difference,
    parted,
    rows_of,
    summary_cell,
    system_cells,
)
from lookaway.outcomes import Abstain
from lookaway.records import Column, Contrast, Event, Table, TableCell, TableRow

EVENTS: tuple[Event, ...] = get_args(Event)
EventMeans = Mapping[str, float]  # of one system, by event


class Toggle(NamedTuple):
    """What is compared with what, from a system's means by event."""

    family: str
    title: str
    needs: tuple[Event, ...]
    first: Callable[[EventMeans], float]
    second: Callable[[EventMeans], float]
    reach: float = 1.0  # how many times as far as two values of a metric the two can be apart


def _bracket(first: Event, second: Event) -> Toggle:
    return Toggle("brackets", f"{first} − {second}", (first, second), lambda m: m[first], lambda m: m[second])


RELOCATION = Toggle(
    "relocation against in-place",
    "spatial − state_only",
    ("spatial", "state_only"),
    lambda m: m["spatial"],
    lambda m: m["state_only"],
)
TOGGLES = (
    _bracket("spatial", "none"),
    _bracket("state_only", "none"),
    _bracket("full", "state_only"),
    _bracket("full", "spatial"),
    Toggle("main effects", "moving", EVENTS, lambda m: (m["spatial"] + m["full"]) / 2, lambda m: _still(m)),
    Toggle(
        "main effects", "changing in place", EVENTS, lambda m: (m["state_only"] + m["full"]) / 2, lambda m: _kept(m)
    ),
    Toggle(
        "interaction",
        "moving while changing − moving alone",
        EVENTS,
        lambda m: m["full"] - m["state_only"],
        lambda m: m["spatial"] - m["none"],
        reach=2.0,
    ),
    RELOCATION,
)


def _still(means: EventMeans) -> float:
    return (means["none"] + means["state_only"]) / 2


def _kept(means: EventMeans) -> float:
    return (means["none"] + means["spatial"]) / 2


@analysis(version=1, title="Events two by two")
def event_contrasts(findings: Findings) -> list[Table] | Abstain:
    """Four brackets, main effects, interaction and relocation against in-place change, over systems."""
    here = {task.event for task in findings.tasks.values()}
    if len(here) < 2:
        return Abstain("the tasks have one kind of event")
    every = panels(findings)
    return [table for panel in every for table in _tables(panel, every, findings)] or Abstain("nothing was scored")


def _tables(panel: Panel, every: Sequence[Panel], findings: Findings) -> list[Table]:
    shown = panel.of(*EVENT_DIMENSIONS)
    if not shown:
        return []
    known = system_cells(findings, panel)
    made = [_pooled(shown, panel_name("event-means", panel, every), findings)]
    for name, sparse in (("event-contrasts", True), ("event-contrasts-dense", False)):
        asked = questions(shown, findings, known, sparse=sparse)
        if not sparse and not any("sparse" in cell.marks for cells in known.values() for cell in cells.values()):
            continue
        title = "Events two by two" + ("" if sparse else ", systems with sparse re-observed values left out of those")
        reading = "What toggling one factor adds to a dimension, the other factor fixed; 0 if nothing."
        made.append(questions_table(panel_name(name, panel, every), title, asked, findings, reading))
    gap = panel.only(REOBSERVED_STATE)
    if isinstance(gap, DimensionReading):
        made.append(_gaps(gap, panel_name("event-gap", panel, every), findings))
    return made


def questions(
    shown: Sequence[DimensionReading], findings: Findings, known: SystemCells, *, sparse: bool
) -> list[ContrastLine]:
    """Every toggle in every dimension; Holm over all of them, so that a table without effects has a mark once in 20."""
    asked = [(reading, toggle) for reading in shown for toggle in TOGGLES]
    made = []
    for reading, toggle in asked:
        means = event_means(reading, findings)
        kept = {k: v for k, v in means.items() if sparse or "sparse" not in known[k][reading].marks}
        made.append(_contrast(reading, toggle, kept, findings))
    corrected = with_holm(made, "questions")
    return [ContrastLine(r.title, f"{t.family}: {t.title}", one) for (r, t), one in zip(asked, corrected, strict=True)]


def event_means(
    reading: DimensionReading, findings: Findings, rows: pl.DataFrame | None = None
) -> Mapping[str, EventMeans]:
    """Each system's mean by event; events without a number are absent."""
    rows = rows_of(reading, findings) if rows is None else rows
    column = counts_as(reading)
    means = rows.drop_nulls(column).group_by("system", "event").agg(pl.col(column).sort().mean())
    found: dict[str, dict[str, float]] = {system.label: {} for system in findings.systems}
    for system, event, value in means.sort("system", "event").iter_rows():
        found[system][event] = value
    return found


def _contrast(
    reading: DimensionReading, toggle: Toggle, means: Mapping[str, EventMeans], findings: Findings
) -> Contrast:
    whole = {label: of for label, of in means.items() if all(event in of for event in toggle.needs)}
    first: Means = {label: toggle.first(of) for label, of in whole.items()}
    second: Means = {label: toggle.second(of) for label, of in whole.items()}
    name, span = f"{toggle.title} in {reading.dimension.key}", widest_difference(reading.ref, findings.scales)
    most = None if span is None else toggle.reach * span
    return over_systems(name, ("with", "without"), first, second, len(findings.systems), most)


def _pooled(shown: Sequence[DimensionReading], name: str, findings: Findings) -> Table:
    """All systems' clips together, by event."""
    parts = {reading: parted(rows_of(reading, findings), "event") for reading in shown}
    rows = [
        TableRow(
            title=event,
            cells=tuple(summary_cell(parts[one].get((event,)), one, findings.scales) for one in shown),
        )
        for event in EVENTS
    ]
    return Table(
        name=table_name(name, findings.protocol.name),
        title="Dimensions by event, all systems pooled",
        columns=tuple(one.column() for one in shown),
        rows=tuple(rows),
        notes=("Systems with more clips weigh more; the tests below weigh every system alike.",),
        protocol=findings.protocol.name,
        reading="Means over the clips of all systems, with intervals over scenes.",
    )


def _gaps(reading: DimensionReading, name: str, findings: Findings) -> Table:
    """Relocation minus in-place change for every system, with an interval over scenes."""
    columns = [reading.column(name=event, title=f"{reading.title}, {event}") for event in ("spatial", "state_only")]
    cells = gap_cells(reading, findings)
    rows = [
        TableRow(title=system.label, group=system.card.condition_type, cells=cells[system.label])
        for system in in_condition_order(findings)
    ]
    return Table(
        name=table_name(name, findings.protocol.name),
        title="Relocation against in-place change",
        columns=(*columns, Column(name="gap", title="gap", unit="score", digits=3)),
        rows=tuple(rows),
        notes=("The gap is relocation minus in-place change; that these are the paper's two arms is inferred.",),
        protocol=findings.protocol.name,
        reading="Above 0 the system remembers where a thing went better than what became of it.",
    )


def gap_cells(reading: DimensionReading, findings: Findings) -> dict[str, tuple[TableCell, ...]]:
    """Of each system: the mean after relocation, that after change in place, and the first minus the second."""
    clips = parted(rows_of(reading, findings), "system", "event")
    cells = {}
    for system in findings.systems:
        moved, changed = (clips.get((system.label, event)) for event in ("spatial", "state_only"))
        means = (summary_cell(arm, reading, findings.scales) for arm in (moved, changed))
        cells[system.label] = (*means, mean_difference(moved, changed, counts_as(reading)))
    return cells
