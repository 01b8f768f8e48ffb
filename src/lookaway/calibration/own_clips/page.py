"""The grades on one's own clips, as tables that the terminal and Markdown draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Group, RenderableType

from lookaway.calibration.own_clips.grades import FaultGrade, OrderGrade, OwnClipsTable
from lookaway.calibration.own_clips.relations import RELATIONS, Direction
from lookaway.calibration.own_clips.walk import BROUGHT
from lookaway.phrasing import reader_labels, with_reader
from lookaway.records import Column, Detection, Table, TableCell, TableRow
from lookaway.reports.drawing.markdown import markdown_table
from lookaway.reports.drawing.terminal import terminal_table
from lookaway.store import Run, write_whole

FILES = ("own-clips.json", "own-clips.md")
KINDS = {"harmless": "harmless", "fault": "faults"}
DOES: dict[Direction, str] = {"worse": "gets worse", "stays": "stays", "no worse": "gets no worse"}


def tables(found: OwnClipsTable) -> list[Table]:
    """Does the order hold; is the fault noticed, here and in the known world; and every metric against every change."""
    made = [_order_table(found), _fault_table(found), _matrix(found)]
    return [table for table in made if table is not None]


def terminal(found: OwnClipsTable) -> RenderableType:
    return Group(*map(terminal_table, tables(found)))


def write(run: Run, found: OwnClipsTable) -> list[Path]:
    """`own-clips.json` and `own-clips.md` in the run folder."""
    head = "# Grades on your own clips\n"
    texts = (found.model_dump_json(indent=1) + "\n", "\n".join([head, *map(markdown_table, tables(found))]))
    return [write_whole(run.root / name, text) for name, text in zip(FILES, texts, strict=True)]


# ---------------------------------------------------------------- order


def _order_table(found: OwnClipsTable) -> Table | None:
    columns = (
        Column(name="expected", title="must"),
        Column(name="holds", title="holds", unit="%", better="higher", digits=0),
    )
    rows = [_order_row(order) for order in sorted(found.orders, key=_in_order)]
    silent = [_silent_row(name, reasons) for name, reasons in found.not_made.items() if _never(found, name)]
    if not rows and not silent:
        return None
    return Table(
        name="own-clips-order",
        title="Do the numbers follow what was done to the clips?",
        columns=columns,
        rows=tuple(sorted((*rows, *silent), key=lambda row: list(KINDS.values()).index(row.group))),
        reading="Of the clips that had a number before, the share whose number followed as it must; a number that is "
        "missing afterwards does not follow. Intervals are 95 %, over clips.",
        notes=tuple(_left_out(found)),
    )


def _never(found: OwnClipsTable, relation: str) -> bool:
    return not any(order.relation == relation and order.n for order in found.orders)


def _in_order(order: OrderGrade) -> int:
    return list(RELATIONS).index(order.relation)


def _order_row(order: OrderGrade) -> TableRow:
    share = order.share
    if share is None:
        cell = TableCell(reason="no clip had a number before")
    else:
        ends = [None if end is None else 100 * end for end in (order.low, order.high)]
        cell = TableCell(value=100 * share, low=ends[0], high=ends[1], n=order.n)
    must = f"{' or '.join(order.metrics)} {DOES[order.direction]}"
    return TableRow(
        title=order.relation, group=KINDS[RELATIONS[order.relation].kind], cells=(TableCell(text=must), cell)
    )


def _silent_row(relation: str, reasons: dict[str, str]) -> TableRow:
    cells = (TableCell(text="–"), TableCell(reason=f"no clip could be made: {_commonest(reasons.values())}"))
    return TableRow(title=relation, group=KINDS[RELATIONS[relation].kind], cells=cells)


def _left_out(found: OwnClipsTable) -> Iterable[str]:
    for relation, reasons in found.not_made.items():
        yield f"{relation} was not made of {len(reasons)} of {len(found.clips)} clips: {_commonest(reasons.values())}"
    for video, why in found.unreadable.items():
        yield f"{video} cannot be read: {why}"


def _commonest(reasons: Iterable[str]) -> str:
    return "; ".join(f"{reason} ({number})" for reason, number in Counter(reasons).most_common())


# ---------------------------------------------------------------- faults


def _fault_table(found: OwnClipsTable) -> Table | None:
    """The metrics that must notice each fault."""
    rows = []
    for name, relation in RELATIONS.items():
        must = {metric for e in relation.expects if e.direction == "worse" for metric in e.metrics}
        mine = [grade for grade in found.grades if grade.here.fault == name and grade.here.metric in must]
        rows += [_fault_row(grade) for grade in mine if grade.here.n]
    if not rows:
        return None
    return Table(
        name="own-clips-faults",
        title="Each fault under the metrics that must notice it",
        columns=(
            Column(name="metric", title="metric"),
            Column(name="auc", title="AUC", better="higher", digits=2, group="your clips"),
            Column(name="found", title="found", unit="%", better="higher", digits=0, group="your clips"),
            Column(name="known_auc", title="AUC", better="higher", digits=2, group="known world"),
            Column(name="known_found", title="found", unit="%", better="higher", digits=0, group="known world"),
        ),
        rows=tuple(rows),
        reading="AUC is the chance that a faulty clip looks worse than a harmless one; found is the share beyond the "
        "threshold that the known world sets at 5 % false alarms. A clip without a number is missed.",
        notes=(f"Known world: {found.known_suite}.",) if found.known_suite else (),
    )


def _fault_row(grade: FaultGrade) -> TableRow:
    here, known = grade.here, grade.known
    cells = (
        TableCell(text=here.metric),
        _number(here.auc, here.reason or "no harmless clip has a number", n=here.n),
        _share(grade.alarmed, grade.low, grade.high, here.n, "the known world sets no threshold"),
        _number(None if known is None else known.auc, _why(known), n=None if known is None else known.n),
        _share(known.hit_rate, known.hit_low, known.hit_high, known.n, _why(known))
        if known is not None
        else TableCell(reason=_why(known)),
    )
    return TableRow(title=here.fault, cells=cells)


def _why(known: Detection | None) -> str:
    return (known.reason if known is not None else "") or "not known"


def _number(value: float | None, reason: str, n: int | None = None) -> TableCell:
    return TableCell(reason=reason) if value is None else TableCell(value=value, n=n)


def _share(value: float | None, low: float | None, high: float | None, n: int, reason: str) -> TableCell:
    if value is None:
        return TableCell(reason=reason)
    ends = (None, None) if low is None or high is None else (100 * low, 100 * high)
    return TableCell(value=100 * value, low=ends[0], high=ends[1], n=n)


# ---------------------------------------------------------------- all


def _matrix(found: OwnClipsTable) -> Table | None:
    """AUC of every metric and reader against every change."""
    names = [name for name in RELATIONS if any(grade.here.fault == name and grade.here.n for grade in found.grades)]
    by_metric: dict[tuple[str, str, str, str], dict[str, Detection]] = {}
    for grade in found.grades:
        row = grade.here
        key = (row.metric, row.variant, row.instrument_key, row.ask_key)
        by_metric.setdefault(key, {})[row.fault] = row
    told = [rows for rows in by_metric.values() if any(row.auc is not None for row in rows.values())]
    if not names or not told:
        return None
    labels = _labels(told)
    return Table(
        name="own-clips-matrix",
        title="Every metric against every change",
        shape="heat_map",
        columns=tuple(Column(name=name, title=name, digits=2) for name in names),
        rows=tuple(
            TableRow(title=label, cells=tuple(_matrix_cell(rows.get(name)) for name in names))
            for label, rows in zip(labels, told, strict=True)
        ),
        reading="AUC: 1 always worse than harmless clips, 0.5 not told apart, 0 always better or without a number.",
        notes=(f"Harmless are the clips {BROUGHT.replace('-', ' ')} and their harmless changes.",),
    )


def _labels(told: Sequence[dict[str, Detection]]) -> list[str]:
    """A metric by its name; where several read it, with the reader."""
    firsts = [next(iter(rows.values())) for rows in told]
    found = []
    for row in firsts:
        mine = [each for each in firsts if (each.metric, each.variant) == (row.metric, row.variant)]
        found.append(with_reader(row.metric, reader_labels(mine)[row.instrument_key, row.ask_key]))
    return found


def _matrix_cell(row: Detection | None) -> TableCell:
    if row is None:
        return TableCell(reason="not made")
    return _number(row.auc, row.reason or "no number", n=row.n)
