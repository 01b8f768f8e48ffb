"""Of how many videos the printed rates can be shares: the paper prints no denominator."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from typing import NamedTuple

from lookaway.published.lines import CheckLine, counted, half_unit
from lookaway.published.paper import Paper, PrintedRow
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.possible_counts import possible_counts

TASKS = 225
EVOLUTION = ("success", "progress", "physics", "coherence")
CONTROLS = ("observation", "action")


class PossibleVideos(NamedTuple):
    """Numbers of videos, up to 225, of which the rates of one model can be shares."""

    model: str
    evolution: tuple[int, ...]  # in Table 2
    control: tuple[int, ...]  # in Table 5
    most_controlled: int  # videos that can have passed both controls

    @property
    def same(self) -> tuple[int, ...]:
        """Where both tables are of the same videos."""
        return tuple(n for n in self.evolution if n in self.control)

    @property
    def controlled(self) -> tuple[int, ...]:
        """Where Table 2 is of controlled videos only."""
        return tuple(n for n in self.evolution if n <= self.most_controlled)


def fitting(row: PrintedRow, columns: Sequence[str], most: int = TASKS) -> tuple[int, ...]:
    """Every n up to `most` of which all these columns can be shares; `52` beside `58.4` is read as 52.0."""
    return tuple(possible_counts([row.number(column) for column in columns], most=most).tolist())


def possible_videos(paper: Paper) -> list[PossibleVideos]:
    return [_possible(row, paper.row("table5", row.title)) for row in paper.rows["table2"]]


def _possible(evolution: PrintedRow, control: PrintedRow) -> PossibleVideos:
    highest = min(control.number(name) + half_unit(control.cells[name]) for name in CONTROLS)
    most = floor(TASKS * highest / 100)
    return PossibleVideos(evolution.title, fitting(evolution, EVOLUTION), fitting(control, CONTROLS), most)


# ---------------------------------------------------------------- checks


def counts(paper: Paper) -> list[CheckLine]:
    """Tables 2, 5 and 3, then the shares of the categories."""
    models = possible_videos(paper)
    return [
        _of_one("Table 2", {each.model: each.evolution for each in models}),
        _of_one("Table 5", {each.model: each.control for each in models}),
        over_controlled(models),
        over_all(models),
        arms(paper),
        shares(paper),
    ]


def _of_one(label: str, possible: dict[str, tuple[int, ...]]) -> CheckLine:
    without = [
        f"{model}: no number up to {TASKS} gives all its rates" for model, found in possible.items() if not found
    ]
    return counted(label, "each row is of one number of videos", without, len(possible), _of_models(possible))


def _of_models(possible: dict[str, tuple[int, ...]]) -> str:
    """`WAN 2.2: 221`, of models for which three numbers or fewer are left."""
    return "; ".join(f"{model}: {listed(found)}" for model, found in possible.items() if 0 < len(found) <= 3)


def over_controlled(models: Sequence[PossibleVideos]) -> CheckLine:
    """That evolution is counted over videos that passed both controls, of which Table 5 allows so many."""
    without = [
        f"{each.model}: at most {each.most_controlled} controlled; possible: {listed(each.evolution)}"
        for each in models
        if not each.controlled
    ]
    return counted("Table 2", "of controlled videos only, as section 3.2 says", without, len(models))


def over_all(models: Sequence[PossibleVideos]) -> CheckLine:
    """That it is counted over the videos of Table 5; not, where verdicts of single criteria are missing."""
    without = [
        f"{each.model}: Table 2 {listed(each.evolution)}; Table 5 {listed(each.control)}"
        for each in models
        if not each.same
    ]
    remark = _of_models({each.model: each.same for each in models})
    return counted("Table 2", "of the same videos as Table 5", without, len(models), remark, "not reproducible")


def arms(paper: Paper) -> CheckLine:
    """Of how many videos the two arms of Table 3 can be, if both models' videos are pooled."""
    both = {row.title: fitting(row, ("progress", "success"), 2 * TASKS) for row in paper.rows["table3"]}
    within = {arm: [n for n in found if n <= TASKS] for arm, found in both.items()}
    without = [f"{arm}: no number up to {2 * TASKS}" for arm, found in both.items() if not found]
    shared = sorted(set.intersection(*map(set, both.values())))
    told = [f"{arm}: {listed(found)}" for arm, found in within.items()]
    remark = "; ".join([*told, f"the same in both: {listed(shared)} of two models' {2 * TASKS}"])
    return counted("Table 3", "each arm is of one number of videos", without, len(both), remark)


def shares(paper: Paper) -> CheckLine:
    """The shares of the six categories, of a number of processes that is smaller than that of tasks."""
    rows = paper.rows["categories"]
    found = possible_counts([row.number("share_pct") for row in rows], most=TASKS).tolist()
    parts = {n: [round(row.number("share_pct") * n / 100) for row in rows] for n in found}
    whole = {n: part for n, part in parts.items() if sum(part) == n}
    told = [f"{n} = {' + '.join(map(str, part))}" for n, part in whole.items()]
    differing = [] if whole else [f"no number up to {TASKS} gives all six shares"]
    remark = "; ".join([*told, *([] if TASKS in whole else [f"not of {TASKS} tasks"])])
    return counted("Suite", "shares of the categories are of one number of processes", differing, 1, remark)


# ---------------------------------------------------------------- tables


def videos_table(paper: Paper) -> Table:
    """Every possible number of videos, model by model."""
    columns = (
        Column(name="evolution", title="Table 2"),
        Column(name="control", title="Table 5"),
        Column(name="same", title="both"),
        Column(name="most_controlled", title="controlled at most", unit="videos", digits=0),
        Column(name="controlled", title="Table 2, of controlled"),
    )
    return Table(
        name="table2-counts",
        title="Table 2: Numbers of videos that its rates can be shares of",
        columns=columns,
        rows=tuple(map(_row, possible_videos(paper))),
        notes=(f"Computed: every n up to {TASKS} of which all printed rates are whole counts, rounded either way.",),
        protocol=paper.layouts.name,
        reading="Where only large numbers are possible, videos that failed their controls were counted as well.",
    )


def _row(each: PossibleVideos) -> TableRow:
    first, last = [each.evolution, each.control, each.same], TableCell(text=listed(each.controlled))
    cells = [TableCell(text=listed(found)) for found in first]
    return TableRow(title=each.model, cells=(*cells, TableCell(value=each.most_controlled), last))


def listed(found: Sequence[int]) -> str:
    """`161, 218`, or `none`.

    >>> listed([13, 26]), listed([])
    ('13, 26', 'none')
    """
    return ", ".join(map(str, found)) or "none"
