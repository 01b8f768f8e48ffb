"""How far clips got: reached, lost or unknown; what was not measured is never passed."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from lookaway.analyses.cells import cells
from lookaway.analyses.ledger import fates, ledger
from lookaway.records import LedgerStep, Protocol, Score, Step, Task
from tests.analyses.score_tables import LEDGER, findings, in_scenes, of, row, table
from tests.builders import task
from tests.store.store_records import a_score

TEN = in_scenes(*"abcdefghij")


def ledger_of(scores: list[Score], protocol: Protocol = LEDGER, tasks: Iterable[Task] = TEN) -> list[LedgerStep]:
    return ledger(findings(table(scores), tasks, ("truth", "frozen", "silent"), protocol))


def test_a_ledger_by_hand() -> None:
    scores = [
        *[row("t0", "turned_away", 1.0), row("t0", "object_return", 0.75)],
        *[row("t1", "turned_away", 1.0), row("t1", "object_return", 0.7)],
        *[row("t2", "turned_away", 1.0), row("t2", "object_return", None, "no mask")],
        *[row("t3", "turned_away", 0.0), row("t3", "object_return", 1.0)],
        row("t4", "turned_away", 1.0),
        *[row("t5", "turned_away", None, "unreadable"), row("t5", "object_return", None, "unreadable")],
        *[row("t6", "turned_away", 0.0), row("t6", "object_return", 1.0)],
        *[row("t0", "turned_away", 1.0, system="frozen"), row("t0", "object_return", 1.0, system="frozen")],
        row("t9", "turned_away", 0.0, protocol="integrity"),
    ]
    steps = ledger_of(scores)
    assert [(s.system, s.step, s.reached, s.total, s.lost, s.unknown) for s in steps] == [
        ("truth", "delivered", 4, 7, {"turned_away below 1": 2}, {"unreadable": 1}),
        ("truth", "right", 1, 7, {"object_return below 0.75": 1}, {"no mask": 1, "not scored": 1}),
        ("frozen", "delivered", 1, 1, {}, {}),
        ("frozen", "right", 1, 1, {}, {}),
        ("silent", "delivered", 0, 0, {}, {}),
        ("silent", "right", 0, 0, {}, {}),
    ]
    assert [s.unknown_before for s in steps[:2]] == [0, 1]
    assert steps[1].bounds == (1 / 7, 4 / 7), "one got there; of three more nobody knows"
    assert steps[4].bounds is None


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("avoided", "lost"),
        ("no_output", "lost"),
        ("not_applicable", "unknown"),
        ("not_judgeable", "unknown"),
        ("abstained", "unknown"),
        ("failed", "unknown"),
    ],
)
def test_what_was_not_measured_is_never_passed(status: str, outcome: str) -> None:
    scores = [of("t0", status), row("t0", "object_return", 1.0)]
    (fate,) = fates(table(scores), LEDGER, {"t0": TEN[0]}).rows(named=True)
    assert (fate["outcome"], fate["ended"], fate["value"], fate["reason"]) == (outcome, 0, None, "why")


def test_only_what_is_declared_not_to_concern_a_task_is_skipped() -> None:
    still = task(id="t1", scene="b", moves=False, changes_in_place=False)
    about = LEDGER.ledger[0].model_copy(update={"concerns": {"event": ("!none",)}})
    protocol = LEDGER.model_copy(update={"ledger": (about, LEDGER.ledger[1])})
    scores = [
        *[of("t0", "not_applicable"), row("t0", "object_return", 1.0)],
        *[of("t1", "not_applicable"), row("t1", "object_return", 1.0)],
    ]
    first, second = ledger_of(scores, protocol, [TEN[0], still])[:2]
    assert (first.reached, first.skipped, first.unknown) == (1, 1, {"why": 1})
    assert (second.reached, second.skipped, second.total) == (1, 0, 2)


def test_a_task_without_opportunity_skips_the_step_and_counts_only_where_some_step_concerns_it() -> None:
    scores = [
        *[of("t0", "no_opportunity"), row("t0", "object_return", 1.0)],
        *[of("t1", "no_opportunity"), of("t1", "no_opportunity", "object_return")],
    ]
    steps = ledger_of(scores)[:2]
    assert [(s.reached, s.total, s.skipped) for s in steps] == [(1, 1, 1), (1, 1, 0)]


def test_a_ledger_reads_the_newest_version_of_a_metric() -> None:
    scores = [row("t0", "turned_away", 1.0)]
    scores += [row("t0", "object_return", value, version=version) for version, value in [(1, 0.1), (2, 0.9)]]
    assert [s.reached for s in ledger_of(scores)[:2]] == [1, 1]


def test_a_step_reads_its_own_variant() -> None:
    scores = [row("t0", "turned_away", 1.0), row("t0", "object_return", 0.9)]
    scores += [row("t0", "object_return", 0.1, variant="paper")]
    assert [s.reached for s in ledger_of(scores)[:2]] == [1, 1]


def test_two_instruments_make_two_ledgers() -> None:
    scores = [row("t0", "turned_away", 1.0)]
    scores += [row("t0", "object_return", 0.9, instrument="A", instrument_key="a")]
    scores += [row("t0", "object_return", 0.1, instrument="B", instrument_key="b")]
    steps = [s for s in ledger_of(scores) if (s.system, s.step) == ("truth", "right")]
    assert [(s.instruments, s.reached) for s in steps] == [("A", 1), ("B", 0)]


def test_twins_and_branches_are_no_rows_of_the_ledger_and_have_cells_of_their_own() -> None:
    twin = task(id="t1", scene="a", twin="observed", twin_of="t0")
    scores = []
    for name, branch in (("t0", ""), ("t1", ""), ("t0", "watching")):
        scores += [row(name, "turned_away", 1.0, branch=branch), row(name, "object_return", 0.9, branch=branch)]
    assert [s.total for s in ledger_of(scores, tasks=[TEN[0], twin])[:2]] == [1, 1]
    protocol = LEDGER.model_copy(update={"slices": ()})
    found = cells(findings(table(scores), [TEN[0], twin], ("truth",), protocol))
    mine = [(cell.slice, cell.n) for cell in found if cell.metric == "object_return"]
    assert mine == [("all", 1), ("branch=watching", 1), ("twin=observed", 1)]


PLACE = LEDGER.model_copy(
    update={"ledger": (Step(name="right place", metric="return_place:sound", at_most=0.08),), "metrics": ()}
)


def test_a_step_may_ask_for_a_small_number() -> None:
    scores = [row("t0", "return_place", 0.08), row("t1", "return_place", 0.23), row("t2", "return_place", None, "gone")]
    step = ledger_of(scores, PLACE)[0]
    assert (step.reached, step.total) == (1, 3)
    assert (step.lost, step.unknown) == ({"return_place above 0.08": 1}, {"gone": 1})


@pytest.mark.parametrize(("protocol", "metric", "good"), [(LEDGER, "turned_away", 1.0), (PLACE, "return_place", 0.0)])
@pytest.mark.parametrize(("other", "outcome"), [(0.5, "lost"), (None, "unknown")])
def test_of_two_look_aways_the_worse_counts(
    protocol: Protocol, metric: str, good: float, other: float | None, outcome: str
) -> None:
    scores = [row("t0", metric, good), row("t0", metric, other, "" if other else "why", round=2)]
    for rows in (scores, scores[::-1]):
        (fate,) = fates(table(rows), protocol, {"t0": TEN[0]}).rows(named=True)
        assert (fate["outcome"], fate["ended"], fate["value"]) == (outcome, 0, other)


def test_a_clip_tells_the_step_where_it_stopped_and_why() -> None:
    avoided = {"status": "gated", "gate": "avoided"}
    scores = [
        *[row("t0", "turned_away", 1.0), row("t0", "object_return", 0.75)],
        *[row("t1", "turned_away", 1.0), row("t1", "object_return", 0.7)],
        *[row("t2", "turned_away", 0.0), a_score(task="t2", value=None, reason="never turned", **avoided)],
        row("t3", "turned_away", 1.0),
    ]
    known = {one.id: one for one in TEN}
    told = fates(table(scores), LEDGER, known).select("task", "outcome", "ended", "value", "reason", "gated")
    assert told.rows() == [
        ("t0", "reached", None, None, "", False),
        ("t1", "lost", 1, 0.7, "", False),
        ("t2", "lost", 0, 0.0, "", True),
        ("t3", "unknown", 1, None, "not scored", False),
    ]


def test_a_step_with_two_bounds_loses_on_either_side_and_takes_the_worst_round() -> None:
    band = LEDGER.model_copy(
        update={"ledger": (Step(name="speed", metric=LEDGER.ledger[0].metric, at_least=0.75, at_most=1.34),)}
    )
    values = {"t0": 1.0, "t1": 0.5, "t2": 2.0, "t3": 0.75, "t4": 1.34}
    scores = [row(name, "turned_away", value) for name, value in values.items()]
    scores += [row("t0", "turned_away", 1.4, round=2), row("t0", "turned_away", 0.2, round=3)]
    (step,) = [step for step in ledger_of(scores, band) if step.system == "truth"]
    assert (step.reached, step.lost) == (2, {"turned_away below 0.75": 2, "turned_away above 1.34": 1})
