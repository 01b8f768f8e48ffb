"""A clip is of the kinds whose rules its scores fulfil; what nobody could tell is of none and is not counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway.analyses import Findings
from lookaway.analyses.failure_taxonomy import evidence_frames, failure_taxonomy
from lookaway.analyses.failure_words import FAILURE_TYPES
from lookaway.metrics import METRICS
from lookaway.outcomes import Abstain
from lookaway.records import Interval, Protocol, Table
from tests.analyses import score_tables
from tests.builders import task

FINE = {
    "return_count": 0.0,
    "object_present": 1.0,
    "return_identity": 1.0,
    "world_clock": 1.0,
    "absolute_clock": 1.0,
    "return_place": 0.0,
    "background_same": 1.0,
    "camera_rotation_error": 0.5,
    "view_returned": 1.0,
    "subject_refound": 1.0,
    "subject_identity": 0.9,
    "subject_replaced": 0.0,
    "time_undone": 0.0,
    "subject_place_shift": 1.0,
    "place_likeness": 1.0,
    "cut_count": 0.0,
}
KNOWN = (
    "return_count",
    "object_present",
    "return_identity",
    "world_clock",
    "absolute_clock",
    "return_place",
    "background_same",
)
WITHOUT_TRUTH = dict.fromkeys(KNOWN)
KINDS = [one.name for one in FAILURE_TYPES]


def clips(*scores: dict[str, float | None], systems: tuple[str, ...] = ("m",), split: str = "real") -> Findings:
    """A clip of each system for every set of scores, each in a scene of its own; a null was not measured."""
    tasks = score_tables.in_scenes(*(f"s{number}" for number in range(len(scores))), split=split)
    rows = [
        score_tables.row(f"t{number}", metric, value, "" if value is not None else "unknown", system=system)
        for system in systems
        for number, said in enumerate(scores)
        for metric, value in (FINE | said).items()
    ]
    protocol = Protocol(name="diorama", summary="", metrics=tuple(f"{name}:sound" for name in FINE), headline=())
    return score_tables.findings(score_tables.table(rows), tasks, systems, protocol)


def tables(what: Findings) -> dict[str, Table]:
    made = failure_taxonomy(what)
    assert not isinstance(made, Abstain)
    return {table.name.removesuffix("-diorama"): table for table in made}


def counted(what: Findings, row: str = "m") -> dict[str, Any]:
    (line,) = [one for one in tables(what)["failure-types"].rows if one.title == row]
    return dict(zip(KINDS, line.cells, strict=True))


def kinds(**said: float | None) -> set[str]:
    return {kind for kind, cell in counted(clips(said)).items() if cell.value}


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ({"return_count": 1.0}, {"object vanish"}),
        ({"return_count": None, "object_present": 0.0}, {"object vanish"}),
        ({"return_identity": 0.3}, {"identity drift"}),
        ({"world_clock": -0.3, "absolute_clock": 0.3}, {"state reset"}),
        ({"return_place": 0.2}, {"teleport"}),
        ({"background_same": 0.1}, {"background hallucination"}),
        ({"camera_rotation_error": 25.0}, {"camera drift"}),
        ({"return_count": 1.0, "return_identity": 0.0}, {"object vanish", "identity drift"}),
        ({}, set()),
    ],
)
def test_a_clip_is_of_the_kinds_that_its_scores_show(said: dict[str, float], kind: set[str]) -> None:
    assert kinds(**said) == kind


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ({"subject_refound": 0.0}, {"object vanish"}),
        ({"subject_identity": 0.2}, {"identity drift"}),
        ({"subject_identity": None, "subject_replaced": 1.0}, {"identity drift"}),
        ({"time_undone": 1.0}, {"state reset"}),
        ({"subject_place_shift": 15.0}, {"teleport"}),
        ({"place_likeness": 0.5}, {"background hallucination"}),
        ({"place_likeness": None, "cut_count": 1.0}, {"background hallucination"}),
        ({}, set()),
    ],
)
def test_where_the_truth_is_not_known_the_next_rule_tells(said: dict[str, float], kind: set[str]) -> None:
    assert kinds(**WITHOUT_TRUTH, **said) == kind
    assert kinds(**said) == set(), "what the known world says comes first"


def test_a_world_that_stopped_was_not_set_back_and_a_clock_before_its_start_is_none() -> None:
    assert kinds(world_clock=0.0, absolute_clock=0.5) == set()
    assert kinds(world_clock=-1.4, absolute_clock=-0.3) == set()


def test_a_camera_that_never_came_back_tells_nothing_of_what_vanished() -> None:
    cell = counted(clips({**WITHOUT_TRUTH, "view_returned": 0.0, "subject_refound": 0.0}))["object vanish"]
    assert (cell.value, cell.n, cell.total) == (None, 0, 1)


def test_what_was_not_measured_is_not_counted() -> None:
    nothing = dict.fromkeys(FINE)
    cell = counted(clips({"return_place": 0.2}, {}, nothing))["teleport"]
    assert (cell.value, cell.n, cell.total) == (1.0, 2, 3)


def test_a_kind_that_goes_with_a_system_is_found_and_a_null_is_not() -> None:
    rng = np.random.default_rng(0)
    bad = [{"return_place": 0.3 * float(rng.random() < 0.8)} for _ in range(30)]
    some = [{"return_place": 0.3 * float(rng.random() < 0.1)} for _ in range(30)]
    places = (KINDS.index("teleport"), KINDS.index("state reset"))
    found = []
    for said in (bad, some):
        (line,) = [one for one in tables(clips(*said))["failure-type-shares"].rows if one.title == "m"]
        found.append([line.cells[place] for place in places])
    (planted, _), (null, none) = found
    assert planted.low is not None
    assert null.high is not None
    assert planted.low > null.high
    assert none.value == 0


def test_splits_are_counted_apart() -> None:
    real, made = clips({"return_place": 0.2}, {}), clips({"return_place": 0.2}, split="synthetic")
    again = {f"x{name}": one.model_copy(update={"id": f"x{name}"}) for name, one in made.tasks.items()}
    import polars as pl

    moved = made.scores.with_columns(task=pl.format("x{}", "task"))
    both = Findings(pl.concat([real.scores, moved]), real.tasks | again, real.systems, real.protocol, {})
    place = KINDS.index("teleport")
    lines = tables(both)["failure-types"].rows[3:]
    assert [(line.title, line.cells[place].value, line.cells[place].n) for line in lines] == [
        ("m", 2.0, 3),
        ("real", 1.0, 2),
        ("synthetic", 1.0, 1),
    ]


def test_examples_name_the_clip_the_scores_and_the_frames() -> None:
    examples = tables(clips({}, {"return_place": 0.21}))["failure-type-examples"]
    (row,) = examples.rows
    assert row.title == "teleport"
    assert row.cells[0].link == "t1/m/0"
    assert row.cells[0].text.startswith("m: return_place 0.21; frames ")
    listed = tables(clips({}, {"return_place": 0.21}))["further-failure-type-clips"]
    assert [line.title for line in listed.rows] == ["t1/m/0"]


def test_evidence_is_in_the_return_and_that_of_the_camera_along_its_way() -> None:
    phases = (
        Interval(phase="visible", start_s=0, end_s=1),
        Interval(phase="hidden", start_s=1, end_s=2.5),
        Interval(phase="returned", start_s=2.5, end_s=4.0625),
    )
    one = task(phases=phases)
    assert evidence_frames(one, "teleport") == "frames 40-64, after the return"
    assert evidence_frames(one, "camera drift") == "frames 16-64, from where the camera is asked to move"
    assert evidence_frames(task(camera="", phases=()), "teleport") == "frames 0-64"


def test_without_any_of_the_metrics_there_is_a_reason() -> None:
    what = clips({})
    bare = Protocol(name="diorama", summary="", metrics=("psnr_all:paper",), headline=())
    assert isinstance(failure_taxonomy(Findings(what.scores, what.tasks, what.systems, bare, {})), Abstain)


def test_every_metric_that_a_rule_names_exists() -> None:
    known = {metric.name for metric in METRICS.all().values()}
    named = {name for one in FAILURE_TYPES for rule in one.rules for sign in rule for name in sign.metrics}
    assert named == set(FINE)
    assert named <= known


def test_every_kind_is_explained_on_the_page() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "memobench.md").read_text()
    assert [kind for kind in KINDS if f"| {kind} |" not in page] == []
