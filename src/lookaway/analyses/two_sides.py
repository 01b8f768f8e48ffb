"""Two sides of a system as tables: do they put systems into one order, and which pairs into the opposite one?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import SIGNIFICANT
from lookaway.analyses.named_metrics import ranks, system_means
from lookaway.analyses.sides import OpposedPair, Side, SideScores, opposed_pairs, side_scores
from lookaway.analyses.summaries import estimate
from lookaway.outcomes import Abstain
from lookaway.records import Column, Mark, Table, TableCell, TableRow, Task
from lookaway.stats.correlations import spearman
from lookaway.stats.paired import holm

FEWEST = 2  # systems
MOST_PAIRS = 30  # listed


def two_sides(
    name: str,
    title: str,
    sides: tuple[Side, Side],
    findings: Findings,
    reading: str,
    keep: Callable[[Task], bool] | None = None,
    notes: tuple[str, ...] = (),
) -> list[Table] | Abstain:
    """Systems with score and rank on both sides, and the pairs that the sides order oppositely."""
    scored = [side_scores(side, findings, keep) for side in sides]
    first, second = scored
    if isinstance(first, Abstain) or isinstance(second, Abstain):
        return Abstain("; ".join(one.reason for one in scored if isinstance(one, Abstain)))
    means = [system_means(one.rows) for one in (first, second)]
    both = [s.label for s in findings.systems if s.label in means[0] and s.label in means[1]]
    if len(both) < FEWEST:
        return Abstain(f"{len(both)} systems have both: {first.told}; {second.told}")
    pairs, compared = opposed_pairs(first.rows, second.rows, both)
    p_values = np.array([pair.p for pair in pairs] + [1.0] * (compared - len(pairs)))
    corrected = holm(p_values)[: len(pairs)].tolist() if len(p_values) else []
    told = (
        *notes,
        f"{first.told}. {second.told}.",
        "A score is in standard deviations of all clips, the mean over the side's metrics; intervals are over scenes.",
        _order_note(means, both),
    )
    systems = _systems_table(name, title, sides, (first, second), both, findings, reading, told)
    return [systems, *_pairs_table(name, title, sides, pairs, corrected, compared, findings)]


def _order_note(means: Sequence[dict[str, float]], both: Sequence[str]) -> str:
    found = spearman(*(np.array([one[label] for label in both]) for one in means))
    if isinstance(found, Abstain):
        return f"No rank correlation of the two: {found.reason}."
    ends = "" if found.low is None or found.high is None else f" [{found.low:.2f}, {found.high:.2f}]"
    return f"Rank correlation of the two over {found.n} systems: {found.value:.2f}{ends}."


def _systems_table(
    name: str,
    title: str,
    sides: tuple[Side, Side],
    scored: tuple[SideScores, SideScores],
    both: Sequence[str],
    findings: Findings,
    reading: str,
    notes: tuple[str, ...],
) -> Table:
    mine = [one.rows.filter(pl.col("system").is_in(both)) for one in scored]
    places = [ranks(system_means(rows)) for rows in mine]
    rows = [
        TableRow(
            title=label,
            cells=(
                _score_cell(mine[0], label),
                TableCell(value=places[0][label]),
                _score_cell(mine[1], label),
                TableCell(value=places[1][label]),
                TableCell(value=places[1][label] - places[0][label]),
            ),
        )
        for label in both
    ]
    return Table(
        name=table_name(name, findings.protocol.name),
        title=title,
        columns=(
            *(column for side in sides for column in _side_columns(side)),
            Column(name="lost", title="places lost", unit="ranks", digits=1),
        ),
        rows=tuple(rows),
        notes=notes,
        protocol=findings.protocol.name,
        reading=reading,
    )


def _side_columns(side: Side) -> tuple[Column, Column]:
    return (
        Column(name=side.key, title=side.title, unit="sd", better="higher", digits=2),
        Column(name=f"{side.key}_rank", title=f"{side.title}, rank", unit="ranks", digits=1),
    )


def _score_cell(rows: pl.DataFrame, label: str) -> TableCell:
    mine = rows.filter(pl.col("system") == label)
    found = estimate(mine, "value")
    return TableCell(value=found.value, low=found.low, high=found.high, n=mine.height)


def _pairs_table(
    name: str,
    title: str,
    sides: tuple[Side, Side],
    pairs: Sequence[OpposedPair],
    corrected: Sequence[float],
    compared: int,
    findings: Findings,
) -> list[Table]:
    if not pairs:
        return []
    shown = list(zip(pairs, corrected, strict=True))[:MOST_PAIRS]
    left = f" {len(pairs) - len(shown)} further opposed pairs are not listed." if len(pairs) > len(shown) else ""
    return [
        Table(
            name=table_name(f"{name}-pairs", findings.protocol.name),
            title=f"{title}: pairs in opposite order",
            columns=(
                *(Column(name=side.key, title=side.title, unit="sd", digits=2) for side in sides),
                Column(name="p", title="sign-flip", unit="p"),
                Column(name="p_corrected", title="Holm", unit="p"),
            ),
            rows=tuple(_pair_row(pair, p) for pair, p in shown),
            notes=(
                "First minus second system on the same tasks and seeds. p is the larger one of both, by sign-flips "
                f"over scenes; Holm corrects the {compared} pairs compared; marked is below {SIGNIFICANT}.{left}",
            ),
            protocol=findings.protocol.name,
            reading=f"The first of a pair leads in {sides[0].title}, the second in {sides[1].title}.",
        )
    ]


def _pair_row(pair: OpposedPair, corrected: float) -> TableRow:
    marks: tuple[Mark, ...] = ("significant",) if corrected < SIGNIFICANT else ()
    cells = [TableCell(value=d.value, low=d.low, high=d.high, n=d.n, marks=marks) for d in (pair.first, pair.second)]
    title = f"{pair.systems[0]} – {pair.systems[1]}"
    return TableRow(title=title, cells=(*cells, TableCell(value=pair.p), TableCell(value=corrected)))
