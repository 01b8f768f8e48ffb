"""Table 2 against the results file: cells, averages, daggers, condition types."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import mean

from lookaway.published.lines import CheckLine, counted, reads_as
from lookaway.published.paper import Paper, PrintedRow
from lookaway.published.wrbench.release import ReleasedModel

Models = Mapping[str, ReleasedModel]
LABEL = "Table 2"
SCORED = ("CamPrec", "CamAlign", "Integ", "VisSpatial", "VisState", "ReobsSpatial", "ReobsState")
AVERAGED = ("CamAlign", "Integ", "VisSpatial", "VisState", "ReobsSpatial", "ReobsState")
FEWEST = 10  # re-observed rows, and
LEAST = 0.10  # of the outputs: below either, a row has a dagger
DIGITS = 3  # to which columns are rounded before they are averaged


def released(model: ReleasedModel, column: str) -> float | None:
    """What the results file says for a column of Table 2."""
    if column == "Support_pct":
        return 100 * model.support
    if column == "Avg":
        return _average([round(value, DIGITS) for value in _six(model) if value is not None])
    return model.scores[column]


def _six(model: ReleasedModel) -> list[float | None]:
    return [model.scores[name] for name in AVERAGED]


def _average(values: list[float]) -> float | None:
    return mean(values) if len(values) == len(AVERAGED) else None


def is_sparse(model: ReleasedModel) -> bool:
    return model.counts["ReobsState"] < FEWEST or model.support < LEAST


def cells(paper: Paper, models: Models) -> list[CheckLine]:
    """Every printed number of Table 2, and every dash."""
    rows = paper.rows["table2"]
    total = sum(row.has(name) for row in rows for name in row.cells)
    differing = [text for row in rows for name in row.cells if (text := _cell_differs(row, name, models))]
    strangers = sorted(set(models) - {row.id for row in rows})
    differing += [f"{name}: in the results file, not in Table 2" for name in strangers]
    remark = "Avg: mean of the file's columns, each rounded to 3 digits"
    return [counted(LABEL, "cells against the results file", differing, total, remark)]


def _cell_differs(row: PrintedRow, column: str, models: Models) -> str:
    if row.id not in models:
        return f"{row.title}, {column}: the results file has no {row.id}"
    printed, value = row.cells[column], released(models[row.id], column)
    if not row.has(column):
        return "" if value is None else f"{row.title}, {column}: nothing is printed, the file has {value:.4g}"
    if value is None:
        return f"{row.title}, {column}: printed {printed}, the file has none"
    return "" if reads_as(printed, value) else f"{row.title}, {column}: printed {printed}, the file has {value:.5g}"


def averages(paper: Paper, models: Models) -> list[CheckLine]:
    """Avg by unrounded columns, and the file's own Avg."""
    known = [(row, models[row.id]) for row in paper.rows["table2"] if row.id in models]
    exact = [(row, _average([v for v in _six(model) if v is not None])) for row, model in known]
    unrounded = [
        f"{row.title}: printed {row.cells['Avg']}, unrounded columns give {value or 0:.5f}"
        for row, value in exact
        if value is None or not reads_as(row.cells["Avg"], value)
    ]
    own = [
        f"{row.title}: the file says {model.average:.5f}, its columns give {value or 0:.5f}"
        for (row, model), (_, value) in zip(known, exact, strict=True)
        if value is None or abs(model.average - value) > 1e-6
    ]
    remark = "the paper averaged rounded columns, the file did not"
    return [
        counted(LABEL, "Avg by unrounded columns", unrounded, len(known), remark if unrounded else ""),
        counted(LABEL, "the file's own Avg is the mean of its six columns", own, len(known)),
    ]


def printed_averages(paper: Paper) -> list[CheckLine]:
    """Avg from the columns beside it, without any file."""
    rows = paper.rows["table2"]
    found = [(row, mean([row.number(name) for name in AVERAGED])) for row in rows]
    differing = [f"{r.title}: printed {r.cells['Avg']}, columns give {v:.5f}" for r, v in found if not _is_avg(r, v)]
    return [counted(LABEL, "Avg is the mean of the six columns as printed", differing, len(rows))]


def _is_avg(row: PrintedRow, value: float) -> bool:
    return reads_as(row.cells["Avg"], value)


def daggers(paper: Paper, models: Models) -> list[CheckLine]:
    """Daggers by their rule, as printed and as flagged in the file."""
    known = [(row, models[row.id]) for row in paper.rows["table2"] if row.id in models]
    differing = [
        f"{row.title}: printed {_dagger(bool(row.sparse))}, by the rule {_dagger(is_sparse(model))}, "
        f"in the file {_dagger(model.flagged)}"
        for row, model in known
        if not bool(row.sparse) == is_sparse(model) == model.flagged
    ]
    by_rule = sum(is_sparse(model) for _, model in known)
    remark = f"{by_rule} rows by the rule n < {FEWEST} or support < {LEAST:.0%}"
    return [counted(LABEL, "daggers, by their rule and in the file", differing, len(known), remark)]


def _dagger(there: bool) -> str:
    return "a dagger" if there else "none"


def condition_types(paper: Paper, models: Models) -> list[CheckLine]:
    known = [(row, models[row.id]) for row in paper.rows["table2"] if row.id in models]
    differing = [
        f"{row.title}: printed under {row.group}, the file says {model.condition_type}"
        for row, model in known
        if row.group != model.condition_type
    ]
    return [counted(LABEL, "condition types", differing, len(known))]


def totals(paper: Paper, models: Models) -> list[CheckLine]:
    """How many outputs lie behind each column."""
    sums = {name: sum(model.counts[name] for model in models.values()) for name in ("CamPrec", "CamAlign")}
    sums |= {name: sum(model.counts[name] for model in models.values()) for name in ("StaticHold", "ReobsState")}
    sums |= {"models": len(models), "outputs": sum(model.outputs for model in models.values())}
    return [
        counted(
            "Totals",
            f"{row.title}: {row.number('count'):,.0f}",
            [] if sums[row.id] == row.number("count") else [f"the file has {sums[row.id]:,}"],
            1,
            row.source,
        )
        for row in paper.rows["totals"]
    ]
