"""Tables of which the paper's rows are unknown, but which follow from Table 2: made for every row of it."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from lookaway.published.paper import Paper, PrintedRow
from lookaway.records import Column, Table, TableCell, TableRow

HIGH_SUPPORT_PCT = 25.0  # ours: the paper does not say where high begins; seven rows lie above, the next at 20.8
FROM = "Made of Table 2 as printed; which rows the paper shows here is not known."


def derived_tables(paper: Paper) -> list[Table]:
    return [access_ladder(paper), high_support(paper), taxonomy(paper)]


def access_ladder(paper: Paper) -> Table:
    """Table 3: rows by support, with the mean of both visible scores."""
    columns = (
        Column(name="type", title="Condition type"),
        _score("CamAlign", "Cam Align"),
        _support(),
        _score("Visible", "Vis avg"),
    )
    return Table(
        name="table3",
        title="Table 3: Rows by how often they pose the question",
        columns=columns,
        rows=tuple(TableRow(title=row.title, cells=_ladder(row)) for row in _by_support(paper)),
        notes=(FROM,),
        protocol=paper.layouts.name,
        reading="Support falls from top to bottom; the visible score does not rise with it.",
    )


def high_support(paper: Paper) -> Table:
    """Table 7: the re-observed scores of rows with much support."""
    rows = [row for row in _by_support(paper) if row.number("Support_pct") >= HIGH_SUPPORT_PCT]
    names = ("Support_pct", "ReobsSpatial", "ReobsState")
    return Table(
        name="table7",
        title="Table 7: Re-observed scores where support is high",
        columns=(_support(), _score("ReobsSpatial", "ReSp"), _score("ReobsState", "ReSt")),
        rows=tuple(TableRow(title=row.title, cells=_values(row, names)) for row in rows),
        notes=(FROM, f"High: at least {HIGH_SUPPORT_PCT:.0f} %, a cut of ours; the paper states none."),
        protocol=paper.layouts.name,
        reading="Conditional means over the supported rows.",
    )


def taxonomy(paper: Paper) -> Table:
    """Table 10: which rows are of which condition type."""
    groups: dict[str, list[str]] = {}
    for row in paper.rows["table2"]:
        groups.setdefault(row.group, []).append(row.title)
    return Table(
        name="table10",
        title="Table 10: Rows by viewpoint condition type",
        columns=(Column(name="count", title="Rows", digits=0), Column(name="models", title="Models")),
        rows=tuple(
            TableRow(title=group, cells=(TableCell(value=len(models)), TableCell(text=", ".join(models))))
            for group, models in groups.items()
        ),
        notes=("Made of Table 2 as printed; the paper's modifiers are words and not repeated.",),
        protocol=paper.layouts.name,
        reading="The dominant form of what tells a model the view; a property of the row, not of the model's family.",
    )


def visible(row: PrintedRow) -> float:
    """Mean of both visible scores."""
    return mean([row.number("VisSpatial"), row.number("VisState")])


def _by_support(paper: Paper) -> list[PrintedRow]:
    return sorted(paper.rows["table2"], key=lambda row: -row.number("Support_pct"))


def _ladder(row: PrintedRow) -> tuple[TableCell, ...]:
    return (TableCell(text=row.group), *_values(row, ("CamAlign", "Support_pct")), TableCell(value=visible(row)))


def _values(row: PrintedRow, names: Sequence[str]) -> tuple[TableCell, ...]:
    return tuple(_value(row, name) for name in names)


def _value(row: PrintedRow, name: str) -> TableCell:
    return TableCell(value=row.number(name), marks=("sparse",) if name in row.sparse else ())


def _score(name: str, title: str) -> Column:
    return Column(name=name, title=title, digits=3)


def _support() -> Column:
    return Column(name="Support_pct", title="Support", unit="%", digits=1)
