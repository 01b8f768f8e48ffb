"""The pairs of clips in which a system falls furthest behind the first one, over the whole headline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import widest_difference
from lookaway.analyses.system_contrasts import SystemContrast
from lookaway.analyses.system_pairs import with_worsening
from lookaway.records import Column, Table, TableCell, TableRow

SHOWN = 3
NOTABLE = 0.005  # of a metric's scale; what is behind by less is not named


class WorstPair(NamedTuple):
    """One task and seed: by what share of their scales its metrics are worse, on average, and what they read."""

    task: str
    seed: int
    scene: str
    first: str
    second: str
    behind: float
    told: str


def worst_pairs(found: Sequence[SystemContrast], findings: Findings) -> list[WorstPair]:
    """For each system after the first the pairs in which it is furthest behind; none where it is behind in none."""
    made = []
    for second in dict.fromkeys(one.second for one in found):
        mine = [one for one in found if one.second == second]
        parts = [part for one in mine if (part := _parts(one, findings)).height]
        if not parts:
            continue
        each = pl.concat(parts).sort("task", "seed", "share", "metric", descending=[False, False, True, False])
        ranked = (
            each.group_by("task", "seed", "scene", maintain_order=True)
            .agg(behind=pl.col("share").mean(), told=pl.col("told").filter(pl.col("share") > NOTABLE).str.join("; "))
            .filter(pl.col("behind") > NOTABLE)
            .sort("behind", "task", "seed", descending=[True, False, False])
        )
        rows = ranked.head(SHOWN).select("task", "seed", "scene", "behind", "told").rows()
        made += [WorstPair(t, s, scene, mine[0].first, second, behind, told) for t, s, scene, behind, told in rows]
    return made


def _parts(one: SystemContrast, findings: Findings) -> pl.DataFrame:
    """Of every pair the worsening as a share of the metric's scale; of the widest one where it has none."""
    turned = one.pairs.rename({"first": "a", "second": "b"}).rename({"b": "first", "a": "second"})
    whole = with_worsening(turned, one.metric.better)
    widest = whole["worsening"].abs().max()
    of_itself = 1.0 if one.metric.better == "one" or not isinstance(widest, float) else widest or 1.0
    scale = widest_difference(one.metric.ref, findings.scales) or of_itself
    rounded = [pl.col(side).round(2).replace(-0.0, 0.0) for side in ("second", "first")]
    return whole.select(
        "task",
        "seed",
        "scene",
        pl.lit(one.title).alias("metric"),
        (pl.col("worsening") / scale).alias("share"),
        pl.format(f"{one.title} {{}} to {{}}", *rounded).alias("told"),
    )


def worst_pairs_table(pairs: Sequence[WorstPair], findings: Findings) -> Table | None:
    """The worst pairs with both of their clips."""
    if not pairs:
        return None
    rows = [
        TableRow(
            title=f"{pair.task}, seed {pair.seed}",
            group=f"{pair.second} behind {pair.first}",
            cells=(
                TableCell(value=pair.behind),
                TableCell(text=pair.told),
                *(TableCell(text=who) for who in (pair.first, pair.second)),
            ),
        )
        for pair in pairs
    ]
    return Table(
        name=table_name("worst-pairs", findings.protocol.name),
        title="The worst pairs",
        columns=(
            Column(name="behind", title="behind", unit="share of the scale"),
            Column(name="told", title="headline, first to second"),
            Column(name="first", title="first"),
            Column(name="second", title="second"),
        ),
        rows=tuple(rows),
        protocol=findings.protocol.name,
        reading=f"The {SHOWN} clips in which the second falls furthest behind the first, averaged over the "
        "headline: look at them, they prove nothing.",
    )
