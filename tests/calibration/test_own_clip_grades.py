"""Grades on one's own clips from imaginary scores whose answer is known."""

from __future__ import annotations

from lookaway.calibration.own_clips.grades import FaultGrade, OrderGrade, OwnClipsTable, grades, not_made
from lookaway.calibration.own_clips.making import Making
from lookaway.calibration.own_clips.page import tables
from lookaway.calibration.own_clips.relations import RELATIONS
from lookaway.calibration.own_clips.walk import BROUGHT, ClipsRun
from lookaway.protocols import load
from lookaway.records import Detection, DetectionTable, Plan, Score
from lookaway.reports.drawing.markdown import markdown_table
from tests.builders import task
from tests.calibration.graded import scored, table

TASKS = {f"c{k}": task(id=f"c{k}", scene=f"c{k}") for k in range(8)}
PLAN = Plan(suite="mine", suite_version="1", tasks=(), protocols=(load("real"),))
REFOUND = {"metric": "subject_refound"}


def scores(vanished: list[float | str], **reader: str) -> list[Score]:
    calm = [
        s for name in (BROUGHT, "mirrored") for s in scored(name, [*TASKS.values()], [1.0] * 8, **REFOUND, **reader)
    ]
    return [*calm, *scored("vanished", [*TASKS.values()], vanished, **REFOUND, **reader)]


def known(threshold: float) -> DetectionTable:
    row = Detection(
        metric="subject_refound", variant="sound", kind="fault", fault="vanished", severity=None, declared=True, n=9,
        n_abstained=0, n_gated=0, n_unobservable=0, n_harmless=9, auc=0.9, threshold=threshold, hit_rate=0.8,
        hit_low=0.5, hit_high=0.9, false_alarm_rate=0.0,
    )  # fmt: skip
    facts = {"suite": "s", "version": "1", "tasks": (), "halves": ((), ()), "n_clips": 9, "n_harmless": 9}
    return DetectionTable(**facts, false_alarms=0.05, unobservable_below=0.0, rows=(row,))  # type: ignore[arg-type]


def graded(rows: list[Score], beside: DetectionTable | None) -> list[FaultGrade]:
    makings = [Making(relation=name, clip=clip, key="k") for name in ("mirrored", "vanished") for clip in TASKS]
    relations = [RELATIONS[name] for name in ("mirrored", "vanished", "undone")]
    found = grades(table(rows), TASKS, relations, ClipsRun(PLAN, makings, {}, []), beside)
    return [each for each in found if each.here.metric == "subject_refound"]


def test_a_fault_without_a_number_is_missed_here_as_in_the_known_world() -> None:
    (row,) = [g for g in graded(scores([0.0] * 6 + [1.0, "abstained"]), known(0.5)) if g.here.fault == "vanished"]
    assert row.here.auc == (6 + 0.5) / 8
    assert row.alarmed == 6 / 8
    assert row.low is not None
    assert row.low < 6 / 8
    assert row.known is not None
    assert row.known.auc == 0.9


def test_the_threshold_is_the_known_worlds() -> None:
    (row,) = [g for g in graded(scores([0.4] * 8), known(0.7)) if g.here.fault == "vanished"]
    assert (row.here.auc, row.alarmed) == (1.0, 0.0)  # 0.6 bad: above every harmless clip, below the threshold
    (row,) = [g for g in graded(scores([0.4] * 8), None) if g.here.fault == "vanished"]
    assert (row.alarmed, row.known) == (None, None)


def test_two_readers_are_never_pooled() -> None:
    two = scores([0.0] * 8, instrument="a", instrument_key="a") + scores([1.0] * 8, instrument="b", instrument_key="b")
    rows = {g.here.instrument_key: g for g in graded(two, known(0.5)) if g.here.fault == "vanished"}
    assert {key: row.alarmed for key, row in rows.items()} == {"a": 1.0, "b": 0.0}


def test_a_relation_of_which_nothing_was_made_has_a_reason() -> None:
    (row,) = [g for g in graded(scores([0.0] * 8), known(0.5)) if g.here.fault == "undone"]
    assert (row.here.n, row.here.reason) == (0, "no clip could be made")


def test_the_page_shows_numbers_beside_the_known_worlds_and_reasons() -> None:
    undone = [Making(relation="undone", clip=clip, key="k", reason="it stays") for clip in ("c0", "c1")]
    orders = (OrderGrade(relation="vanished", metrics=("subject_refound",), direction="worse", n=8, held=7),)
    found = OwnClipsTable(
        clips=tuple(TASKS),
        made=16,
        not_made=not_made(undone),
        unreadable={"bad": "not a video"},
        orders=orders,
        grades=tuple(graded(scores([0.0] * 8), known(0.5))),
        known_suite="s version 1",
    )
    text = "\n".join(map(markdown_table, tables(found)))
    for words in ("88 n=8", "it stays (2)", "bad cannot be read", "0.90", "subject_refound gets worse", "s version 1"):
        assert words in text
