"""What the text claims, against the tables of the same paper; and what the paper says in two ways."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from lookaway.published.lines import CheckLine, counted, reads_as
from lookaway.published.paper import Paper, PrintedRow

LOW_SUCCESS, LOW_PROGRESS = 10.0, 5.0  # that no model, and no camera-controlled one, reaches
CLOSED = ("Veo 3", "Sora 2 Pro")
ABOUT, ROUGHLY = 60.0, 5.0  # coherence of closed models, and how far `about` may reach
LARGELY = 50.0  # a control that most videos apply
CONTROLLED = "Observ. Control"


def claims(paper: Paper) -> list[CheckLine]:
    return [
        quotes(paper),
        *low_rates(paper),
        open_models_stall(paper),
        coherence(paper),
        mean_of_two(paper),
        largely_controlled(paper),
        *_said_twice(),
    ]


def quotes(paper: Paper) -> CheckLine:
    """Numbers that the text repeats from Table 2."""
    rows = paper.rows["quotes"]
    differing = []
    for row in rows:
        table, column, said = (row.cells[name] for name in ("table", "column", "value"))
        printed = paper.row(table, row.title).cells[column]
        if not reads_as(said, float(printed)):
            differing.append(f"{row.group}: {row.title}, {column}: says {said}, printed {printed}")
    return counted("Text", "numbers quoted from Table 2", differing, len(rows))


def low_rates(paper: Paper) -> list[CheckLine]:
    """That every success is below 10 %, and progress of camera-controlled models below 5 %."""
    rows = paper.rows["table2"]
    steered = [row for row in rows if row.group == "Camera-controlled"]
    return [
        _below("every model succeeds in less than 10 %", rows, "success", LOW_SUCCESS),
        _below("camera-controlled models progress in less than 5 %", steered, "progress", LOW_PROGRESS),
    ]


def _below(what: str, rows: Sequence[PrintedRow], column: str, limit: float) -> CheckLine:
    above = [f"{row.title}: {row.cells[column]} in Table 2" for row in rows if row.number(column) >= limit]
    return counted("Text", what, above, len(rows))


def open_models_stall(paper: Paper) -> CheckLine:
    """That open video models progress less often than closed ones."""
    rows = [row for row in paper.rows["table2"] if row.group == "Video models"]
    least = min(row.number("progress") for row in rows if row.title in CLOSED)
    others = [row for row in rows if row.title not in CLOSED]
    above = [f"{row.title}: {row.cells['progress']} in Table 2" for row in others if row.number("progress") >= least]
    return counted("Text", "open video models stall more often than closed ones", above, len(others))


def coherence(paper: Paper) -> CheckLine:
    """That closed models are coherent in about 60 % of videos."""
    rows = [paper.row("table2", name) for name in CLOSED]
    off = [row for row in rows if abs(row.number("coherence") - ABOUT) > ROUGHLY]
    differing = [f"{row.title}: {row.cells['coherence']} in Table 2" for row in off]
    return counted("Text", "closed models are coherent in about 60 %", differing, len(rows))


def mean_of_two(paper: Paper) -> CheckLine:
    """That Table 3's controlled arm is an average of two rows of Table 2."""
    arm, differing = paper.row("table3", CONTROLLED), []
    for column in arm.cells:
        values = [paper.row("table2", name).number(column) for name in CLOSED]
        if reads_as(arm.cells[column], mean(values)):
            continue
        outside = not min(values) <= arm.number(column) <= max(values)
        why = ", and lies outside of both" if outside else ""
        differing.append(f"{column}: printed {arm.cells[column]}; Table 2 gives {mean(values):.4g}{why}")
    return counted("Table 3", "controlled arm averages Veo 3 and Sora 2 Pro", differing, len(arm.cells))


def largely_controlled(paper: Paper) -> CheckLine:
    """That models largely apply both controls: in half of their videos, at least."""
    cells = [(row, name) for row in paper.rows["table5"] for name in row.cells]
    seldom = [f"{row.title}, {name}: {row.cells[name]}" for row, name in cells if row.number(name) < LARGELY]
    return counted("Table 5", "models largely follow both controls (half of videos)", seldom, len(cells))


def _said_twice() -> list[CheckLine]:
    twice = (
        (
            "Text",
            "which Hunyuan world model is meant",
            "section 4.1 lists HunyuanWorld 1.0, and speaks of Hunyuan-WorldPlay",
            "Tables 2 and 5: HY-WorldPlay",
        ),
        (
            "Text",
            "what success in Table 2 is of",
            "section 3.2: of videos that passed both controls",
            "Table 2: rates that some models can only have over all videos",
        ),
        (
            "Text",
            "whether a hidden action must be seen",
            "section 3.2: the motion that starts the process must be visible",
            "Fig. 8: causal tasks start while the subject is out of view",
        ),
        (
            "Text",
            "when the action counts",
            "section 3.2: it occurred and took effect",
            "the printed prompt: it occurred, or its effect is visible",
        ),
        (
            "Text",
            "when the subject counts as hidden",
            "section 3.2: blocked for a sustained duration",
            "the printed prompt: completely invisible, for however long",
        ),
        (
            "Text",
            "whether a new object that appears abruptly is incoherent",
            "section 3.2: on the checklist",
            "the printed prompt: none of its six flags",
        ),
        (
            "Fig. 12",
            "whom V-H MRA compares",
            "its caption: the verifier with each of three people",
            "the released code: the verifier with the majority of people",
        ),
        (
            "Fig. 13",
            "values that agreement can take",
            "its caption: 0, 1/3, 2/3 and 1 for V-H and for H-H",
            "three answers of yes or no: two people always agree, so H-H is 1/3 or 1",
        ),
    )
    return [CheckLine(label, what, "contradicts", differing=differing) for label, what, *differing in twice]
