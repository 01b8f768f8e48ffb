"""The report as one HTML file that works from disk: board, ledger, plots, and the clips themselves beside the truth."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from lookaway.metrics import METRICS
from lookaway.phrasing import DOSES, point_dose, stopped_here
from lookaway.records import Board, Cell, DoseCurve
from lookaway.reports import report
from lookaway.reports.dose_plot import dose_plot
from lookaway.reports.drawing.html import html_table, table_style
from lookaway.reports.exhibits import Exhibits
from lookaway.reports.heat_map import heat_map_html
from lookaway.reports.pages import render
from lookaway.reports.words import (
    LEDGER_NOTE,
    LONG,
    LedgerRow,
    drawn_tables,
    headline_metrics,
    headlines,
    ledger_rows,
    point_interval,
    rate,
    reached,
    without_curve,
)


@report(file="report.html", version=3)
def html(board: Board, exhibits: Exhibits) -> bytes:
    """A page to send to a colleague."""
    page = render(
        "html.jinja",
        board=board,
        headlines=headlines(board),
        ledgers=_ledgers(board),
        ledger_note=LEDGER_NOTE,
        reached=reached,
        rate=rate,
        stopped_here=stopped_here,
        doses=dose_sections(board),
        tables=[(table.title, len(table.rows) > LONG, html_table(table)) for table in drawn_tables(board)],
        table_style=table_style(),
        heat_map=heat_map_html(exhibits.detection) if exhibits.detection is not None else Markup(),
        tasks=exhibits.tasks,
        left_out=exhibits.left_out,
        montages=exhibits.montages,
        paths=exhibits.paths,
        whisker=whisker,
        point_dose=point_dose,
        point_interval=point_interval,
        summaries=exhibits.summaries,
        metrics={(m.name, m.variant): m for m in METRICS.all().values()},
        all_cells=[cell for cell in board.cells if cell.slice == "all"],
        sliced_cells=_sliced(board),
    )
    return page.encode()


def _sliced(board: Board) -> list[Cell]:
    wanted = headline_metrics(board.protocols)
    return [c for c in board.cells if c.slice != "all" and (c.protocol, c.metric, c.variant) in wanted]


def _ledgers(board: Board) -> dict[str, list[LedgerRow]]:
    """The rows of each protocol's ledger."""
    names = dict.fromkeys(step.protocol for step in board.ledger)
    return {name: ledger_rows(step for step in board.ledger if step.protocol == name) for name in names}


@dataclass(frozen=True)
class DoseSection:
    """One protocol's dose response."""

    protocol: str
    last_step: str
    plots: list[Markup]
    curves: list[tuple[str, DoseCurve]]
    without: dict[str, list[str]]  # why there is no curve, and of whom


def dose_sections(board: Board) -> list[DoseSection]:
    sections = []
    for protocol in board.protocols:
        curves = [curve for curve in board.dose if curve.protocol == protocol.name]
        if not any(curve.points for curve in curves):
            continue
        plots = [dose_plot([curve for curve in curves if curve.dose == kind]) for kind in DOSES]
        named = [(words, curve) for kind, words in DOSES.items() for curve in curves if curve.dose == kind]
        last, drawn = protocol.ledger[-1].name, [plot for plot in plots if plot]
        sections.append(DoseSection(protocol.name, last, drawn, named, without_curve(curves)))
    return sections


def whisker(cell: Cell, span: tuple[float, float] | None) -> dict[str, float] | None:
    """Positions in percent of an interval bar, for metrics with a fixed range."""
    if span is None or cell.value is None:
        return None
    bottom, top = span

    def place(value: float) -> float:
        return round(100 * min(max((value - bottom) / (top - bottom), 0), 1), 1)

    low, high = (cell.value if end is None else end for end in (cell.low, cell.high))
    return {"low": place(low), "width": round(place(high) - place(low), 1), "at": place(cell.value)}
