"""What people prefer becomes pairs; what they do not is counted."""

from __future__ import annotations

import polars as pl

from lookaway.analyses import Findings
from lookaway.preferences.labelled import NEITHER, NOT_JUDGEABLE, SPLIT, labelled
from lookaway.preferences.mining import NO_VIDEO
from lookaway.preferences.pair_table import PAIRS
from lookaway.preferences.standing import Assets
from lookaway.records import Label, Protocol
from tests.analyses.score_tables import findings, in_scenes, table

PROTOCOL = Protocol(name="mine", summary="", metrics=("return_place:sound",), headline=())
SAID: dict[str, tuple[float | None, ...]] = {
    "t0": (1, 1, 0),
    "t1": (-1, -1, -1),
    "t2": (0, 0, 1),
    "t3": (1, -1, 0),
    "t4": (None, None, 1),
    "t5": (1, 1, 1),
}


def labels() -> list[Label]:
    return [
        Label(
            rater=f"r{number}",
            study="s@1",
            items=(f"{task}/a/0", f"{task}/b/0"),
            axis="state",
            value=value,
            judgeable=value is not None,
        )
        for task, values in SAID.items()
        for number, value in enumerate(values)
    ]


def known() -> Findings:
    one = findings(table([]), in_scenes(*SAID), ("a", "b"), PROTOCOL)
    return Findings(one.scores, one.tasks, one.systems, PROTOCOL, {}, labels=labels())


def assets() -> Assets:
    clips = [
        (task, system, 0, f"blobs/{task}{system}.mp4" if task != "t5" else None) for task in SAID for system in "ab"
    ]
    return Assets(
        pl.DataFrame(clips, schema={"task": str, "system": str, "seed": int, "video": str}, orient="row"),
        pl.DataFrame(
            [(task, f"prompt of {task}", "blobs/frame.png") for task in SAID],
            schema={"task": str, "prompt": str, "first_frame": str},
            orient="row",
        ),
    )


def test_the_clip_that_most_prefer_is_chosen_by_as_much_as_they_agree() -> None:
    found = labelled(known(), assets())
    assert found.pairs.schema == PAIRS.schema
    rows = {row["task"]: row for row in found.pairs.iter_rows(named=True)}
    assert {*rows} == {"t0", "t1"}
    assert (rows["t0"]["chosen"], rows["t0"]["rejected"]) == ("blobs/t0a.mp4", "blobs/t0b.mp4")
    assert (rows["t1"]["chosen"], rows["t1"]["rejected"]) == ("blobs/t1b.mp4", "blobs/t1a.mp4")
    assert (round(rows["t0"]["margin"], 3), rows["t1"]["margin"]) == (0.667, 1.0)
    assert rows["t0"]["evidence"]["instrument"] == "3 raters of s@1"
    assert rows["t0"]["axis"] == "people:state"


def test_ties_splits_and_what_cannot_be_judged_are_counted() -> None:
    removed = {why: n for _, why, n in labelled(known(), assets()).removed.iter_rows()}
    assert removed == {NEITHER: 1, SPLIT: 1, NOT_JUDGEABLE: 1, NO_VIDEO: 1}
