"""The report as Markdown, for a pull request or a README."""

from __future__ import annotations

from lookaway.phrasing import DOSES, others, point_dose, stopped_here, with_reader
from lookaway.records import Board, Cell, DoseCurve, LedgerStep, PlainWords
from lookaway.reports import report
from lookaway.reports.drawing.markdown import markdown_table
from lookaway.reports.drawing.phrases import arrow, number
from lookaway.reports.escaping import in_markdown
from lookaway.reports.exhibits import Exhibits, ShownClip
from lookaway.reports.words import (
    LEDGER_NOTE,
    Headline,
    HeadlineColumn,
    drawn_tables,
    headlines,
    interval,
    ledger_rows,
    point_interval,
    reached,
    without_curve,
)


@report(file="report.md", version=3)
def markdown(board: Board, exhibits: Exhibits) -> bytes:
    """Headline tables, what happened in the clips, ledger, dose response, analyses and what was not measured."""
    parts = [f"# lookaway: {in_markdown(board.suite)} (version {board.suite_version})"]
    if board.words:
        parts.append("## In plain words\n\n" + "\n".join(f"- {_in_words(one)}" for one in board.words))
    parts += [_table(headline) for headline in headlines(board)]
    if told := [_said(task.task.id, clip) for task in exhibits.tasks for clip in task.clips if clip.said]:
        parts.append("## What happened in the clips\n\n" + "\n".join(told))
    if board.ledger:
        parts.append("## How far the clips got\n\n" + _ledger(board.ledger))
    if any(curve.points for curve in board.dose):
        parts.append("## How memory fades\n\n" + _dose(board.dose))
    if drawn_tables(board):
        parts.append("## Analyses\n\n" + "\n".join(map(markdown_table, drawn_tables(board))).strip())
    if board.not_analysed:
        told = [f"- {in_markdown(what)}: {in_markdown(why)}" for what, why in board.not_analysed.items()]
        parts.append("## Not analysed\n\n" + "\n".join(told))
    if board.deviations:
        told = [f"- {in_markdown(what)}: {in_markdown(why)}" for what, why in board.deviations.items()]
        parts.append("## Deviations from the protocol\n\n" + "\n".join(told))
    if board.not_measured:
        lines = [f"- `{metric}`: {in_markdown(why)}" for metric, why in board.not_measured.items()]
        parts.append("## Not measured\n\n" + "\n".join(lines))
    return ("\n\n".join(parts) + "\n").encode()


def _in_words(words: PlainWords) -> str:
    return f"**{in_markdown(with_reader(words.system, words.instruments))}**: {in_markdown(words.sentence)}"


def _said(task: str, clip: ShownClip) -> str:
    return f"- **{in_markdown(task)}** ({in_markdown(clip.title)}): {in_markdown(clip.said)}"


def _table(headline: Headline) -> str:
    heads = ["system", *(_head(column) for column in headline.columns)]
    lines = [" | ".join(heads), " | ".join(["---"] * len(heads))]
    for row in headline.rows:
        units = [column.metric.unit for column in headline.columns]
        system = in_markdown(f"{row.system} ({row.inactive})" if row.inactive else row.system)
        lines.append(" | ".join([system, *(_cell(c, u) for c, u in zip(row.cells, units, strict=True))]))
    title = f"## {in_markdown(headline.protocol)}\n\n{in_markdown(headline.summary)}. Intervals are 95 %.\n\n"
    return title + "\n".join(f"| {line} |" for line in lines)


def _head(column: HeadlineColumn) -> str:
    return f"{in_markdown(column.title)} {arrow(column.metric.better)} ({column.metric.unit})"


def _cell(cell: Cell | None, unit: str) -> str:
    if cell is None:
        return "–"
    measured = f"**{number(cell.value, unit)}** {interval(cell, unit)} n={cell.ok} of {cell.n}" if cell.ok else ""
    return ", ".join(filter(None, [measured, others(cell)]))


def _ledger(steps: tuple[LedgerStep, ...]) -> str:
    parts = []
    for protocol in dict.fromkeys(step.protocol for step in steps):
        ours = [step for step in steps if step.protocol == protocol]
        names = list(dict.fromkeys(step.step for step in ours))
        lines = [" | ".join(["system", "clips", *names, "where the others stopped"])]
        lines.append(" | ".join(["---"] * (len(names) + 3)))
        for row in ledger_rows(ours):
            stops = [f"{step.step}: {'; '.join(stopped_here(step))}" for step in row.steps if stopped_here(step)]
            told = [in_markdown(row.title), str(row.total), *map(reached, row.steps), in_markdown(". ".join(stops))]
            lines.append(" | ".join(told))
        parts.append("\n".join(f"| {line} |" for line in lines))
    return "\n\n".join([*parts, LEDGER_NOTE])


def _dose(curves: tuple[DoseCurve, ...]) -> str:
    heads = ["against", "dose", "system", "right state", "95 % interval", "n", "scenes", "if the others count as wrong"]
    lines = [" | ".join(heads), " | ".join(["---"] * len(heads))]
    for curve in sorted(curves, key=lambda curve: list(DOSES).index(curve.dose)):
        for point in curve.points:
            told = [DOSES[curve.dose], point_dose(point), in_markdown(curve.system), number(point.value, "")]
            counts = [f"{point.ok} of {point.n}", str(point.scenes)]
            lines.append(" | ".join([*told, point_interval(point), *counts, number(point.floor, "")]))
    about = "Share of clips that reach the last step of the ledger, among those with a verdict."
    without = [f"No curve against {why} ({', '.join(who)})." for why, who in without_curve(curves).items()]
    notes = "\n".join(f"- {in_markdown(line)}" for line in without)
    return "\n\n".join(filter(None, [about, "\n".join(f"| {line} |" for line in lines), notes]))
