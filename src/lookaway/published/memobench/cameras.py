"""CamCtrl, which Tables 2, S5 and S8 print: whether it can be one quantity."""

from __future__ import annotations

from itertools import pairwise

from lookaway.published.lines import CheckLine, counted
from lookaway.published.paper import Paper, PrintedRow

CLIPS = {"all": 360, "synthetic": 196}


def cameras(paper: Paper) -> list[CheckLine]:
    return [three_tables(paper), possible_pooling(paper), by_equation(paper)]


def three_tables(paper: Paper) -> CheckLine:
    """Every model that all three tables print."""
    both = [(row, _of(paper, "table-s5", row), _of(paper, "table-s8", row)) for row in paper.rows["table2"]]
    told = [
        f"{row.title}: {_score(row)} in Table 2, {_score(wide)} in S5, {_score(synthetic)} in S8"
        for row, wide, synthetic in both
        if wide is not None and synthetic is not None
    ]
    remark = "no scores of single clips are released, and which of Eq. 7 and the code made each table is not said"
    return CheckLine("Table S5", "CamCtrl against Tables 2 and S8", "not reproducible", remark=remark, differing=told)


def _score(row: PrintedRow) -> str:
    return row.cells["CamCtrl"]


def _of(paper: Paper, table: str, row: PrintedRow) -> PrintedRow | None:
    return next((one for one in paper.rows[table] if one.id == row.id), None)


def possible_pooling(paper: Paper) -> CheckLine:
    """That the mean of Table 2 can hold Table S8's clips, even if all its other clips had nothing."""
    rows, differing = paper.rows["table-s8"], []
    for row in rows:
        printed = next(one for one in paper.rows["table2"] if one.id == row.id)
        n, mine = row.number("n"), row.number("CamCtrl")
        least = min(mine * n / CLIPS["all"], mine * n / CLIPS["synthetic"] / 2)
        if least > printed.number("CamCtrl"):
            differing.append(
                f"{row.title}: Table 2 has {printed.cells['CamCtrl']}, S8 alone brings at least {least:.1f}"
            )
    remark = "pooled over 360 clips, or over two splits alike"
    return counted("Table S8", "its CamCtrl can be part of Table 2's", differing, len(rows), remark)


def by_equation(paper: Paper) -> CheckLine:
    """That CamCtrl falls as the error grows, where the truth is the same for all."""
    rows = [row for row in paper.rows["table-s8"] if row.number("n") == 159]
    differing = [
        f"{more.title}: error {more.cells['ATE_deg']}, score {more.cells['CamCtrl']}; "
        f"{less.title}: error {less.cells['ATE_deg']}, score {less.cells['CamCtrl']}"
        for less, more in pairwise(rows)
        if more.number("CamCtrl") > less.number("CamCtrl")
    ]
    remark = "Eq. 7 falls with the error of a clip; means over clips need not"
    what = "CamCtrl falls from row to row, as the error grows"
    return counted("Table S8", what, differing, len(rows) - 1, remark, "not reproducible")
