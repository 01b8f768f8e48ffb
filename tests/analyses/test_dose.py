"""Dose response: what was asked of a task, which tasks share a point, and the shares at each point, worked by hand."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from lookaway.analyses import dose
from lookaway.analyses.ledger import fates
from lookaway.geometry.asked import largest_turn_deg
from lookaway.records import Board, DoseCurve, Interval, Score, Task
from lookaway.store import parquet
from lookaway.suites.diorama_mini import diorama_mini
from lookaway.suites.known_world import Shot
from tests.analyses.score_tables import LEDGER
from tests.builders import LOOK_LEFT, task
from tests.store.store_records import a_score


def hidden(seconds: float, **changes: Any) -> Task:
    """A task that hides its subject for so long, in one look-away."""
    phases = (
        Interval(phase="visible", start_s=0, end_s=1),
        Interval(phase="hidden", start_s=1, end_s=1 + seconds),
        Interval(phase="returned", start_s=1 + seconds, end_s=9),
    )
    return task(phases=phases, **changes)


def clip(name: str, value: float | None, status: str = "ok", turned: float = 1.0, **changes: Any) -> list[Score]:
    """The two scores of a clip's ledger."""
    without = {} if status == "ok" else {"reason": "why", "gate": "avoided" if status == "gated" else None}
    return [
        a_score(task=name, metric="turned_away", value=turned, **changes),
        a_score(task=name, metric="object_return", value=value, status=status, **without, **changes),
    ]


def curves(tasks: list[Task], scores: list[Score], contexts: dict[str, float] | None = None) -> list[DoseCurve]:
    rows = [{"key": str(n), "inputs": "", "attempt": 0, **score.model_dump()} for n, score in enumerate(scores)]
    table = pl.DataFrame(rows, schema=parquet.schema(Score))
    systems = sorted({score.system for score in scores})
    return dose.curves(fates(table, LEDGER, {one.id: one for one in tasks}), LEDGER, tasks, systems, contexts or {})


def curve(found: list[DoseCurve], kind: str, system: str = "truth") -> DoseCurve:
    (one,) = [c for c in found if (c.dose, c.system) == (kind, system)]
    return one


# ---------------------------------------------------------------- how much was asked


@pytest.mark.parametrize(
    ("camera", "deg"),
    [
        (LOOK_LEFT, 75.0),
        ("hold@1s", 0.0),
        ("yaw:left:180@1s, yaw:right:180@1s", 180.0),
        ("yaw:left:120@1s, hold@1s, yaw:left:120@1s, yaw:left:120@1s", 360.0),
        ("yaw:left:180@1s, yaw:left:180@1s", 360.0),
        ("yaw:right:720@1s", 720.0),
        ("yaw:right:60@1s, yaw:left:90@1s", 60.0),
        ("dolly:forward:2@1s, pitch:up:30@1s", 30.0),
        ("yaw:left:90+pitch:up:90@1s", 120.0),  # two quarter turns about different axes make a third of a turn
    ],
)
def test_rotation_is_the_largest_turn_from_the_first_view(camera: str, deg: float) -> None:
    assert largest_turn_deg(task(camera=camera)) == pytest.approx(deg, abs=0.01)


def test_a_turn_about_gravity_is_the_same_turn_for_a_camera_that_looks_down() -> None:
    assert largest_turn_deg(task(camera="yaw:left:90@1s", pitch_deg=-60.0)) == pytest.approx(90.0, abs=0.01)


def test_hidden_time_adds_up_over_rounds() -> None:
    bounds = [("visible", 0, 1), ("hidden", 1, 1.5), ("returned", 1.5, 2), ("hidden", 2, 3.25), ("returned", 3.25, 4)]
    phases = tuple(Interval(phase=p, start_s=a, end_s=b) for p, a, b in bounds)  # type: ignore[arg-type]
    assert dose.hidden_s(task(phases=phases)) == 1.75


# ---------------------------------------------------------------- which tasks share a point


def sizes(doses: list[float], step: float = 0.1) -> list[list[float]]:
    groups = dose.pooled({f"t{n:03}": d for n, d in enumerate(doses)}, step)
    return [sorted(group.values()) for group in groups]


def test_a_few_doses_are_kept_as_they_are() -> None:
    assert sizes([2.0, 1.0, 1.0, 2.0, 4.0, 4.0]) == [[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]]
    assert sizes([1.0]) == [[1.0]]
    assert sizes([]) == []


def test_many_doses_are_pooled_and_no_point_stands_on_one_task() -> None:
    assert sizes([0.9, 1.2, 1.4, 1.7, 1.8, 1.8, 2.4, 2.5]) == [[0.9, 1.2], [1.4, 1.7], [1.8, 1.8], [2.4, 2.5]]
    assert sizes([1.0, 2.0, 3.0]) == [[1.0, 2.0, 3.0]]
    assert sizes([1.0, 2.0, 3.0, 3.0, 3.0, 4.0]) == [[1.0, 2.0], [3.0, 3.0, 3.0, 4.0]]
    pooled = sizes([n / 7 for n in range(100)])
    assert len(pooled) == 6
    assert {len(group) for group in pooled} <= {16, 17}
    assert [d for group in pooled for d in group] == sorted(n / 7 for n in range(100))


def test_equal_doses_are_never_torn_apart() -> None:
    doses = [1.0] * 50 + [2.0 + n for n in range(10)]
    assert sizes(doses)[0] == [1.0] * 50
    assert min(len(group) for group in sizes(doses)) >= 2


# ---------------------------------------------------------------- shares


def test_a_curve_by_hand() -> None:
    tasks = [hidden(1.0, id=f"a{n}", scene=f"s{n}") for n in range(4)]
    tasks += [hidden(2.0, id=f"b{n}", scene=f"s{n}") for n in range(4)]
    scores = [row for n in range(4) for row in clip(f"a{n}", 0.9)]
    scores += [
        *clip("b0", 0.9),
        *clip("b1", 0.1),
        *clip("b2", None, "gated", turned=0.0),
        *clip("b3", None, "abstained"),
    ]
    near, far = curve(curves(tasks, scores), "hidden_s").points
    assert (near.dose, near.tasks, near.scenes, near.n, near.ok, near.other) == (1.0, 4, 4, 4, 4, 0)
    assert (near.value, near.floor) == (1.0, 1.0)
    assert near.low == pytest.approx(0.025 ** (1 / 4))  # Clopper-Pearson, 4 of 4
    assert near.high == 1.0
    assert (far.dose, far.n, far.ok, far.other) == (2.0, 4, 2, 2)
    assert (far.value, far.floor) == (0.5, 0.25)
    assert "Clopper-Pearson" in far.method


def test_a_clip_that_avoided_the_question_is_not_wrong() -> None:
    """It loses the ledger's first step with a number, but its state was never asked for."""
    tasks = [hidden(1.0, id="a", scene="s"), hidden(1.0, id="b", scene="t")]
    (point,) = curve(curves(tasks, [*clip("a", None, "gated", turned=0.0), *clip("b", 0.0)]), "hidden_s").points
    assert (point.ok, point.other, point.value, point.floor) == (1, 1, 0.0, 0.0)


def test_where_nothing_has_a_verdict_there_is_no_value_but_a_floor() -> None:
    tasks = [hidden(1.0, id="a", scene="s"), hidden(1.0, id="b", scene="t")]
    scores = [*clip("a", None, "gated", turned=0.0), *clip("b", None, "failed")]
    (point,) = curve(curves(tasks, scores), "hidden_s").points
    assert (point.value, point.low, point.ok, point.other, point.floor) == (None, None, 0, 2, 0.0)
    assert point.method == "nothing measured"


def test_rows_of_one_scene_are_no_interval() -> None:
    tasks = [hidden(1.0, id="a", scene="s"), hidden(1.0, id="b", scene="s")]
    (point,) = curve(curves(tasks, [*clip("a", 0.9), *clip("b", 0.1)]), "hidden_s").points
    assert (point.value, point.low, point.method) == (0.5, None, "too few scenes (1)")


def test_every_system_has_its_own_curve_over_the_same_tasks() -> None:
    tasks = [hidden(1.0, id="a", scene="s"), hidden(1.0, id="b", scene="t")]
    scores = [*clip("a", 0.9), *clip("b", 0.9), *clip("a", 0.1, system="frozen"), *clip("b", 0.1, system="frozen")]
    found = curves(tasks, scores)
    assert [curve(found, "hidden_s", name).points[0].value for name in ("truth", "frozen")] == [1.0, 0.0]


def test_multiples_of_the_context_window_need_a_known_one() -> None:
    tasks = [hidden(s, id=f"{s}{n}", scene=f"s{n}") for s in (1.0, 3.0) for n in range(2)]
    scores = [row for t in tasks for name in ("truth", "frozen") for row in clip(t.id, 0.9, system=name)]
    found = curves(tasks, scores, {"truth": 2.0})
    assert [p.dose for p in curve(found, "context").points] == [0.5, 1.5]
    unknown = curve(found, "context", "frozen")
    assert (unknown.points, unknown.reason) == ((), "the model card tells no context window")


def test_rotation_groups_tasks_by_their_cameras() -> None:
    cameras = {"a": "yaw:left:60@1s", "b": "yaw:right:60@1s", "c": "yaw:left:180@1s", "d": "yaw:left:180@2s"}
    tasks = [hidden(1.0, id=name, scene=name, camera=camera) for name, camera in cameras.items()]
    scores = [*clip("a", 0.9), *clip("b", 0.9), *clip("c", 0.9), *clip("d", 0.1)]
    points = curve(curves(tasks, scores), "rotation_deg").points
    assert [(p.dose, p.value) for p in points] == [(60.0, 1.0), (180.0, 0.5)]


def test_tasks_that_hide_nothing_and_tasks_without_clips_are_no_dose() -> None:
    never = task(id="seen", phases=(Interval(phase="visible", start_s=0, end_s=4),))
    assert curves([never, task(id="unknown")], [*clip("seen", 0.9), *clip("unknown", 0.9)]) == []
    tasks = [never, hidden(1.0, id="a", scene="s"), hidden(1.0, id="b", scene="t"), hidden(5.0, id="unmade")]
    (point,) = curve(curves(tasks, [*clip("seen", 0.9), *clip("a", 0.9), *clip("b", 0.9)]), "hidden_s").points
    assert (point.dose, point.n) == (1.0, 2)


def test_a_protocol_without_a_ledger_has_no_dose_response() -> None:
    bare = LEDGER.model_copy(update={"ledger": ()})
    table = pl.DataFrame([], schema=parquet.schema(Score))
    assert dose.curves(fates(table, bare, {}), bare, [hidden(1.0)], ["truth"], {}) == []


# ---------------------------------------------------------------- the demo


def test_the_demo_asks_for_several_doses_and_leaves_time_to_look() -> None:
    timings = [Shot.of(draft).timing for draft in diorama_mini()]
    doses = [timing.hidden_s for timing in timings]
    assert len(set(doses)) == 4
    assert {doses.count(hidden) for hidden in doses} == {2}
    assert min(timing.before_s for timing in timings) >= 0.9
    assert min(timing.after_s for timing in timings) >= 1.0


def test_the_demo_board_has_its_dose_response(demo_board: Board) -> None:
    found = list(demo_board.dose)
    assert [p.value for p in curve(found, "hidden_s", "truth").points] == [1.0]
    assert [p.value for p in curve(found, "rotation_deg", "frozen").points] == [0.0]
    (avoided,) = curve(found, "hidden_s", "static-camera").points
    assert (avoided.value, avoided.other, avoided.floor) == (None, 2, 0.0)
