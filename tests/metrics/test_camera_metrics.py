"""Camera metrics on recovered turns made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lookaway.gates import GATES
from lookaway.geometry.script import poses_at
from lookaway.geometry.trajectory import roll_matrix
from lookaway.metrics import METRICS, Case
from lookaway.outcomes import Abstain, Gated, NotApplicable
from tests.builders import LOOK_LEFT, task

FPS, SECONDS = 24.0, np.arange(97) / 24  # not the task's 16
CAMERAS = [n for n, m in METRICS.all().items() if "classical" in m.needs]
MOVING = [name for name in CAMERAS if name != "static_hold:released"]


def case(
    got: str = LOOK_LEFT, trusted: Any = True, confidence: Any = 1.0, hfov_deg: Any = (60.0, 60.0, 60.0), **facts: Any
) -> Case:
    """A clip whose camera follows the script `got`; what is not trusted is where a lost observer left it."""
    asked = task(**facts)
    view = {
        "seconds": SECONDS,
        "rotation": poses_at(got, SECONDS, asked.pitch_deg)[:, :3, :3],
        "trusted": np.broadcast_to(trusted, SECONDS.shape),
        "confidence": np.broadcast_to(confidence, SECONDS.shape),
        "hfov_deg": np.array(hfov_deg),
    }
    view["rotation"][~view["trusted"]] = roll_matrix(90)
    return Case(asked, None, {"classical": view}, {})


def value(name: str, given: Case) -> Any:
    return METRICS.get(name).function(given)


HALF = LOOK_LEFT.replace("75", "37.5")
STAYS = "hold@1s, yaw:left:75@0.5s, hold@2.5s"
STATIC = "hold@4s"
RIGHT = LOOK_LEFT.replace("left", "x").replace("right", "left").replace("x", "right")


@pytest.mark.parametrize("pitch", [0.0, -20.0])
def test_a_camera_that_does_as_asked(pitch: float) -> None:
    given = case(pitch_deg=pitch)
    for name in MOVING:
        # read at the task's frame rate, a 24 fps clip cuts the corners of the turn a little
        best = 0.0 if METRICS.get(name).better == "lower" else 1.0
        assert value(name, given) == pytest.approx(best, abs=0.05), name
    assert GATES.get("camera_active")(given) is None


@pytest.mark.parametrize("name", MOVING)
def test_a_static_camera_never_looks_good(name: str) -> None:
    given, metric = case(STATIC), METRICS.get(name)
    closed = [GATES.get(gate)(given) for gate in metric.gates]
    if any(isinstance(gate, Gated) and gate.kind == "avoided" for gate in closed):
        return
    assert value(name, given) == pytest.approx(1.0 if metric.better == "lower" else 0.0, abs=1e-9)


def test_each_way_to_go_wrong_shows_where_it_should() -> None:
    for name in ("requested_camera_precision:sound", "camera_controllability:sound", "camera_gain:sound"):
        assert value(name, case(HALF)) < 0.6
    for name in ("requested_camera_precision:sound", "prompt_camera_alignment:sound"):
        assert value(name, case(RIGHT)) == 0
    assert value("camera_gain:sound", case(RIGHT)) == pytest.approx(-1)
    assert value("camera_return_error:sound", case(STAYS)) == pytest.approx(75)
    assert value("camera_gain:sound", case(STAYS)) == pytest.approx(1)
    assert value("camera_return_error:sound", case(HALF)) == pytest.approx(0, abs=1e-6)


def test_frames_that_are_not_trusted_are_bridged_not_believed() -> None:
    lost = np.zeros(len(SECONDS), bool)
    lost[[3, 30, 31, 70, 96]] = True
    assert value("requested_camera_precision:sound", case(trusted=~lost)) > 0.95
    assert value("camera_drift:sound", case(trusted=~lost)) < 1e-6


@pytest.mark.parametrize("name", CAMERAS)
def test_a_camera_that_was_not_recovered_is_a_reason(name: str) -> None:
    camera = STATIC if name == "static_hold:released" else LOOK_LEFT
    few = value(name, case(trusted=np.arange(len(SECONDS)) % 3 == 0, camera=camera))
    gap = value(name, case(trusted=np.abs(SECONDS - 2) > 0.4, camera=camera))
    for lost in (few, gap):
        assert isinstance(lost, Abstain)
        assert "not recovered" in lost.reason


@pytest.mark.parametrize("name", MOVING)
def test_a_camera_that_shifted_for_long_is_not_judged_by_its_turns(name: str) -> None:
    unsure = value(name, case(confidence=np.where((SECONDS > 1) & (SECONDS < 1.7), 0.3, 1.0)))
    assert isinstance(unsure, Abstain)
    assert "shifted" in unsure.reason
    assert not isinstance(value(name, case(confidence=np.where(SECONDS == 1, 0.3, 1.0))), Abstain)


@pytest.mark.parametrize("name", CAMERAS)
def test_nothing_is_asked_of_the_camera_where_the_view_is_covered(name: str) -> None:
    given = case(STATIC, camera=STATIC, cover="hold@1s, lights:off@0.5s, hold@1s, lights:on@0.5s, hold@1s")
    assert isinstance(value(name, given), NotApplicable)


def test_a_static_request_is_scored_by_the_hold_alone() -> None:
    rests, turns = case(STATIC, camera=STATIC), case(camera=STATIC)
    assert (value("static_hold:released", rests), value("static_hold:released", turns)) == (1.0, 0.0)
    assert value("requested_camera_precision:released", rests) == 1.0  # binary, as released
    for name in {*MOVING} - {"requested_camera_precision:released"}:
        assert isinstance(value(name, rests), NotApplicable), name
    assert isinstance(value("static_hold:released", case()), NotApplicable)


def test_a_request_to_travel_is_not_judged_by_turns_alone() -> None:
    travels = "hold@1s, dolly:forward:0.6+yaw:left:75@0.5s, hold@1s, dolly:back:0.6+yaw:right:75@0.5s, hold@1s"
    assert isinstance(value("requested_camera_precision:sound", case(camera=travels)), Abstain)
    assert value("camera_controllability:sound", case(camera=travels)) > 0.95


def test_an_unknown_lens_makes_turns_unmeasurable_and_a_static_camera_still_static() -> None:
    doubt = (60.0, 40.0, 90.0)
    assert isinstance(value("camera_gain:sound", case(hfov_deg=doubt)), Abstain)
    assert value("camera_gain:sound", case(hfov_deg=(60.0, 57.0, 63.0))) == pytest.approx(1, abs=0.05)
    assert value("camera_inactivity:sound", case(STATIC, hfov_deg=doubt)) == 1.0
    assert value("camera_gain:sound", case(STATIC, hfov_deg=doubt)) == 0.0
