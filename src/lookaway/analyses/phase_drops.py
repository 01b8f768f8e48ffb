"""What is lost while nobody looks: fidelity before, after, and the drop; and whether who starts best falls most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import SIGNIFICANT, bounded_difference, widest_difference
from lookaway.analyses.dimensions import DimensionReading
from lookaway.analyses.headline import named_readings, reading_column
from lookaway.analyses.summaries import estimate, marked, on_scale, rows_of
from lookaway.marking import with_marks
from lookaway.outcomes import Abstain
from lookaway.phrasing import with_reader
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.correlations import spearman
from lookaway.stats.paired import Significance, holm, sign_flip

MEASURES = {"psnr": 1.0, "ssim": 1.0, "lpips": -1.0}  # and by what the way down is multiplied: a drop is a loss
ALIKE = 5e-4  # half of the last digit that is printed
MOST_NAMED = 3
CLIP = ["task", "system", "seed", "round"]


class Fall(NamedTuple):
    """One measure as it is before and after, by one variant and who read it."""

    measure: str
    before: DimensionReading
    after: DimensionReading

    @property
    def title(self) -> str:
        return with_reader(f"{self.measure.upper()} ({self.before.ref.variant})", self.after.by.label)

    @property
    def key(self) -> str:
        return ":".join(filter(None, [self.measure, self.before.ref.variant, *self.before.by[:2], *self.after.by[:2]]))


@analysis(version=1, title="Drops from visible to returned")
def phase_drops(findings: Findings) -> list[Table] | Abstain:
    """Of each system and measure: the mean while visible, after the return, and the loss, clip by clip."""
    falls = _falls(findings)
    if not falls:
        return Abstain("no fidelity was scored both before and after")
    pairs = {fall: clip_pairs(fall, findings) for fall in falls}
    return [_drops(falls, pairs, findings), _starts(falls, pairs, findings)]


def _falls(findings: Findings) -> list[Fall]:
    found = []
    for measure in MEASURES:
        before, after = (named_readings(f"{measure}_{phase}", findings) for phase in ("visible", "returned"))
        found += [Fall(measure, b, a) for b in before for a in after if a.ref.variant == b.ref.variant]
    return found


def clip_pairs(fall: Fall, findings: Findings) -> pl.DataFrame:
    """Clips with both numbers: `before`, `after`, and the `drop`, above 0 where something was lost."""
    before, after = (rows_of(one, findings).drop_nulls("value") for one in (fall.before, fall.after))
    one, other = before.rename({"value": "before"}), after.select(*CLIP, after=pl.col("value"))
    both = one.select(*CLIP, "scene", "before").join(other, on=CLIP, how="inner").sort(*CLIP)
    return both.with_columns(drop=MEASURES[fall.measure] * (pl.col("before") - pl.col("after")))


def _drops(falls: Sequence[Fall], pairs: dict[Fall, pl.DataFrame], findings: Findings) -> Table:
    cells = {
        (fall, system.label): _cells(fall, pairs[fall], system.label, findings)
        for fall in falls
        for system in findings.systems
    }
    p_values = {place: p for place, (_, p) in cells.items() if p is not None}
    corrected = dict(zip(p_values, holm(np.array(list(p_values.values()))).tolist(), strict=True))
    rows = []
    for system in findings.systems:
        row: list[TableCell] = []
        for fall in falls:
            *means, drop = cells[fall, system.label][0]
            falls_so = corrected.get((fall, system.label), 1.0) < SIGNIFICANT
            row += [*means, marked(drop, "significant") if falls_so else drop]
        rows.append(TableRow(title=system.label, cells=tuple(row)))
    made = Table(
        name=table_name("phase-drops", findings.protocol.name),
        title="Fidelity while visible, after the return, and the drop",
        columns=tuple(column for fall in falls for column in _columns(fall)),
        rows=tuple(rows),
        notes=(
            "All three are of the clips that have both numbers (n), so that the drop is their difference; above 0 it "
            "is a loss: visible minus returned, of LPIPS returned minus visible. Intervals are over scenes, paired by "
            f"clip. Marked *: a drop that differs from 0 by sign-flip over scenes, Holm over {len(p_values)} drops, a "
            f"corrected p below {SIGNIFICANT}.",
        ),
        protocol=findings.protocol.name,
        reading="A drop speaks of memory only beside its start: who never was near the truth has little to lose.",
    )
    return with_marks(made)


def _columns(fall: Fall) -> list[Column]:
    before, after = reading_column(fall.before), reading_column(fall.after)
    better = "higher" if MEASURES[fall.measure] > 0 else "lower"
    facts = {"group": fall.title, "digits": 2 if fall.measure == "psnr" else 3}
    return [
        reading_column(fall.before, name=f"{fall.key}:before", title="V", better=better, **facts),
        reading_column(fall.after, name=f"{fall.key}:after", title="R", better=better, **facts),
        Column.model_validate(
            {"name": f"{fall.key}:drop", "title": "drop", "unit": before.unit or after.unit, "better": "lower"} | facts
        ),
    ]


def _cells(
    fall: Fall, pairs: pl.DataFrame, system: str, findings: Findings
) -> tuple[tuple[TableCell, ...], float | None]:
    """Mean before, mean after, drop; and the p of the drop where it can be tested."""
    mine = pairs.filter(pl.col("system") == system)
    counts = {"n": mine.height, "total": rows_of(fall.before, findings).filter(pl.col("system") == system).height}
    if mine.is_empty():
        return (TableCell(reason="no clip has a number both before and after", **counts),) * 3, None
    before = on_scale(estimate(mine, "before"), fall.before.ref, findings.scales)
    after = on_scale(estimate(mine, "after"), fall.after.ref, findings.scales)
    drops, scenes = mine["drop"].to_numpy(), mine["scene"].to_numpy()
    lost = bounded_difference(drops, scenes, widest_difference(fall.before.ref, findings.scales))
    assert lost is not None  # there are clips
    tested = sign_flip(drops, scenes)
    found = [(one.value, one.low, one.high) for one in (before, after)] + [(lost.value, lost.low, lost.high)]
    cells = [TableCell(value=value, low=low, high=high, **counts) for value, low, high in found]
    return tuple(cells), tested.p if isinstance(tested, Significance) else None


def _starts(falls: Sequence[Fall], pairs: dict[Fall, pl.DataFrame], findings: Findings) -> Table:
    """Does it go together over systems: how good they are, and how far they fall?"""
    found = [_start_cells(pairs[fall], MEASURES[fall.measure], len(findings.systems)) for fall in falls]
    tested = [number for number, (_, p) in enumerate(found) if p is not None]
    corrected = dict(zip(tested, holm(np.array([found[n][1] for n in tested], np.float64)).tolist(), strict=True))
    rows = []
    for number, fall in enumerate(falls):
        cells, p = found[number]
        known = corrected.get(number)
        holds = known is not None and known < SIGNIFICANT
        adjusted = TableCell(reason="not tested") if known is None else TableCell(value=known)
        plain = TableCell(reason="not tested") if p is None else TableCell(value=p)
        shown = (marked(cells[0], "significant") if holds else cells[0], plain, adjusted, *cells[1:])
        rows.append(TableRow(title=fall.title, cells=shown))
    return Table(
        name=table_name("phase-drop-starts", findings.protocol.name),
        title="Does who starts best fall most?",
        columns=(
            Column(name="spread", title="drop with mean of V and R", unit="Spearman"),
            Column(name="p", title="p", unit="p"),
            Column(name="p_corrected", title="Holm", unit="p"),
            Column(name="start", title="drop with V alone", unit="Spearman"),
            Column(name="best", title="starts best"),
            Column(name="most", title="falls most"),
        ),
        rows=tuple(rows),
        notes=(
            "Over systems. A drop is V minus R, so that it goes with V by the chance in V alone; with the mean of V "
            "and R it does not, unless systems lie further apart before than after (Oldham 1962). That one is tested.",
        ),
        protocol=findings.protocol.name,
        reading="Above 0, better systems lose more and end up closer together; near 0, all lose alike.",
    )


def _start_cells(pairs: pl.DataFrame, way: float, asked: int) -> tuple[list[TableCell], float | None]:
    columns = [pl.col(name).sort().mean() for name in ("before", "after", "drop")]
    means = pairs.group_by("system").agg(columns).sort("system")
    before, after, drop = (means[name].to_numpy() * (way if name != "drop" else 1) for name in means.columns[1:])
    counts = {"n": means.height, "total": max(asked, means.height)}
    if not means.height:
        return [TableCell(reason="no system has both numbers", **counts)] * 4, None
    names = [TableCell(text=leading(means["system"].to_list(), values)) for values in (before, drop)]
    oldham, p = _spearman((before + after) / 2, drop, counts)
    return [oldham, _spearman(before, drop, counts)[0], *names], p


def leading(systems: Sequence[str], values: Floats) -> str:
    """Who has the largest value; all who share it, as far as it is printed.

    >>> leading(["a", "b", "c"], np.array([1.0001, 0.2, 1.0]))
    'a, c'
    """
    first = [name for name, value in zip(systems, values, strict=True) if values.max() - value < ALIKE]
    return ", ".join(first) if len(first) <= MOST_NAMED else f"{len(first)} systems alike"


def _spearman(x: Floats, y: Floats, counts: dict[str, int]) -> tuple[TableCell, float | None]:
    found = spearman(x, y)
    if isinstance(found, Abstain):
        return TableCell(reason=found.reason, **counts), None
    from scipy.stats import spearmanr  # takes half a second to import

    p = float(spearmanr(x, y).pvalue)
    return TableCell(value=found.value, low=found.low, high=found.high, **counts), p
