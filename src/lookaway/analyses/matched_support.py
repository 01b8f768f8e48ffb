"""Is in-place change harder only because it is tested less often? Relocation against it where support is equal."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import SIGNIFICANT, contrast, difference_cell, widest_difference, with_holm
from lookaway.analyses.dimensions import JUDGED, REOBSERVED, SUPPORT, DimensionReading, Panel, panel_name, panels
from lookaway.analyses.event_contrasts import event_means
from lookaway.analyses.over_systems import ContrastLine, over_systems, questions_table
from lookaway.analyses.pairs import ContrastArm
from lookaway.analyses.summaries import counts_as, rows_of
from lookaway.outcomes import Abstain
from lookaway.records import Column, Contrast, Table, TableCell, TableRow

MATCHED_WITHIN = 0.05  # supports are matched if their difference is shown to be smaller: a 95 % interval inside of it
ARMS = ("spatial", "state_only")
RELOCATED, IN_PLACE = ContrastArm("relocated"), ContrastArm("in place")
SAME_CLIP = ["system", "seed", "round", "scene", "camera"]


@analysis(version=1, title="Relocation against in-place change at equal support")
def matched_support(findings: Findings) -> list[Table] | Abstain:
    """Both arms by camera direction, with how far their supports are apart; and over pairs of re-observed clips."""
    if not set(ARMS) <= {task.event for task in findings.tasks.values()}:
        return Abstain("the tasks do not have both relocation and in-place change")
    every = panels(findings)
    made = [table for panel in every for table in _tables(panel, every, findings)]
    return made or Abstain("support and a judged dimension are needed")


def _tables(panel: Panel, every: Sequence[Panel], findings: Findings) -> list[Table]:
    support, judged = panel.only(SUPPORT), panel.of(*JUDGED)
    if isinstance(support, Abstain) or not judged:
        return []
    asked = _questions(support, judged, findings)
    title = "Relocation minus in-place change, by camera direction"
    reading = "Only where the supports are matched does a difference speak of memory rather than of access."
    name = panel_name("matched-support", panel, every)
    notes = (f"Supports are matched if the interval of their difference lies within ±{MATCHED_WITHIN}.",)
    made = [questions_table(name, title, asked, findings, reading, notes)] if asked else []
    pairs = [(one, _pairs(one, findings)) for one in panel.of(*REOBSERVED)]
    if any(of.n_pairs for _, of in pairs):
        made.append(_pairs_table(panel_name("matched-pairs", panel, every), pairs, findings))
    return made


def _questions(support: DimensionReading, judged: Sequence[DimensionReading], findings: Findings) -> list[ContrastLine]:
    asked: list[tuple[str, DimensionReading, Contrast]] = []
    for way in ("left", "right"):
        of_support = _over_systems(support, way, findings)
        if of_support.estimate is None:
            continue
        group = f"{way}: supports {how_matched(of_support)}"
        asked += [(group, one, _over_systems(one, way, findings)) for one in (support, *judged)]
    corrected = with_holm([one for _, _, one in asked], "questions")
    return [ContrastLine(group, r.title, one) for (group, r, _), one in zip(asked, corrected, strict=True)]


def how_matched(support: Contrast) -> str:
    """`matched`, `differ`, or `may differ` where the interval is too wide to tell."""
    low, high = support.low, support.high
    if low is None or high is None:
        return "matched" if support.estimate == 0 else "may differ"
    if low >= -MATCHED_WITHIN and high <= MATCHED_WITHIN:
        return "matched"
    return "may differ" if low <= 0 <= high else "differ"


def _over_systems(reading: DimensionReading, way: str, findings: Findings) -> Contrast:
    rows = rows_of(reading, findings).filter(pl.col("direction") == way)
    means = event_means(reading, findings, rows)
    first, second = ({label: of[event] for label, of in means.items() if event in of} for event in ARMS)
    name = f"relocation against in-place in {reading.dimension.key}, {way}"
    most = widest_difference(reading.ref, findings.scales)
    return over_systems(name, (RELOCATED.name, IN_PLACE.name), first, second, len(findings.systems), most)


def _pairs(reading: DimensionReading, findings: Findings) -> Contrast:
    """Over clips of one system, scene and camera that were re-observed in both arms."""
    rows, column = rows_of(reading, findings), counts_as(reading)
    one, other = (
        rows.filter(pl.col("event") == event)
        .sort(column, nulls_last=True)
        .unique(SAME_CLIP, keep="first", maintain_order=True)
        .select(*SAME_CLIP, pl.col(column).alias(side), pl.col("reason").alias(f"{side}_reason"))
        for event, side in zip(ARMS, ("first", "second"), strict=True)
    )
    pairs = one.join(other, on=SAME_CLIP, how="inner").sort(*SAME_CLIP)
    name, most = (
        f"relocation against in-place in {reading.dimension.key}",
        widest_difference(reading.ref, findings.scales),
    )
    made = contrast(name, pairs, RELOCATED, IN_PLACE, most=most)
    return made.model_copy(update={"pairing": "same system, seed, scene and camera, both re-observed"})


def _pairs_table(name: str, pairs: Sequence[tuple[DimensionReading, Contrast]], findings: Findings) -> Table:
    corrected = with_holm([one for _, one in pairs], "dimensions")
    rows = []
    for (reading, _), one in zip(pairs, corrected, strict=True):
        p = [TableCell(reason="not tested") if x is None else TableCell(value=x) for x in (one.p, one.p_corrected)]
        cells = (difference_cell(one), *p, TableCell(value=one.n_scenes))
        rows.append(TableRow(title=reading.title, cells=cells))
    return Table(
        name=table_name(name, findings.protocol.name),
        title="Relocation minus in-place change, clips re-observed in both",
        columns=(
            Column(name="difference", title="difference", unit="score", digits=3),
            Column(name="p", title="sign-flip", unit="p"),
            Column(name="p_corrected", title="Holm", unit="p"),
            Column(name="scenes", title="n", unit="scenes"),
        ),
        rows=tuple(rows),
        notes=(
            "A pair is a system, seed, scene and camera whose clips were re-observed in both events, so that support "
            "is the same by construction. Intervals and sign-flip test are over scenes; marked is a corrected p below "
            f"{SIGNIFICANT}.",
        ),
        protocol=findings.protocol.name,
        reading="Above 0, relocation is answered better than in-place change in the very same places.",
    )
