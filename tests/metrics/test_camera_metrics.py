"""Camera metrics on recovered turns made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lookaway.gates import GATES
from lookaway.geometry.script import poses_at
from lookaway.geometry.trajectory import roll_matrix
from lookaway.metrics import METRICS, Case
from lookaway.outcomes import Abstain, Gated, Measured, NotApplicable
from tests.builders import LOOK_LEFT, task

FPS, SECONDS = 24.0, np.arange(97) / 24  # not the task's 16
TWICE = "repeat_error:sound"  # asks for the same turn twice, and is tested by itself
CAMERAS = [n for n, m in METRICS.all().items() if "classical" in m.needs and n != TWICE]
FREE = "camera_end_over_peak:sound"  # nothing need be asked of it
MOVING = [name for name in CAMERAS if name != "static_hold:released"]


def case(
    got: str = LOOK_LEFT,
    trusted: Any = True,
    confidence: Any = 1.0,
    wide_deg: Any = 0.0,
    hfov_deg: Any = (60.0, 60.0, 60.0),
    **facts: Any,
) -> Case:
    """A clip whose camera follows the script `got`; what is not trusted is where a lost observer left it."""
    asked = task(**facts)
    view = {
        "seconds": SECONDS,
        "rotation": poses_at(got, SECONDS, asked.pitch_deg)[:, :3, :3],
        "trusted": np.broadcast_to(trusted, SECONDS.shape),
        "confidence": np.broadcast_to(confidence, SECONDS.shape),
        "half_width_deg": np.broadcast_to(np.reshape(wide_deg, (-1, 1)), (len(SECONDS), 2)).astype(float),
        "hfov_deg": np.array(hfov_deg),
        "contradicting_hfov_deg": np.array(np.nan),
    }
    view["rotation"][~view["trusted"]] = roll_matrix(90)
    return Case(asked, None, {"classical": view}, {})


def value(name: str, given: Case) -> Any:
    """The number in the middle, or why there is none."""
    made = METRICS.get(name).function(given)
    return made.value if isinstance(made, Measured) else made


def measured(name: str, given: Case) -> Measured:
    made = METRICS.get(name).function(given)
    assert isinstance(made, Measured), made
    assert made.low is not None
    assert made.high is not None
    return made


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
    found = value(name, given)
    if name == FREE:
        assert isinstance(found, Abstain)
        return
    if metric.unit == "deg":
        assert found > 10 * metric.margin
        return
    assert found == pytest.approx(1.0 if metric.better == "lower" else 0.0, abs=1e-9)


def test_each_way_to_go_wrong_shows_where_it_should() -> None:
    for name in ("requested_camera_precision:sound", "camera_controllability:sound", "camera_gain:sound"):
        assert value(name, case(HALF)) < 0.6
    for name in ("requested_camera_precision:sound", "prompt_camera_alignment:sound"):
        assert value(name, case(RIGHT)) == 0
    assert value("camera_gain:sound", case(RIGHT)) == pytest.approx(-1)
    assert value("camera_return_error:sound", case(STAYS)) == pytest.approx(75)
    assert value("camera_gain:sound", case(STAYS)) == pytest.approx(1)
    assert value("camera_return_error:sound", case(HALF)) == pytest.approx(0, abs=1e-6)


def test_a_rotation_error_is_what_controllability_is_made_of() -> None:
    off = value("camera_rotation_error:sound", case(HALF))
    static = value("camera_rotation_error:sound", case("hold@4s"))
    assert value("camera_rotation_error:sound", case()) == pytest.approx(0, abs=1e-6)
    assert off == pytest.approx(static / 2)
    assert value("camera_controllability:sound", case(HALF)) == pytest.approx(1 - off / static)


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
def test_that_it_is_no_pure_turn_mutes_nothing(name: str) -> None:
    assert value(name, case(confidence=0.1)) == value(name, case())


@pytest.mark.parametrize("name", CAMERAS)
def test_nothing_is_asked_of_the_camera_where_the_view_is_covered(name: str) -> None:
    given = case(STATIC, camera=STATIC, cover="hold@1s, lights:off@0.5s, hold@1s, lights:on@0.5s, hold@1s")
    assert isinstance(value(name, given), NotApplicable)


def test_a_static_request_is_scored_by_the_hold_alone() -> None:
    rests, turns = case(STATIC, camera=STATIC), case(camera=STATIC)
    assert (value("static_hold:released", rests), value("static_hold:released", turns)) == (1.0, 0.0)
    assert value("requested_camera_precision:released", rests) == 1.0  # binary, as released
    for name in {*MOVING} - {"requested_camera_precision:released", FREE}:
        assert isinstance(value(name, rests), NotApplicable), name
    assert isinstance(value("static_hold:released", case()), NotApplicable)


def test_a_request_to_travel_is_not_judged_by_turns_alone() -> None:
    travels = "hold@1s, dolly:forward:0.6+yaw:left:75@0.5s, hold@1s, dolly:back:0.6+yaw:right:75@0.5s, hold@1s"
    assert isinstance(value("requested_camera_precision:sound", case(camera=travels)), Abstain)
    assert value("camera_controllability:sound", case(camera=travels)) > 0.95


SATURATED = ("camera_jerk:sound", "prompt_camera_alignment:released")  # an error that stays does not jerk; 30 is whole


@pytest.mark.parametrize("name", [name for name in MOVING if name != "camera_inactivity:sound"])
def test_bounds_hold_the_value_and_widen_with_the_interval(name: str) -> None:
    short = LOOK_LEFT.replace("75", "66")
    none, some, more = (measured(name, case(short, wide_deg=wide)) for wide in (0.01, 2.0, 5.0))
    for found in (none, some, more):
        assert found.low <= found.value <= found.high
    assert more.value == pytest.approx(none.value)
    assert none.high - none.low < some.high - some.low + 1e-9 < more.high - more.low + 2e-9
    if name not in SATURATED:
        assert more.high - more.low > 0.02


def test_gain_and_return_are_told_at_both_ends() -> None:
    gain = measured("camera_gain:sound", case(LOOK_LEFT.replace("75", "60"), wide_deg=6.0))
    assert (gain.low, gain.value, gain.high) == pytest.approx((54 / 75, 60 / 75, 66 / 75), abs=1e-6)
    late = "hold@1s, yaw:left:75@0.5s, hold@1s, yaw:right:70@0.5s, hold@1s"
    back = measured("camera_return_error:sound", case(late, wide_deg=2.0))
    assert (back.low, back.value, back.high) == pytest.approx((3, 5, 7), abs=1e-6)


@pytest.mark.parametrize(
    ("name", "frames"), [("camera_gain:sound", SECONDS < 3), ("camera_return_error:sound", SECONDS > 3)]
)
def test_a_score_abstains_where_the_frames_that_it_reads_are_too_wide(name: str, frames: np.ndarray) -> None:
    limit = 0.25 * 75 if name.startswith("camera_gain") else 10.0
    assert not isinstance(value(name, case(wide_deg=np.where(frames, limit - 0.1, 0.1))), Abstain)
    told = value(name, case(wide_deg=np.where(frames, limit + 0.1, 0.1)))
    assert isinstance(told, Abstain)
    assert "the question needs" in told.reason
    assert not isinstance(value(name, case(wide_deg=np.where(frames, 0.1, limit + 0.1))), Abstain)


def test_a_yes_or_no_is_told_only_where_both_ends_agree() -> None:
    """A tenth of 75 degrees is where a camera begins to be active."""
    weak = LOOK_LEFT.replace("75", "6")
    assert value("camera_inactivity:sound", case(weak, wide_deg=1.0)) == 1.0
    assert value("camera_inactivity:sound", case(wide_deg=10.0)) == 0.0
    either = value("camera_inactivity:sound", case(weak, wide_deg=2.0))
    assert isinstance(either, Abstain)
    assert "either way" in either.reason
    assert isinstance(GATES.get("camera_active")(case(weak, wide_deg=2.0)), Abstain)


def test_end_over_peak_has_the_bounds_of_a_ratio() -> None:
    late = "hold@1s, yaw:left:50@0.5s, hold@1s, yaw:right:40@0.5s, hold@1s"
    for hfov_deg in ((60.0, 60.0, 60.0), (60.0, 40.0, 90.0)):
        found = measured(FREE, case(late, wide_deg=2.0, hfov_deg=hfov_deg))
        assert (found.low, found.value, found.high) == pytest.approx((8 / 52, 10 / 50, 12 / 48))
    assert isinstance(value(FREE, case(LOOK_LEFT.replace("75", "4.9"))), Abstain)
    assert isinstance(value(FREE, case(LOOK_LEFT.replace("75", "8"), wide_deg=8.1)), Abstain)
    assert value(FREE, case(STAYS)) == pytest.approx(1)


def test_an_unknown_lens_widens_the_bounds_and_leaves_a_static_camera_static() -> None:
    doubt = (60.0, 40.0, 90.0)
    gain = measured("camera_gain:sound", case(hfov_deg=doubt))
    assert gain.low < 0.75
    assert gain.value == pytest.approx(1)
    assert gain.high > 1.3
    narrow = measured("camera_gain:sound", case(hfov_deg=(60.0, 57.0, 63.0)))
    assert narrow.high - narrow.low < 0.15
    assert value("camera_inactivity:sound", case(STATIC, hfov_deg=doubt)) == 1.0
    assert value("camera_gain:sound", case(STATIC, hfov_deg=doubt)) == 0.0


def test_a_lens_that_the_pictures_contradict_is_no_reason_to_abstain() -> None:
    given = case()
    told = Case(
        given.task, None, {"classical": {**given.seen["classical"], "contradicting_hfov_deg": np.array(44.0)}}, {}
    )
    for name in MOVING:
        assert value(name, told) == value(name, given)


def test_without_a_request_only_the_end_over_the_peak_is_told() -> None:
    given = case(camera="", wide_deg=1.0)
    assert not given.task.camera_asked
    for name in CAMERAS:
        found = METRICS.get(name).function(given)
        assert isinstance(found, Measured if name == FREE else NotApplicable), name
