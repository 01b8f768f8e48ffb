"""Figures that follow from the results file: correlations, frontier, what a larger model changes, carriers."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from lookaway.outcomes import Abstain
from lookaway.published.lines import CheckLine, counted, reads_as
from lookaway.published.paper import Paper, PrintedRow
from lookaway.published.wrbench.profile import Models, is_sparse, released
from lookaway.published.wrbench.release import ReleasedModel
from lookaway.stats.correlations import pearson

OTHER_FORM = "CamAlign"  # in figures 3 and 4 another form than Table 2's
TABLE_2 = {"Support": "Support_pct"}  # what Table 2 calls it
SERIES = {
    "wan_fun_2_1": ("wan21_fun_1p3b_cam", "wan21_fun_14b_cam"),
    "wan_fun_2_2": ("wan22_fun_5b_cam", "wan22_fun_a14b_cam"),
}


def correlations(paper: Paper, models: Models) -> list[CheckLine]:
    """Fig. 4, pair by pair; the row of CamAlign apart."""
    pairs = [*combinations([row.title for row in paper.rows["fig4"]], 2)]
    own = [pair for pair in pairs if OTHER_FORM in pair]
    rest = [pair for pair in pairs if OTHER_FORM not in pair]
    remark = "no released form of CamAlign gives this row"
    return [
        counted("Fig. 4", "pairs without CamAlign", _differing_pairs(paper, models, rest), len(rest)),
        counted(
            "Fig. 4", "pairs with CamAlign", _differing_pairs(paper, models, own), len(own), remark, "not reproducible"
        ),
    ]


def _differing_pairs(paper: Paper, models: Models, pairs: list[tuple[str, str]]) -> list[str]:
    found = [(a, b, paper.row("fig4", a).cells[b], correlation(models, a, b)) for a, b in pairs]
    return [f"{a}, {b}: printed {text}, {_said(r)}" for a, b, text, r in found if r is None or not reads_as(text, r)]


def _said(value: float | None) -> str:
    return "the file gives none" if value is None else f"the file gives {value:.3f}"


def correlation(models: Models, first: str, second: str) -> float | None:
    """Pearson's over the models that have both; None where there is no spread."""
    names = [TABLE_2.get(name, name) for name in (first, second)]
    points = [[released(model, name) for name in names] for model in models.values()]
    both = np.array([point for point in points if None not in point], float).reshape(-1, 2)
    found = pearson(both[:, 0], both[:, 1])
    return None if isinstance(found, Abstain) else found.value


def frontier(paper: Paper, models: Models) -> list[CheckLine]:
    """Fig. 3 right: the best of each condition type, and whether that row is sparse."""
    rows = paper.rows["fig3-right"]
    cells = [(row, name) for row in rows for name in row.cells if row.has(name)]
    ours = [(row, name) for row, name in cells if not name.startswith(OTHER_FORM)]
    other = [(row, name) for row, name in cells if name.startswith(OTHER_FORM)]
    differing = [text for row, name in ours if (text := _frontier_differs(row, name, name, models))]
    early = [text for row, name in other if (text := _frontier_differs(row, name, OTHER_FORM, models))]
    remark = "an earlier form of CamAlign, which no released file has"
    return [
        counted("Fig. 3 right", "best values and daggers without CamAlign", differing, len(ours)),
        counted("Fig. 3 right", "best CamAlign", early, len(other), remark, "not reproducible"),
    ]


def _frontier_differs(row: PrintedRow, column: str, score: str, models: Models) -> str:
    mine = [model for model in models.values() if model.condition_type == row.title]
    scored = [(value, model) for model in mine if (value := released(model, score)) is not None]
    if not scored:
        return f"{row.title}, {column}: the file has none"
    value, best = max(scored, key=lambda pair: pair[0])
    if not reads_as(row.cells[column], value):
        return f"{row.title}, {column}: printed {row.cells[column]}, the file has {value:.4g}"
    conditional = score.startswith("Reobs")
    if conditional and (column in row.sparse) != is_sparse(best):
        said = "with" if column in row.sparse else "without"
        return f"{row.title}, {column}: printed {said} a dagger, by the rule of Table 2 {best.id} is otherwise"
    return ""


def scale_pairs(paper: Paper, models: Models) -> list[CheckLine]:
    """Fig. 7a: the larger model minus the smaller one."""
    cells = [(row, pair) for row in paper.rows["fig7a"] for pair in SERIES]
    differing = [text for row, pair in cells if (text := _change_differs(row, pair, models))]
    return [counted("Fig. 7a", "changes with size", differing, len(cells))]


def _change_differs(row: PrintedRow, pair: str, models: Models) -> str:
    if lacking := [name for name in SERIES[pair] if name not in models]:
        return f"{row.title}, {pair}: the results file has no {', '.join(lacking)}"
    small, large = (_as_share(models[name], row.title) for name in SERIES[pair])
    if small is None or large is None:
        return f"{row.title}, {pair}: the file has none"
    if reads_as(row.cells[pair], large - small):
        return ""
    return f"{row.title}, {pair}: printed {row.cells[pair]}, the file gives {large - small:.4f}"


def _as_share(model: ReleasedModel, metric: str) -> float | None:
    return model.support if metric == "Support" else released(model, metric)


def carriers(paper: Paper, models: Models) -> list[CheckLine]:
    """Fig. 7b: the values of eight rows."""
    cells = [(row, name) for row in paper.rows["fig7b"] for name in row.cells]
    differing = []
    for row, name in cells:
        model = models.get(paper.row("table2", row.title).id)
        value = None if model is None else released(model, name)
        if value is None or not reads_as(row.cells[name], value):
            differing.append(f"{row.title}, {name}: printed {row.cells[name]}, {_said(value)}")
    return [counted("Fig. 7b", "support and re-observed state", differing, len(cells))]
