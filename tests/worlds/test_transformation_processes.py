from __future__ import annotations

import numpy as np
import pytest
from world_sight import Built, mask

from lookaway.worlds.processes.cup import TABLE_M
from lookaway.worlds.processes.sheet import BED_M

STATES = {
    "cup": ("tilt_deg", 90.0),
    "hatch": ("opening_deg", 106.0),
    "umbrella": ("opening", 1.0),
    "sheet": ("folded", 1.0),
    "bowl": ("flipped_deg", 180.0),
}


@pytest.mark.parametrize("process", STATES)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_state_goes_on_evenly_until_its_end_and_stays(built: Built, process: str, seed: int) -> None:
    name, end = STATES[process]
    world = built("parlour", process, seed)
    values = np.array([world.state(second)[name] for second in np.linspace(0, 4.4, 12)])
    assert np.diff(values) == pytest.approx(np.diff(values)[0], rel=1e-6)
    assert values[-1] < end
    assert world.state(8.0)[name] == world.state(12.0)[name] == pytest.approx(end)


def test_the_mug_keeps_touching_the_table_and_ends_on_its_side(built: Built) -> None:
    world = built("workshop", "cup", 0)
    for second in np.linspace(0, 8, 17):
        assert world.subject_points(second)[:, 2].min() == pytest.approx(TABLE_M, abs=0.004)
    lowest = [points[points[:, 2].argmin()] for points in map(world.subject_points, (1.0, 4.0))]
    assert np.linalg.norm(lowest[0] - lowest[1]) < 0.012, "the foot slides over the table"
    heights = [np.ptp(world.subject_points(second)[:, 2]) for second in (0.0, 8.0)]
    assert heights[0] == pytest.approx(0.33, abs=0.02)
    assert heights[1] < 0.42


def test_the_mug_leans_over_by_the_angle_it_says(built: Built) -> None:
    world = built("parlour", "cup", 0)
    upright, leaning = (world.subject_points(second) for second in (0.0, 3.0))
    turned = world.state(3.0)["tilt_deg"] - world.state(0.0)["tilt_deg"]
    spread = [points - points.mean(axis=0) for points in (upright, leaning)]
    left, _, right = np.linalg.svd(spread[0].T @ spread[1])
    assert np.degrees(np.arccos((np.trace(left @ right) - 1) / 2)) == pytest.approx(turned, abs=1e-3)


def test_the_treasure_comes_to_light_as_the_lid_opens(built: Built) -> None:
    world = built("workshop", "hatch", 0)
    gold = [mask(world, world.render(world.home, second), "treasure").sum() for second in (0.0, 2.0, 6.0)]
    assert gold[0] < gold[1] <= gold[2]
    tops = [world.subject_points(second)[:, 2].max() for second in np.linspace(0, 4, 9)]
    assert (np.diff(tops) > 0).all()


def test_the_parasol_widens_as_it_opens(built: Built) -> None:
    world = built("parlour", "umbrella", 0)
    widths = [
        np.ptp(np.flatnonzero(world.subject_mask(world.glance(world.home, second)).any(axis=0)))
        for second in np.linspace(0, 5, 6)
    ]
    assert (np.diff(widths) > 0).all()
    assert widths[-1] > 3 * widths[0]


def test_neighbouring_panels_of_the_parasol_share_their_rib(built: Built) -> None:
    world = built("parlour", "umbrella", 0)
    points = world.subject_points(2.0)
    outermost = np.linalg.norm(points[:, :2] - points[0, :2], axis=1)
    tips = points[outermost > outermost.max() - 1e-6]
    assert len(np.unique(tips.round(6), axis=0)) == 8
    assert len(tips) == 16


def test_the_blanket_gets_narrower_and_higher_but_never_sinks_into_the_bed(built: Built) -> None:
    world = built("parlour", "sheet", 0)
    widths = [np.ptp(world.subject_points(second)[:, 0]) for second in (0.0, 8.0)]
    assert widths[1] == pytest.approx(widths[0] / 3, rel=0.15)
    for second in np.linspace(0, 8, 33):
        assert world.subject_points(second)[:, 2].min() >= BED_M - 1e-6


def test_the_bowl_ends_upside_down_on_the_table_on_the_other_side(built: Built) -> None:
    world = built("workshop", "bowl", 0)
    start, end = world.subject_points(0.0), world.subject_points(8.0)
    assert start[:, 2].min() == pytest.approx(TABLE_M, abs=0.02)
    assert end[:, 2].min() == pytest.approx(TABLE_M, abs=1e-3)
    lip = start[:, 2] > start[:, 2].max() - 0.02
    assert end[lip][:, 2].max() < TABLE_M + 0.05
    assert start[:, 0].max() < 0 < end[:, 0].min()
    assert world.state(8.0)["carried"] == pytest.approx(1.0)
