"""Laws of worlds that are driven by actions: no-op, inverse, repeat, and events that persist."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lookaway.metrics import METRICS, Case
from lookaway.observers.signals import Signals
from lookaway.outcomes import Abstain, Measured, NotApplicable
from lookaway.readings.laws import repeated_turn
from tests.builders import task
from tests.metrics.test_camera_metrics import case as filmed

STILL: dict[str, Any] = {"moves": False, "changes_in_place": False}
TWICE = "yaw:left:20@1s, hold@0.5s, yaw:right:20@1s, hold@0.5s, yaw:left:20@1s"


def changed(*change: float, **facts: Any) -> Case:
    empty = {name: np.zeros(() if kind.single else 0, kind.dtype) for name, kind in Signals.kinds.items()}
    return Case(task(**(STILL | facts)), None, {"signals": empty | {"change": np.array(change)}}, {})


def value(name: str, given: Case) -> Any:
    found = METRICS.get(f"{name}:sound").function(given)
    return found.value if isinstance(found, Measured) else found


def test_where_nothing_is_asked_nothing_may_move() -> None:
    assert value("no_op_change", changed(0.0, 0.4, 0.2, camera="hold@4s")) == pytest.approx(0.4)
    assert value("no_op_change", changed(0.0, 9.0, 30.0, camera="hold@4s")) == 30.0


@pytest.mark.parametrize(
    "facts",
    [
        {"camera": "yaw:left:30@4s"},
        {"camera": "hold@4s", "moves": True},
        {"camera": "hold@4s", "changes_in_place": True},
        {"camera": "hold@4s", "cover": "hold@1s, lights:off@1s, hold@2s"},
        {"camera": ""},
    ],
)
def test_the_no_op_is_posed_where_nothing_is_asked_and_nothing_happens(facts: dict[str, Any]) -> None:
    assert isinstance(value("no_op_change", changed(0.0, 0.0, **facts)), NotApplicable)


def test_what_was_done_and_undone_leaves_nothing() -> None:
    there_and_back = "yaw:left:30@2s, yaw:right:30@2s"
    assert value("inverse_residue", changed(0.0, 40.0, 0.4, camera=there_and_back)) == pytest.approx(0.01)
    assert value("inverse_residue", changed(0.0, 40.0, 40.0, camera=there_and_back)) == 1.0
    assert isinstance(value("inverse_residue", changed(0.0, 0.5, 0.4, camera=there_and_back)), Abstain)
    for camera in ("yaw:left:30@4s", "hold@4s"):
        assert isinstance(value("inverse_residue", changed(0.0, 40.0, 1.0, camera=camera)), NotApplicable)
    happens = changed(0.0, 40.0, 1.0, camera=there_and_back, moves=True)
    assert isinstance(value("inverse_residue", happens), NotApplicable)


def test_the_same_turn_twice_is_found_in_the_script() -> None:
    assert repeated_turn(task(camera=TWICE)) == [(0.0, 1.0), (3.0, 4.0)]
    assert repeated_turn(task(camera="yaw:left:20@1s, yaw:left:30@1s, yaw:right:20@1s")) == []
    assert repeated_turn(task(camera="dolly:forward:0.5@1s, dolly:forward:0.5@1s")) == [], "a walk is no turn"


def test_the_same_action_makes_the_same_step() -> None:
    assert value("repeat_error", filmed(TWICE, camera=TWICE)) == pytest.approx(0, abs=0.5)
    tired = TWICE.replace("hold@0.5s, yaw:left:20@1s", "hold@0.5s, yaw:left:8@1s")
    assert value("repeat_error", filmed(tired, camera=TWICE)) == pytest.approx(12, abs=0.5)
    wrong = TWICE.replace("hold@0.5s, yaw:left:20@1s", "hold@0.5s, yaw:right:20@1s")
    assert value("repeat_error", filmed(wrong, camera=TWICE)) == pytest.approx(40, abs=0.5)
    assert isinstance(value("repeat_error", filmed(camera="yaw:left:20@4s")), NotApplicable)


def test_a_repeat_that_was_not_recovered_is_unknown_and_a_wide_camera_has_wide_bounds() -> None:
    trusted = np.ones(97, bool)
    trusted[70:76] = False  # around second 3
    lost = value("repeat_error", filmed(TWICE, trusted=trusted, camera=TWICE))
    assert isinstance(lost, Abstain)
    found = METRICS.get("repeat_error:sound").function(filmed(TWICE, wide_deg=1.5, camera=TWICE))
    assert isinstance(found, Measured)
    assert found.high == pytest.approx(found.value + 3.0)
