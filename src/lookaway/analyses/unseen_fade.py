"""Fades that pixel metrics do not see: fewer subjects come back, while PSNR and SSIM look as of harmless variations."""

from __future__ import annotations

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import bounded_difference
from lookaway.analyses.half_life import kept_rows, kept_step
from lookaway.analyses.headline import named_readings, readings_of
from lookaway.analyses.narrowed import headline_findings
from lookaway.analyses.summaries import parted, rows_of, summary_cell
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.paired import Difference

NOTABLE_DROP = 0.2  # of the subjects
HARMLESS = {"psnr_returned": 22.0, "ssim_returned": 0.90}  # a little below `brighter` (23 dB) and `blurred` (0.93)
PAIR = ["task", "seed", "round"]


@analysis(version=1, title="Fades that pixels do not see")
def unseen_fade(findings: Findings) -> list[Table] | Abstain:
    """How many subjects fewer than the best system each brings back, beside PSNR and SSIM after the return."""
    findings = findings.once(headline_findings)
    step = kept_step(findings)
    pixels = [reading for name in HARMLESS for reading in named_readings(name, findings)[:1]]
    if step is None or len(pixels) < len(HARMLESS):
        return Abstain("PSNR and SSIM after the return, or what came back, were not measured")
    (reading,) = readings_of([step.metric], findings)[:1] or (None,)
    kept = {} if reading is None else parted(kept_rows(reading, step, findings).drop_nulls("kept"), "system")
    shares = {s.label: _share(kept.get((s.label,))) for s in findings.systems}
    known = {label: share for label, share in shares.items() if share is not None}
    if len(known) < 2:
        return Abstain("fewer than two systems were measured")
    best = max(known, key=lambda label: known[label])
    rows, flagged = [], []
    by_system = [parted(rows_of(one, findings), "system") for one in pixels]
    for label in known:
        found = _difference(kept[(label,)], kept[(best,)])
        looks = [
            summary_cell(parts.get((label,)), one, findings.scales)
            for parts, one in zip(by_system, pixels, strict=True)
        ]
        if found is not None and is_unseen(found, looks):
            flagged.append(f"{label}: keeps fewer subjects than {best}, and PSNR and SSIM look harmless")
        rows.append(TableRow(title=label, cells=(_drop_cell(found), *looks)))
    return [
        Table(
            name=table_name("unseen-fade", findings.protocol.name),
            title="Fades that pixels do not see",
            columns=(
                Column(name="drop", title=f"came back fewer than of {best}", unit="rate", better="lower"),
                Column(name="psnr", title="PSNR after the return", unit="dB", better="higher"),
                Column(name="ssim", title="SSIM after the return", better="higher", digits=3),
            ),
            rows=tuple(rows),
            notes=(
                *flagged,
                f"Flagged: {NOTABLE_DROP:.0%} or more fewer subjects came back the same, surely fewer over scenes, "
                f"while PSNR is at least {HARMLESS['psnr_returned']:g} dB and SSIM at least "
                f"{HARMLESS['ssim_returned']:g}, where harmless variations of the truth lie in the known world.",
            ),
            protocol=findings.protocol.name,
            reading="A change of serving that PSNR and SSIM pass may still have lost what was out of view.",
        )
    ]


def _share(rows: pl.DataFrame | None) -> float | None:
    return None if rows is None or rows.is_empty() else float(rows["kept"].to_numpy().mean())


def _difference(rows: pl.DataFrame, best: pl.DataFrame) -> Difference | None:
    """How many fewer came back, over clips of the same task and seed."""
    due = best.select(*PAIR, "scene", pl.col("kept").alias("due"))
    both = due.join(rows.select(*PAIR, "kept"), on=PAIR, nulls_equal=True)
    return bounded_difference((both["due"] - both["kept"]).to_numpy(), both["scene"].to_numpy(), 1.0)


def _drop_cell(found: Difference | None) -> TableCell:
    if found is None:
        return TableCell(reason="no clip of the same task has a number in both")
    return TableCell(value=found.value, low=found.low, high=found.high, n=found.n)


def is_unseen(drop: Difference, looks: list[TableCell]) -> bool:
    """Whether a notable loss, sure over scenes, hides behind harmless pixels."""
    sure = drop.scenes > 1 if drop.low is None else drop.low > 0  # without an interval, all scenes lose as much
    harmless = (
        cell.value is not None and cell.value >= least for cell, least in zip(looks, HARMLESS.values(), strict=True)
    )
    return drop.value >= NOTABLE_DROP and sure and all(harmless)
