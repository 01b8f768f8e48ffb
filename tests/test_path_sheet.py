"""A sheet of camera paths: who turns is drawn where it turns, frames stand below, and nothing hides another."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from lookaway.contact.path_sheet import (
    INKS,
    WIDTH,
    PathLine,
    PathMoment,
    PathRow,
    PathSheet,
    degree_ticks,
    ground_pose,
    path_sheet,
)
from lookaway.contact.top_view import heading_deg
from lookaway.geometry.script import poses_at
from lookaway.records import Interval

CAMERA = "hold@1s, yaw:left:60@1s, hold@1s, yaw:right:60@1s, hold@1s"
SECONDS = np.arange(81) / 16
PHASES = (
    Interval(phase="visible", start_s=0, end_s=1.5),
    Interval(phase="hidden", start_s=1.5, end_s=3.5),
    Interval(phase="returned", start_s=3.5, end_s=5.1),
)
MOMENTS = (PathMoment("V", "visible", 0.75), PathMoment("D", "hidden", 2.5), PathMoment("R", "returned", 4.3))
GREEN = np.full((90, 160, 3), (10, 200, 10), np.uint8)


def turned(degrees: float) -> PathLine:
    return PathLine(SECONDS, np.interp(SECONDS, [1, 2, 3, 4], [0, degrees, degrees, 0]))


def page(*rows: PathRow) -> NDArray[np.uint8]:
    poses = poses_at(CAMERA, np.array([moment.second for moment in MOMENTS]), 0.0)
    ground = np.stack([ground_pose(pose) for pose in poses])
    return path_sheet(PathSheet("a task", "it turns", "yaw", turned(-60), ground, 60.0, PHASES, MOMENTS, rows))


def pixels(sheet: NDArray[np.uint8], ink: tuple[int, int, int]) -> NDArray[np.int64]:
    """Rows and columns of a colour, edges that are mixed with others left out."""
    return np.argwhere(np.abs(sheet.astype(int) - ink).max(axis=2) < 40)


def test_frames_stand_below_the_paths_three_in_a_row() -> None:
    sheet = page(PathRow("the true clip", [GREEN] * 3), PathRow("m", [GREEN] * 3, turned(-60)))
    assert sheet.shape[1] == WIDTH
    green = pixels(sheet, (10, 200, 10))
    assert green[:, 0].min() > 330, "below the chart"
    columns = np.unique(green[:, 1])
    assert (np.diff(columns) > 1).sum() == 2


def test_a_camera_that_turns_the_other_way_is_on_the_other_side_of_zero() -> None:
    chart = page(PathRow("as asked", [], turned(-60)), PathRow("other", [], turned(60)))[:420]
    below, above = (pixels(chart, ink)[:, 0] for ink in INKS[:2])
    assert np.percentile(above, 10) < np.percentile(below, 10) - 50
    assert np.percentile(below, 90) > np.percentile(above, 90) + 50


def test_equal_paths_do_not_hide_each_other() -> None:
    sheet = page(*(PathRow(f"m{n}", [GREEN] * 3, turned(-60)) for n in range(5)))
    chart = sheet[:420]
    assert all(len(pixels(chart, ink)) > 300 for ink in INKS[:5])


def test_where_the_camera_is_unknown_the_line_is_broken() -> None:
    whole, lost = turned(-60), turned(-60).degrees.copy()
    lost[30:50] = np.nan
    drawn = [len(pixels(page(PathRow("m", [], PathLine(SECONDS, d))), INKS[0])) for d in (whole.degrees, lost)]
    assert drawn[1] < 0.85 * drawn[0]


def test_a_clip_without_video_or_camera_has_its_row_and_says_so() -> None:
    bare, noted = page(PathRow("m", [])), page(PathRow("m", [], note="no video: it crashed"))
    assert bare.shape == noted.shape
    assert (bare != noted).any()


def test_a_turn_to_the_left_looks_left_from_above() -> None:
    ahead, left = (ground_pose(pose) for pose in poses_at(CAMERA, np.array([0.0, 2.5]), 0.0))
    assert heading_deg(ahead) == pytest.approx(90)
    assert heading_deg(left) == pytest.approx(150)


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (-60, 2, [-60, -45, -30, -15, 0, 15]),
        (0, 178, [0, 45, 90, 135, 180]),
        (0, 0, [0, 5]),
        (-350, 0, [-360, -270, -180, -90, 0]),
    ],
)
def test_ticks_are_round_and_few(low: float, high: float, ticks: list[float]) -> None:
    assert degree_ticks(low, high) == ticks
