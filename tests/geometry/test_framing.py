"""Pictures of other shapes: nothing is bent unknowingly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookaway.geometry.framing import (
    FIT_KINDS,
    common_part,
    fit_between,
    fitted_task,
    frame_part,
    picture_lens,
    picture_of,
    picture_part,
    seen_fit,
    task_fit,
)
from lookaway.geometry.trajectory import pinhole
from lookaway.records import Fit, FitKind, Subject
from tests.builders import task

sides = st.integers(40, 400)
kinds = st.sampled_from(FIT_KINDS)


def noise(width: int, height: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    coarse = rng.integers(0, 255, (6, 8, 3), np.uint8)
    return np.kron(coarse, np.ones((-(-height // 6), -(-width // 8), 1), np.uint8))[:height, :width]


@pytest.mark.parametrize(
    ("how", "window"),
    [
        ("crop", (0.125, 0.0, 0.875, 1.0)),
        ("pad", (0.0, 0.5 - 2 / 3, 1.0, 0.5 + 2 / 3)),
        ("stretch", (0.0, 0.0, 1.0, 1.0)),
    ],
)
def test_a_wide_frame_in_a_4_to_3_picture(how: FitKind, window: tuple[float, ...]) -> None:
    fit = fit_between((320, 180), (640, 480), how)
    assert fit is not None
    assert fit.window == pytest.approx(window)


def test_the_same_shape_needs_no_fit() -> None:
    assert all(fit_between((320, 180), (1920, 1080), how) is None for how in FIT_KINDS)
    assert fit_between((320, 180), (832, 480), "crop") is not None


@given(sides, sides, sides, sides, kinds)
def test_frame_and_picture_have_a_part_in_common(w: int, h: int, wide: int, high: int, how: FitKind) -> None:
    fit = fit_between((w, h), (wide, high), how)
    for part in (frame_part(fit), picture_part(fit)):
        assert -1e-9 <= part[0] < part[2] <= 1 + 1e-9
        assert -1e-9 <= part[1] < part[3] <= 1 + 1e-9
    if fit is not None and how != "stretch":
        a, b = frame_part(fit), picture_part(fit)
        frame_shape = (a[2] - a[0]) * w / ((a[3] - a[1]) * h)
        picture_shape = (b[2] - b[0]) * wide / ((b[3] - b[1]) * high)
        assert frame_shape == pytest.approx(picture_shape)


@given(sides, sides, kinds)
def test_a_point_lies_where_the_lens_says(wide: int, high: int, how: FitKind) -> None:
    """A direction, projected by the picture's lens, falls on the place that the window gives its place in the frame."""
    asked = task()
    fit = fit_between((asked.width, asked.height), (wide, high), how)
    direction = np.array([0.2, -0.1, 1.0])
    x, y, _ = pinhole(asked.width, asked.height, asked.hfov_deg) @ direction / [asked.width, asked.height, 1]
    left, top, right, bottom = (0.0, 0.0, 1.0, 1.0) if fit is None else fit.window
    expected = np.array([(x - left) / (right - left), (y - top) / (bottom - top)])
    found = (picture_lens(asked, fit, (wide, high)) @ direction)[:2] / [wide, high]
    tolerance = 0.01 if fit is None else 1e-9  # shapes within 1 % count as the same
    assert found == pytest.approx(expected, abs=tolerance)


def test_a_crop_moves_the_box_and_narrows_the_view() -> None:
    fit = Fit(how="crop", window=(0.125, 0.0, 0.875, 1.0))
    asked = fitted_task(task(), fit)
    assert asked.subjects[0].box == pytest.approx(((0.4 - 0.125) / 0.75, 0.5, (0.6 - 0.125) / 0.75, 0.8))
    assert np.tan(np.deg2rad(asked.hfov_deg / 2)) == pytest.approx(0.75 * np.tan(np.deg2rad(30)))
    assert (asked.width, asked.height) == (240, 180)


def test_bars_leave_the_task_as_it_is() -> None:
    fit = fit_between((320, 180), (320, 240), "pad")
    asked = fitted_task(task(), fit)
    assert (asked.subjects, asked.hfov_deg, asked.width, asked.height) == (
        task().subjects,
        pytest.approx(task().hfov_deg),
        320,
        180,
    )


def test_a_subject_at_the_rim_gets_bars_instead_of_a_crop() -> None:
    rim = task(subjects=(Subject(name="a ball", box=(0.05, 0.5, 0.2, 0.8), side="left"),))
    cropped, barred = task_fit(task(), (240, 180), "crop"), task_fit(rim, (240, 180), "crop")
    assert cropped is not None
    assert barred is not None
    assert (cropped.how, barred.how) == ("crop", "pad")


@pytest.mark.parametrize("size", [(240, 180), (320, 240), (180, 320), (480, 200)])
@pytest.mark.parametrize("how", FIT_KINDS)
def test_how_a_picture_was_made_shows(how: FitKind, size: tuple[int, int]) -> None:
    frame = noise(320, 180)
    fit = fit_between((320, 180), size, how)
    assert seen_fit(frame, picture_of(frame, fit, size)) == fit
    assert seen_fit(frame, picture_of(frame, None, (640, 360))) is None


@pytest.mark.parametrize("size", [(1600, 4), (4, 1600), (1, 1)])
def test_a_sliver_of_a_picture_still_has_a_part_in_common(size: tuple[int, int]) -> None:
    frame = noise(32, 18)
    found = seen_fit(frame, np.zeros((size[1], size[0], 3), np.uint8))
    shown = common_part(np.zeros((1, size[1], size[0], 3), np.uint8), found, 32 / 18)
    assert min(shown.shape) > 0
    assert min(picture_of(frame, found, size).shape) > 0


@pytest.mark.parametrize("how", FIT_KINDS)
def test_the_common_part_looks_like_the_frame(how: FitKind) -> None:
    frame = noise(320, 180)
    fit = fit_between((320, 180), (400, 300), how)
    shown = common_part(picture_of(frame, fit, (400, 300))[None], fit, 320 / 180)[0]
    asked = fitted_task(task(), fit)
    assert shown.shape[1] / shown.shape[0] == pytest.approx(asked.width / asked.height, rel=0.01)
