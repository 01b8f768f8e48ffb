"""Preferences that people gave, as pairs beside those that were mined from scores.

A pair is what most of its raters say. Ties, splits and what cannot be judged are counted, and give no pair.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.label_sheets import LabelSheet, label_sheets
from lookaway.analyses.preferences_beside_people import preferred
from lookaway.preferences.mining import COUNTED, NO_FIRST_FRAME, NO_VIDEO, MinedPairs
from lookaway.preferences.pair_table import PAIRS
from lookaway.preferences.standing import Assets
from lookaway.records import CaseId

BY_PEOPLE = "people:"  # before the axis, as it is called in the study
NEITHER = "most people prefer neither"
SPLIT = "people are split"
NOT_JUDGEABLE = "most people cannot judge it"


def labelled(findings: Findings, assets: Assets) -> MinedPairs:
    """The pairs of every study with two clips an item; margin is the share of raters for, minus that against."""
    videos = {(task, system, seed): video for task, system, seed, video in assets.clips.iter_rows()}
    asked = {task: (prompt, picture) for task, prompt, picture in assets.tasks.iter_rows()}
    rows, lost = [], []
    for sheet in (one for one in findings.once(label_sheets) if one.paired):
        choices = preferred(sheet.answers)
        for at in range(len(sheet.items)):
            row = _pair(sheet, at, float(choices[at]), videos, asked)
            if isinstance(row, str):
                lost.append((f"{BY_PEOPLE}{sheet.axis}", row))
            else:
                rows.append(row | {"protocol": findings.protocol.name})
    removed = pl.DataFrame(lost, schema={"axis": pl.String, "why": pl.String}, orient="row")
    counted = removed.group_by("axis", "why").agg(n=pl.len().cast(pl.Int64))
    pairs = pl.DataFrame(rows, schema=PAIRS.schema) if rows else PAIRS.clear()
    return MinedPairs(pairs, counted.sort("axis", "why"), pl.DataFrame(schema=COUNTED))


def _pair(
    sheet: LabelSheet,
    at: int,
    choice: float,
    videos: dict[tuple[str, str, int], str | None],
    asked: dict[str, tuple[str, str | None]],
) -> dict[str, object] | str:
    """One row of PAIRS, or the reason why there is none."""
    said = sheet.answers[:, at]
    if np.nanmean(sheet.judgeable[:, at]) <= 0.5:
        return NOT_JUDGEABLE
    if np.isnan(choice):
        return SPLIT
    if choice == 0:
        return NEITHER
    cases = [CaseId.parse(case) for case in sheet.items[at]]
    chosen, rejected = cases if choice > 0 else reversed(cases)
    paths = [videos.get((case.task, case.system, case.seed)) for case in (chosen, rejected)]
    prompt, picture = asked[chosen.task]
    if None in paths:
        return NO_VIDEO
    if picture is None:
        return NO_FIRST_FRAME
    known = said[~np.isnan(said)] * choice
    return {
        "prompt": prompt,
        "chosen": paths[0],
        "rejected": paths[1],
        "axis": f"{BY_PEOPLE}{sheet.axis}",
        "margin": float(known.mean()),
        "judgeable": True,
        "dynamic": False,
        "first_frame": picture,
        "task": chosen.task,
        "evidence": {
            "metric": f"label:{sheet.axis}",
            "version": 1,
            "round": 1,
            "instrument": f"{len(known)} raters of {sheet.study}",
            "instrument_key": sheet.study,
            "ask": sheet.axis,
            "ask_key": "",
            "chosen": _side(chosen, float((known > 0).mean())),
            "rejected": _side(rejected, float((known < 0).mean())),
            "guards": [],
        },
    }


def _side(case: CaseId, share: float) -> dict[str, object]:
    """A clip and the share of raters that are for it; what a camera did, people were not asked."""
    told = {"case": str(case), "system": case.system, "seed": case.seed, "value": share}
    return told | {"low": None, "high": None, "posed_test": None, "camera_moved": None}
