"""Gates and return metrics on cases made by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lookaway.gates import GATES
from lookaway.geometry.trajectory import yaw_matrix
from lookaway.geometry.visibility import phases_from_visible
from lookaway.metrics import MEMORY_GATES, METRICS, Case
from lookaway.outcomes import Abstain, Gated, NotApplicable
from lookaway.records import Reference
from lookaway.truth import KnownTruth, Truth
from tests.builders import task

N, HEIGHT, WIDTH = 40, 18, 32
SECONDS = np.arange(N) / 10
AWAY = (SECONDS >= 1) & (SECONDS < 2.5)


def disc(column: int) -> np.ndarray:
    mask = np.zeros((HEIGHT, WIDTH), bool)
    mask[6:12, column : column + 6] = True
    return mask


def case(
    away: np.ndarray = AWAY,
    place: int = 12,
    true_place: int = 12,
    present: bool = True,
    trusted: float = 1.0,
    back: bool = True,
) -> Case:
    """A camera away for 1.5 s; the subject at `place` when it returns, the truth at `true_place`."""
    turned = np.where(away, 75.0, 0.0)
    if not back:
        turned[SECONDS >= 1] = 75.0
    in_view = turned == 0
    masks = np.stack([disc(place) & ok & (present or s < 1) for s, ok in zip(SECONDS, in_view, strict=True)])
    true_masks = np.stack([disc(true_place) & ~a for a in AWAY])
    poses = np.tile(np.eye(4), (N, 1, 1))
    poses[:, :3, :3] = [yaw_matrix(75.0 if a else 0.0) for a in AWAY]
    truth = Truth(
        Reference(task="a_task", instance="i", video="v", phases=phases_from_visible(SECONDS, ~AWAY)),
        None,  # type: ignore[arg-type]
        SECONDS,
        KnownTruth(
            poses,
            np.tile(np.eye(3), (N, 1, 1)),
            true_masks,
            true_masks.any((1, 2)).astype(float),
            np.zeros((N, 0)),
        ),
    )
    view = {
        "seconds": SECONDS,
        "rotation": np.stack([yaw_matrix(y) for y in turned]),
        "trusted": np.arange(N) < trusted * N,
        "confidence": np.ones(N),
        "half_width_deg": np.zeros((N, 2)),
        "overlap": in_view.astype(float),
        "home_in_view": in_view.astype(float),
        "overlap_bounds": np.column_stack([in_view, in_view]).astype(float),
        "home_bounds": np.column_stack([in_view, in_view]).astype(float),
    }
    subject = {
        "seconds": SECONDS,
        "masks": np.packbits(masks, axis=-1),
        "mask_width": np.array(WIDTH),
        "share": masks.any((1, 2)).astype(float),
        "visible": masks.any((1, 2)),
    }
    return Case(task(seconds=3.9, fps=10.0), truth, {"view": view, "subject": subject}, {})


def value(name: str, given: Case) -> object:
    return METRICS.get(f"{name}:sound").function(given)


def test_the_right_subject_in_the_right_place_scores_one() -> None:
    given = case()
    assert value("object_return", given) == 1.0
    assert value("object_present", given) == 1.0
    assert value("reobservation_support", given) == 1.0
    assert value("turned_away", given) == value("view_returned", given) == value("subject_hidden", given) == 1.0


def test_half_a_subject_width_off_is_a_third_of_the_overlap() -> None:
    assert value("object_return", case(place=15)) == pytest.approx(1 / 3)
    assert value("object_return", case(place=20)) == 0.0
    assert value("object_present", case(place=20)) == 1.0


def test_a_vanished_subject_is_neither_present_nor_supported() -> None:
    given = case(present=False)
    assert value("object_present", given) == value("object_return", given) == 0.0
    assert value("reobservation_support", given) == 0.0
    assert value("subject_hidden", given) == 1.0


def test_a_camera_that_never_turns_closes_the_gate() -> None:
    given = case(away=np.zeros(N, bool))
    closed = GATES.get("turned_away")(given)
    assert isinstance(closed, Gated)
    assert closed.kind == "avoided"
    assert value("turned_away", given) == 0.0


def test_a_glance_shorter_than_half_a_second_is_no_look_away() -> None:
    given = case(away=(SECONDS >= 1) & (SECONDS < 1.35))
    assert isinstance(GATES.get("turned_away")(given), Gated)


def test_a_camera_that_never_comes_back_closes_the_other_gate() -> None:
    given = case(back=False)
    assert GATES.get("turned_away")(given) is None
    closed = GATES.get("view_returned")(given)
    assert isinstance(closed, Gated)
    assert value("view_returned", given) == 0.0


def test_a_camera_that_could_not_be_followed_is_an_abstention() -> None:
    given = case(trusted=0.3)
    assert isinstance(GATES.get("turned_away")(given), Abstain)
    assert isinstance(value("turned_away", given), Abstain)


def test_half_a_second_that_nobody_could_place_is_an_abstention_and_not_a_static_camera() -> None:
    given = case(away=np.zeros(N, bool))
    view = dict(given.seen["view"]) | {"trusted": (SECONDS < 1) | (SECONDS >= 1.8)}
    lost = Case(given.task, given.truth, {**given.seen, "view": view}, {})
    assert isinstance(value("turned_away", lost), Abstain)
    brief = dict(given.seen["view"]) | {"trusted": (SECONDS < 1) | (SECONDS >= 1.2)}
    assert value("turned_away", Case(given.task, given.truth, {**given.seen, "view": brief}, {})) == 0.0


def test_a_path_that_cannot_hide_is_no_opportunity() -> None:
    given = case()
    static = Case(task(camera="hold@3.9s"), given.truth, given.seen, {})
    closed = GATES.get("opportunity")(static)
    assert isinstance(closed, Gated)
    assert closed.kind == "no_opportunity"


def test_a_slightly_turned_return_is_not_held_against_the_object() -> None:
    """The mask is turned home before it is compared; a real shift of the object is not undone."""
    given = case()
    off = 4.0
    view, subject = dict(given.seen["view"]), dict(given.seen["subject"])
    focal = WIDTH / 2 / np.tan(np.deg2rad(30))
    pixels = round(focal * np.tan(np.deg2rad(off)))
    view["rotation"] = np.stack([yaw_matrix(75.0 if a else off) for a in AWAY])
    masks = np.stack([np.roll(disc(12), -pixels, axis=1) & ~a for a in AWAY])
    subject["masks"] = np.packbits(masks, axis=-1)
    shifted = Case(given.task, given.truth, {"view": view, "subject": subject}, {})
    assert value("object_return", shifted) > 0.9
    view["rotation"] = given.seen["view"]["rotation"]
    assert value("object_return", Case(given.task, given.truth, {"view": view, "subject": subject}, {})) < 0.6


@pytest.mark.parametrize(("overlap", "returned"), [(0.79, False), (0.81, True)])
def test_the_first_view_is_back_when_four_fifths_of_it_are(overlap: float, returned: bool) -> None:
    given = case()
    shares = np.where(AWAY, 0.0, overlap)
    view = {**given.seen["view"], "overlap": shares, "overlap_bounds": np.column_stack([shares, shares])}
    part = Case(given.task, given.truth, {**given.seen, "view": view}, {})
    assert (GATES.get("view_returned")(part) is None) == returned
    assert value("view_returned", part) == float(returned)


@pytest.mark.parametrize(("late_s", "paired"), [(0.095, True), (0.105, False)])
def test_moments_of_clip_and_truth_more_than_a_tenth_of_a_second_apart_are_no_pair(late_s: float, paired: bool) -> None:
    """The truth has a frame every half second, so that the nearest one is as far as the clip is late."""
    given, slow = case(), 5 * SECONDS
    assert given.truth is not None
    record = given.truth.record.model_copy(update={"phases": phases_from_visible(slow, ~AWAY)})
    truth = replace(given.truth, record=record, seconds=slow)
    seen = {name: {**arrays, "seconds": slow + late_s} for name, arrays in given.seen.items()}
    outcome = value("object_return", Case(given.task, truth, seen, {}))
    assert outcome == 1.0 if paired else isinstance(outcome, Abstain)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"camera": "hold@4s", "cover": "hold@1s, lights:off@1s, hold@1s, lights:on@1s"}, "hidden by a cover"),
        ({"camera": "yaw:left:90@1s, dolly:forward:0.5@2s, yaw:right:90@1s"}, "another viewpoint"),
    ],
)
def test_what_a_camera_metric_cannot_read_is_not_applicable(changes: dict[str, str], reason: str) -> None:
    posed = replace(case(), task=task(**changes))
    verdicts = [GATES.get(name)(posed) for name in MEMORY_GATES[1:3]]
    assert any(isinstance(v, NotApplicable) and reason in v.reason for v in verdicts)


@pytest.mark.parametrize(("metric", "bounds"), [("turned_away", "home_bounds"), ("view_returned", "overlap_bounds")])
def test_a_look_away_that_the_cameras_interval_leaves_open_is_not_told(metric: str, bounds: str) -> None:
    for least, most, told in (
        ((0.0, 0.01, True), (0.0, 0.5, False))
        if bounds == "home_bounds"
        else (
            (0.9, 1.0, True),
            (0.5, 1.0, False),
        )
    ):
        given = case()
        view = dict(given.seen["view"])
        seen = np.asarray(view["home_in_view"]) > 0
        share = (
            np.where(seen[:, None], 1.0, [least, most])
            if bounds == "home_bounds"
            else np.where(seen[:, None], [least, most], 0.0)
        )
        doubtful = Case(given.task, given.truth, {**given.seen, "view": {**view, bounds: share}}, {})
        assert (value(metric, doubtful) == 1.0) == told
        assert isinstance(value(metric, doubtful), Abstain) != told
        assert isinstance(GATES.get(metric)(doubtful), Abstain) != told
