"""The report as one HTML file that works from disk: what the numbers say, the numbers, and the clips behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from lookaway.phrasing import DOSES, point_dose, stopped_here
from lookaway.records import Board, Cell, DoseCurve, Table, Task
from lookaway.reports import report
from lookaway.reports.case_parts import CaseParts
from lookaway.reports.dose_plot import dose_plot
from lookaway.reports.drawing.html import html_table, table_style
from lookaway.reports.drawing.phrases import number
from lookaway.reports.evidence import BoardReading, PageEvidence, reading_of
from lookaway.reports.exhibits import Exhibits, ShownClip
from lookaway.reports.pages import asset, page_style, render
from lookaway.reports.words import (
    LEDGER_NOTE,
    LONG,
    LedgerRow,
    drawn_tables,
    headline_metrics,
    headlines,
    ledger_rows,
    point_interval,
    reached,
    step_meanings,
    stop_sentences,
    without_curve,
)

# Tables that stand before all others, by how their names begin, under a heading of their own.
LEADING = {
    "observation": ("The observation effect", ("observation-effect",)),
    "half-life": ("Half-life", ("half-life", "half_life", "halflife")),
    "comparisons": ("Comparisons", ("compar", "paired", "ranks", "rank-")),
}


@report(file="report.html", version=4)
def html(board: Board, exhibits: Exhibits) -> bytes:
    """A page to send to a colleague."""
    evidence = PageEvidence(board, exhibits)
    parts = CaseParts(board, exhibits, evidence)
    leading, tabs = _sections(board, evidence)
    doses = dose_sections(board)
    facts = {
        "words": board.words,
        "ledgers": _ledgers(board),
        "headlines": headlines(board),
        "leading": leading,
        "doses": doses,
        "tabs": tabs,
        "montages": exhibits.montages,
        "paths": exhibits.paths,
        "tasks": exhibits.tasks,
        "detection": exhibits.detection is not None,
    }
    page = render(
        "page/report.jinja",
        **parts.values,
        **facts,
        board=board,
        summaries=exhibits.summaries,
        contents=_contents(board, leading, facts),
        ledger_note=LEDGER_NOTE,
        meanings={protocol.name: step_meanings(protocol) for protocol in board.protocols},
        with_truth=any(task.truth is not None for task in exhibits.tasks),
        reached=reached,
        stopped_here=stopped_here,
        stop_sentences=stop_sentences,
        whisker=whisker,
        point_dose=point_dose,
        point_interval=point_interval,
        apart=any(task.page for task in exhibits.tasks),
        clips_shown=sum(len(task.clips) for task in exhibits.tasks),
        left_out=exhibits.clips_left_out,
        listed=_listed(board, evidence),
        case_rows=_case_rows(board, exhibits, evidence, parts),
        ends=list(dict.fromkeys(end for t in exhibits.tasks for clip in t.clips for end in parts.ends_of(clip))),
        all_cells=[cell for cell in board.cells if cell.slice == "all"],
        sliced_cells=_sliced(board),
        style=page_style() + table_style(),
        script=Markup(asset("page/page.js")),
    )
    return page.encode()


# ---------------------------------------------------------------- contents


@dataclass(frozen=True)
class TableSection:
    """Tables under one heading, each with its title and whether it is longer than a screen."""

    id: str
    title: str
    tables: Sequence[tuple[str, bool, Markup]] = ()


def _sections(board: Board, evidence: PageEvidence) -> tuple[list[TableSection], list[TableSection]]:
    """Those that stand before all others, and the rest by protocol."""
    by_section: dict[str, list[Table]] = {name: [] for name in LEADING}
    by_protocol: dict[str, list[Table]] = {}
    for table in drawn_tables(board):
        home = next((name for name, (_, starts) in LEADING.items() if table.name.startswith(starts)), None)
        (by_section[home] if home else by_protocol.setdefault(table.protocol, [])).append(table)
    drawn = {table.name: _drawn(table, board, evidence) for table in drawn_tables(board)}
    leading = [
        TableSection(name, title, [drawn[table.name] for table in by_section[name]])
        for name, (title, _) in LEADING.items()
        if by_section[name]
    ]
    tabs = [
        TableSection(f"tables-{number}", protocol or "all protocols", [drawn[table.name] for table in mine])
        for number, (protocol, mine) in enumerate(by_protocol.items(), 1)
    ]
    return leading, tabs


def _drawn(table: Table, board: Board, evidence: PageEvidence) -> tuple[str, bool, Markup]:
    return table.title, len(table.rows) > LONG, html_table(table, evidence.of_table_cell, board.systems)


def _contents(board: Board, leading: Sequence[TableSection], facts: Mapping[str, object]) -> list[TableSection]:
    """What the page has, in its order."""
    limits = board.not_measured or board.deviations or board.not_analysed
    named = [
        ("words", "In plain words", facts["words"]),
        ("ledger", "How far the clips got", facts["ledgers"]),
        ("board", "Board", facts["headlines"]),
        *((section.id, section.title, True) for section in leading),
        ("dose", "Dose response", facts["doses"]),
        ("tables", "Tables of the protocols", facts["tabs"]),
        ("montages", "Cases side by side", facts["montages"]),
        ("paths", "Camera paths", facts["paths"]),
        ("cases", "Clips", facts["tasks"]),
        ("detection", "Can the metrics be trusted?", facts["detection"]),
        ("limits", "What was not measured", limits),
        ("numbers", "All numbers", True),
    ]
    return [TableSection(name, title) for name, title, there in named if there]


# ---------------------------------------------------------------- the list of clips


@dataclass(frozen=True)
class CaseRow:
    """One clip in the list of all."""

    task: Task
    clip: ShownClip
    address: str
    way: str
    ends: Sequence[str]
    words: str
    values: Sequence[tuple[str, str]]  # a number or why there is none, and where it leads


def _listed(board: Board, evidence: PageEvidence) -> list[BoardReading]:
    """The readings of the first protocol's headline, in its order."""
    if not board.protocols:
        return []
    first = board.protocols[0]
    refs = [(ref.name, ref.variant) for ref in first.headline]
    found = [r for r in evidence.readings if r.protocol == first.name and (r.metric, r.variant) in refs]
    return sorted(found, key=lambda reading: refs.index((reading.metric, reading.variant)))


def _case_rows(board: Board, exhibits: Exhibits, evidence: PageEvidence, parts: CaseParts) -> list[CaseRow]:
    listed = _listed(board, evidence)
    return [
        CaseRow(
            shown.task,
            clip,
            evidence.of_case(clip.case),
            "; ".join(end.words for end in clip.ledger) or clip.reason,
            parts.ends_of(clip),
            parts.words_of(clip),
            [_value(clip, reading, evidence, parts) for reading in listed],
        )
        for shown in exhibits.tasks
        for clip in shown.clips
    ]


def _value(clip: ShownClip, reading: BoardReading, evidence: PageEvidence, parts: CaseParts) -> tuple[str, str]:
    score = next((s.score for s in clip.scores if reading_of(s.score) == reading), None)
    if score is None:
        return "–", ""
    unit = parts.unit_of(score)
    shown = number(score.value, unit) if score.value is not None else (score.gate or score.status).replace("_", " ")
    return shown, evidence.of_case(evidence.of_score(clip, score))


# ---------------------------------------------------------------- board, ledger, dose


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
        plots = [dose_plot([curve for curve in curves if curve.dose == kind], board.systems) for kind in DOSES]
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
