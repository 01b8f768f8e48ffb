"""A leaderboard's tables: values with intervals, places with theirs, where the rows come from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.analyses.columns import metric_columns, table_name
from lookaway.outcomes import Abstain
from lookaway.phrasing import ReadBy, titled
from lookaway.records import Audit, Cell, Column, Table, TableCell, TableRow
from lookaway.sharing.comparable import ComparableRuns, LeaderboardRow, Reading, badness
from lookaway.stats.anchoring import anchoring
from lookaway.stats.bootstrap_t import t_quantile
from lookaway.stats.places import LEVEL, possible_places

REFERENCES = "baselines and reference models, which do not compete"
NOT_TOLD = "not told"
SHORT = 12  # letters of a hash that are shown


def tables(standing: ComparableRuns, number: int, audits: Mapping[str, Sequence[Audit]]) -> list[Table]:
    """Values, places and origins of one comparable group."""
    rows = sorted(standing.rows, key=lambda row: (row.is_reference, _sort_key(row, standing.readings)))
    return [_values(standing, rows, number), _places(standing, rows, number), _origins(standing, rows, number, audits)]


def _sort_key(row: LeaderboardRow, readings: Sequence[Reading]) -> float:
    """By the first headline metric that has a better side; without a number, last."""
    ranked = [reading for reading in readings if reading.better]
    bad = badness(row, ranked[0], list(row.by_task.get(ranked[0], {}))) if ranked else np.zeros(0)
    return float(bad.mean()) if len(bad) else float("inf")


def _name(kind: str, standing: ComparableRuns, number: int) -> str:
    return table_name(f"{kind}-{number}", f"{standing.suite} {standing.protocol.name}")


def _columns(readings: Sequence[Reading]) -> tuple[Column, ...]:
    return metric_columns([(one.ref, ReadBy(one.instrument_key, one.ask_key, "")) for one in readings])


def _values(standing: ComparableRuns, rows: Sequence[LeaderboardRow], number: int) -> Table:
    made = [
        TableRow(title=_title(row), group=_group(row), cells=tuple(_cell(row, one) for one in standing.readings))
        for row in rows
    ]
    return Table(
        name=_name("values", standing, number),
        title=f"{standing.suite}, version {standing.suite_version}",
        columns=_columns(standing.readings),
        rows=tuple(made),
        protocol=standing.protocol.name,
        reading="Every number with its 95 % interval over scenes, and n of all rows; a cell without a number says why.",
        notes=(
            f"{len(standing.hashes)} tasks with equal content in every run of this table; "
            f"read by {'; '.join(dict.fromkeys(one.instrument or 'nobody' for one in standing.readings))}.",
        ),
    )


def _title(row: LeaderboardRow) -> str:
    partial = f" (partial: {row.system.clips} of {row.system.planned} clips)" if row.is_partial else ""
    return f"{row.label}{partial}"


def _group(row: LeaderboardRow) -> str:
    return REFERENCES if row.is_reference else "systems"


def _cell(row: LeaderboardRow, reading: Reading) -> TableCell:
    cell = row.cells.get(reading)
    if cell is None:
        return TableCell(reason="not scored")
    if cell.value is None:
        return TableCell(reason=_why(cell), n=0, total=cell.n)
    marks = ("ceiling",) if row.label == "truth" else ()
    return TableCell(value=cell.value, low=cell.low, high=cell.high, n=cell.ok, total=cell.n, marks=marks)


def _why(cell: Cell) -> str:
    kinds = ("avoided", "no_opportunity", "not_judgeable", "not_applicable", "abstained", "no_output", "failed")
    counts = {kind: getattr(cell, kind) for kind in kinds}
    told = [f"{count} {kind.replace('_', ' ')}" for kind, count in counts.items() if count]
    return ", ".join(told) or "no rows"


def _places(standing: ComparableRuns, rows: Sequence[LeaderboardRow], number: int) -> Table:
    ranked = [one for one in standing.readings if one.better]
    competing = [row for row in rows if not row.is_reference] or list(rows)
    tasks = sorted(standing.scenes)
    scenes = np.array([standing.scenes[task] for task in tasks])
    cells: dict[int, list[TableCell]] = {id(row): [] for row in competing}
    for reading in ranked:
        numbered = [row for row in competing if row.by_task.get(reading)]
        found = possible_places([badness(row, reading, tasks) for row in numbered], scenes)
        told = {
            id(row): f"{_span(one.best, one.worst)}, group {one.tie_group}"
            for row, one in zip(numbered, found, strict=True)
        }
        for row in competing:
            place = told.get(id(row))
            cells[id(row)].append(TableCell(text=place) if place else TableCell(reason="no number"))
    columns = [column.model_copy(update={"unit": "", "better": "none"}) for column in _columns(ranked)]
    made = [TableRow(title=_title(row), cells=tuple(cells[id(row)])) for row in competing]
    return Table(
        name=_name("places", standing, number),
        title=f"Places on {standing.suite}",
        columns=tuple(columns) or (Column(name="none", title="no ranked metric"),),
        rows=tuple(made) if columns else (TableRow(title="none", cells=(TableCell(reason="no ranked metric"),)),),
        protocol=standing.protocol.name,
        reading="From the best to the worst place that the clips allow. Systems of one group are not told apart from "
        "its first, and share the place.",
        notes=(
            f"Every two systems over the tasks that both have a number for, by sign flips of whole scenes, Holm's "
            f"correction over all pairs of a column, level {LEVEL:g}.",
        ),
    )


def _span(best: int, worst: int) -> str:
    return str(best) if best == worst else f"{best}–{worst}"


def _origins(
    standing: ComparableRuns, rows: Sequence[LeaderboardRow], number: int, audits: Mapping[str, Sequence[Audit]]
) -> Table:
    heads = ("Clips made by", "Scored by", "Judge and passport", "Clips", "Cost", "Audit", "Bundle")
    columns = tuple(Column(name=re.sub(r"\W+", "_", head.lower()), title=head) for head in heads)
    made = []
    for row in rows:
        told = (
            f"{row.seal.generated_by or NOT_TOLD}, by {row.system.generator}",
            row.seal.scored_by or NOT_TOLD,
            _judges(row),
            f"{row.system.clips} of {row.system.planned}{', partial' if row.is_partial else ''}",
            _cost(row),
            audit_words(audits.get(row.bundle, ())),
            row.bundle[:SHORT],
        )
        made.append(TableRow(title=row.label, group=_group(row), cells=tuple(TableCell(text=text) for text in told)))
    return Table(
        name=_name("origins", standing, number),
        title=f"Where the rows of {standing.suite} come from",
        columns=columns,
        rows=tuple(made),
        protocol=standing.protocol.name,
        reading="Who made and who scored is as the submitter says; an audit shows that scores follow from clips, never "
        "that clips come from a model.",
    )


def _judges(row: LeaderboardRow) -> str:
    told = [f"{one.label} ({'passport ' + one.passport if one.passport else 'no exam'})" for one in row.seal.judges]
    return "; ".join(told) or "no judge"


def _cost(row: LeaderboardRow) -> str:
    clips = f"clips {row.system.cost_usd} USD" if row.system.cost_usd else "clips: not told"
    return f"{clips}, judging {row.seal.judging_usd} USD" if row.seal.judging_usd else clips


def audit_words(audits: Sequence[Audit]) -> str:
    """One failed audit outweighs any number of passed ones: a seal that is drawn often enough passes once."""
    failed = [one for one in audits if one.verdict in ("not reproduced", "other suite")]
    if failed:
        return f"FAILED {len(failed)} of {len(audits)} audits: {failed[0].verdict}"
    if not audits:
        return "not audited"
    best = max(audits, key=lambda one: len(one.drawn))
    return f"{best.verdict}: {len(best.drawn)} of {best.clips} clips"


def anchored_table(draws: Sequence[ComparableRuns], anchor: str) -> Table | None:
    """Systems on several draws of a suite beside a reference model on the same draw; None where no draw has it."""
    rows = []
    for draw, standing in enumerate(draws, 1):
        anchors = [row for row in standing.rows if row.label == anchor]
        for reading in [one for one in standing.readings if one.better and anchors]:
            group = f"{titled(reading.ref)}, draw {draw}: {standing.suite}"
            others = [row for row in standing.rows if row.label != anchor]
            rows += [_anchored_row(standing, reading, row, anchors[0], group) for row in others]
    if not rows:
        return None
    heads = {"value": "Value", "against": f"Against {anchor}", "correlation": "Correlation", "use": "Compare by"}
    return Table(
        name="anchored",
        title=f"Across draws, anchored by {anchor}",
        columns=tuple(Column(name=name, title=title, digits=3) for name, title in heads.items()),
        rows=tuple(rows),
        reading="Systems that met different draws of tasks are compared by their difference to one reference model "
        "on their own draw, where that narrows the interval; elsewhere by the value itself.",
        notes=(
            "Means over scenes, 95 % intervals by Student's t; the correlation is that of both systems over scenes.",
        ),
    )


def _anchored_row(
    standing: ComparableRuns, reading: Reading, row: LeaderboardRow, anchor: LeaderboardRow, group: str
) -> TableRow:
    own, other = row.by_task.get(reading, {}), anchor.by_task.get(reading, {})
    tasks = sorted(own.keys() & other.keys())
    scenes = np.array([standing.scenes[task] for task in tasks])
    found = anchoring(np.array([own[t] for t in tasks]), np.array([other[t] for t in tasks]), scenes)
    if isinstance(found, Abstain):
        return TableRow(title=row.label, group=group, cells=tuple(TableCell(reason=found.reason) for _ in range(4)))
    reach = t_quantile(found.scenes - 1)
    cells = [
        TableCell(value=value, low=value - reach * error, high=value + reach * error, n=len(tasks))
        for value, error in ((found.raw, found.raw_error), (found.difference, found.difference_error))
    ]
    use = "the difference" if found.narrows else "the value: the anchor would not narrow it"
    return TableRow(
        title=row.label, group=group, cells=(*cells, TableCell(value=found.correlation), TableCell(text=use))
    )
