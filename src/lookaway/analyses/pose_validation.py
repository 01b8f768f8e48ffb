"""Can the pose estimator be believed, and is camera controllability what its errors say?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.asked_turns import TURN_KINDS, asked_turns
from lookaway.analyses.columns import table_name
from lookaway.analyses.dimensions import DimensionReading
from lookaway.analyses.headline import named_readings, reading_column
from lookaway.analyses.summaries import rows_of, summary_cell
from lookaway.geometry.asked import largest_turn_deg
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.correlations import pearson, scene_spearman

TRUTH = "truth"  # the system whose clips are the true ones
CLIP = ["task", "system", "seed", "round"]
EVERY = "all systems"
ABOUT = (
    "The error is one quantity everywhere: the RMS angle in degrees between the asked view and the one recovered from "
    "the video, both from their first views on, over all frames. Places play no part in it."
)


@analysis(version=1, title="Pose estimates and camera controllability")
def pose_validation(findings: Findings) -> list[Table] | Abstain:
    """The estimator on true clips; and the rotation error of every system beside its controllability."""
    errors = named_readings("camera_rotation_error", findings)
    if not errors:
        return Abstain("no camera_rotation_error was scored")
    return [_truth_check(errors, findings), *(_beside(error, errors, findings) for error in errors)]


def _truth_check(errors: Sequence[DimensionReading], findings: Findings) -> Table:
    return Table(
        name=table_name("pose-check", findings.protocol.name),
        title="What the pose estimator makes of the true clips",
        columns=(
            Column(name="r", title="r of asked and recovered turns", digits=4),
            Column(name="most_peak", title="largest difference at the peak", unit="deg"),
            Column(name="most_error", title="largest error", unit="deg"),
            Column(name="error", title="mean error", unit="deg"),
        ),
        rows=tuple(TableRow(title=one.title, cells=_check_cells(one, findings)) for one in errors),
        notes=(
            f"Clips of the system `{TRUTH}`, whose camera is the asked one by construction. The turn is the largest "
            "one from the first view, the asked one times camera_gain.",
            ABOUT,
        ),
        protocol=findings.protocol.name,
        reading="An error of a system means something where it is well above what true clips get.",
    )


def _check_cells(error: DimensionReading, findings: Findings) -> tuple[TableCell, ...]:
    mine = rows_of(error, findings).filter(pl.col("system") == TRUTH)
    known = mine.drop_nulls("value")
    if known.is_empty():
        why = f"no system named {TRUTH} is in the run" if mine.is_empty() else "its clips have no number"
        return (TableCell(reason=why, n=0, total=mine.height),) * 4
    counts = {"n": known.height, "total": mine.height}
    off = known["value"].to_numpy()
    errors = (TableCell(value=float(off.max()), **counts), TableCell(value=float(np.sort(off).mean()), **counts))
    return (*_turn_cells(findings), *errors)


def _turn_cells(findings: Findings) -> tuple[TableCell, TableCell]:
    """How the recovered turns of true clips go with the asked ones, and how far they are off at most."""
    gains = [rows_of(one, findings) for one in named_readings("camera_gain", findings)[:1]]
    known = gains[0].filter(pl.col("system") == TRUTH).drop_nulls("value") if gains else None
    if known is None or known.is_empty():
        return (TableCell(reason="no camera_gain was scored"),) * 2
    asked = np.array([largest_turn_deg(findings.tasks[name]) for name in known["task"]])
    got = asked * known["value"].to_numpy()
    found = pearson(asked, got)
    r = TableCell(reason=found.reason) if isinstance(found, Abstain) else TableCell(value=found.value, n=found.n)
    return r, TableCell(value=float(np.abs(got - asked).max()), n=len(asked))


def _beside(error: DimensionReading, errors: Sequence[DimensionReading], findings: Findings) -> Table:
    scores = named_readings("camera_controllability", findings)
    systems = [EVERY, *(system.label for system in findings.systems)]
    turns = {name: turn for name, task in findings.tasks.items() if (turn := asked_turns(task)) is not None}
    rows = []
    for system in systems:
        mine = pl.lit(True) if system == EVERY else pl.col("system") == system
        clips = rows_of(error, findings).filter(mine)
        asked = [turns[name] for name in clips.drop_nulls("value")["task"] if name in turns]
        cells = [summary_cell(clips, error, findings.scales)]
        cells += [summary_cell(rows_of(one, findings).filter(mine), one, findings.scales) for one in scores]
        cells += [_mean([getattr(turn, kind) for turn in asked]) for kind in TURN_KINDS]
        cells += [_rank_link(clips, rows_of(one, findings).filter(mine)) for one in scores]
        rows.append(TableRow(title=system, cells=tuple(cells)))
    place = "" if len(errors) == 1 else f"-{errors.index(error) + 1}"
    return Table(
        name=table_name(f"pose-errors{place}", findings.protocol.name),
        title="Rotation error beside camera controllability",
        columns=(
            reading_column(error, digits=1),
            *(reading_column(one) for one in scores),
            *(Column(name=kind, title=kind, group="asked rotation", unit="deg", digits=1) for kind in TURN_KINDS),
            *(
                Column(name=f"link:{reading_column(one).name}", title=one.title, group="Spearman with the error")
                for one in scores
            ),
        ),
        rows=tuple(rows),
        notes=(
            ABOUT,
            "Spearman is over clips that have both, its interval from leaving out each scene in turn. It is negative "
            "by construction, for controllability is made of the error and of the asked rotation; how far it is from "
            "-1 tells how much the rotation in its denominator moves it.",
        ),
        protocol=findings.protocol.name,
        reading="Systems whose order differs between error and controllability were asked to turn differently.",
    )


def _mean(degrees: Sequence[float]) -> TableCell:
    if not degrees:
        return TableCell(reason="no clip has an error")
    return TableCell(value=float(np.sort(np.array(degrees)).mean()), n=len(degrees))


def _rank_link(errors: pl.DataFrame, scores: pl.DataFrame) -> TableCell:
    known = errors.drop_nulls("value").select(*CLIP, "scene", error="value")
    both = known.join(scores.drop_nulls("value").select(*CLIP, score="value"), on=CLIP, how="inner").sort(*CLIP)
    found = scene_spearman(*(both[name].to_numpy() for name in ("error", "score", "scene")))
    counts = {"n": both.height, "total": max(errors.height, both.height)}
    if isinstance(found, Abstain):
        return TableCell(reason=found.reason, **counts)
    return TableCell(value=found.value, low=found.low, high=found.high, **counts)
