"""A contact sheet says what the truth says, on a page of fixed width."""

from __future__ import annotations

import numpy as np
import pytest

from lookaway.contact import SheetContent, contact_sheet
from lookaway.contact.content import Ground
from lookaway.contact.curves import LEFT, RIGHT, TOP, PlotArea
from lookaway.contact.moments import moments
from lookaway.contact.paper import PHASE_TINT, SUBJECT, wide, wrapped
from lookaway.contact.pictures import by_size, depth_picture, inside, legend, things_picture
from lookaway.contact.top_view import Map, heading_deg, letter_places, together
from lookaway.geometry.trajectory import yaw_matrix
from lookaway.records import Interval
from lookaway.worlds import View

SECONDS = np.arange(41) / 8
PHASES = (
    Interval(phase="visible", start_s=0, end_s=1.5),
    Interval(phase="hidden", start_s=1.5, end_s=3),
    Interval(phase="returned", start_s=3, end_s=5.125),
)
VISIBLE = np.where((SECONDS < 1.5) | (SECONDS >= 3), 1.0, 0.0)
UPRIGHT = np.array([[1.0, 0, 0, 0], [0, 0, 1, -2.5], [0, -1, 0, 1.3], [0, 0, 0, 1]])


def looking(yaw_deg: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    turned = UPRIGHT.copy()
    turned[:3, :3] = UPRIGHT[:3, :3] @ yaw_matrix(yaw_deg)
    return turned


def content(
    phases: tuple[Interval, ...] = PHASES, **states: np.ndarray[tuple[int, ...], np.dtype[np.float64]]
) -> SheetContent:
    instances = np.zeros((18, 32), np.int16)
    instances[8:16, 4:12] = 1
    shown = moments(SECONDS, VISIBLE if phases == PHASES else np.ones_like(SECONDS), phases)
    cameras = np.stack([looking(60.0 if 1.5 <= second < 3 else 0.0) for second in SECONDS])
    return SheetContent(
        title="room0_ball_left",
        facts=("scene room0",),
        prompt="A ball rolls. " * 30,
        end="the ball lies on the right",
        seconds=SECONDS,
        visible=VISIBLE,
        states=states or {"travelled_m": SECONDS / 2},
        phases=phases,
        shown=shown,
        pictures=[np.full((18, 32, 3), 90, np.uint8)] * len(shown),
        first=View(np.zeros((18, 32, 3), np.uint8), np.full((18, 32), 3.0, np.float32), instances),
        names={0: "room", 1: "ball"},
        subject_ids=[1],
        ground=Ground(60.0, cameras, np.stack([SECONDS / 2, 0 * SECONDS], axis=1), np.array([[1.0, 2.0]])),
    )


def test_a_sheet_is_a_page_of_fixed_width_and_the_same_every_time() -> None:
    first, second = contact_sheet(content()), contact_sheet(content())
    assert first.shape[1] == 1600
    assert np.array_equal(first, second)
    assert (first[:20] == 255).all(), "a white margin"


def test_the_frames_shown_are_the_ones_around_the_hidden_phase() -> None:
    shown = moments(SECONDS, VISIBLE, PHASES)
    assert [(m.letter, m.name, m.phase) for m in shown] == [
        ("A", "first frame", "visible"),
        ("B", "last visible", "visible"),
        ("C", "hidden", "hidden"),
        ("D", "returned", "returned"),
        ("E", "end", "returned"),
    ]
    assert [SECONDS[m.frame] for m in shown] == [0, 1.375, 2.25, 3.0, 5.0]


def test_a_sliver_at_the_edge_is_not_the_last_view_of_the_subject() -> None:
    sliver = VISIBLE.copy()
    sliver[11] = 0.1
    assert moments(SECONDS, sliver, PHASES)[1].frame == 10


def test_each_round_has_frames_of_its_own() -> None:
    again = (
        *PHASES[:2],
        Interval(phase="returned", start_s=3, end_s=4),
        Interval(phase="hidden", start_s=4, end_s=4.5),
    )
    again = (*again, Interval(phase="returned", start_s=4.5, end_s=5.125))
    names = [moment.name for moment in moments(SECONDS, VISIBLE, again)]
    assert names.count("hidden") == names.count("returned") == names.count("last visible") == 2


def test_a_clip_that_hides_nothing_is_shown_evenly() -> None:
    shown = moments(SECONDS, np.ones_like(SECONDS), (Interval(phase="visible", start_s=0, end_s=5.125),))
    assert [moment.frame for moment in shown] == [0, 10, 20, 30, 40]
    assert contact_sheet(content((Interval(phase="visible", start_s=0, end_s=5.125),))).shape[1] == 1600


def test_a_subject_that_never_returns_still_has_a_sheet() -> None:
    gone = (PHASES[0], Interval(phase="hidden", start_s=1.5, end_s=5.125))
    assert [m.name for m in moments(SECONDS, VISIBLE * (SECONDS < 1.5), gone)][-1] == "end"
    assert moments(SECONDS, 0 * VISIBLE, ())[0].phase == "unseen"


@pytest.mark.parametrize("constant", [0.0, -3.0, 1e9])
def test_a_state_that_never_changes_is_a_level_line(constant: float) -> None:
    values = np.full(41, constant)
    rows = PlotArea(SECONDS, values, 700).rows(values)
    assert np.ptp(rows) == 0
    assert contact_sheet(content(level=values)).shape[1] == 1600


def test_curves_lie_inside_their_chart_and_rise_upwards() -> None:
    frame = PlotArea(SECONDS, SECONDS, 700)
    rows, columns = frame.rows(SECONDS), frame.columns(SECONDS)
    assert (np.diff(rows) < 0).all()
    assert rows.min() > TOP
    assert (columns[0], columns[-1]) == (LEFT, 700 - RIGHT)


def test_noise_around_zero_reads_as_zero() -> None:
    frame = PlotArea(SECONDS, SECONDS, 700)
    assert frame.said(1e-13) == "0"
    assert frame.said(0.25) == "0.25"


def test_phases_are_shades_behind_the_curves() -> None:
    page = contact_sheet(content())
    for tint in PHASE_TINT.values():
        assert (page == tint).all(axis=2).sum() > 2000


def test_near_is_brighter_than_far() -> None:
    depth = np.tile(np.linspace(1, 9, 64, dtype=np.float32), (36, 1))
    seen = np.asarray(depth_picture(depth, (64, 36)).convert("L"))[:36].astype(int)
    assert (np.diff(seen.mean(axis=0)) <= 0).all()
    assert seen[:, 0].mean() > seen[:, -1].mean() + 100


def test_the_subject_has_the_one_strong_colour_and_a_single_name() -> None:
    instances = np.zeros((36, 64), np.int16)
    instances[10:20, 10:20], instances[10:20, 20:30], instances[0:6, 40:60] = 7, 8, 3
    image = things_picture(instances, {0: "room", 3: "shelf", 7: "cart", 8: "wheel"}, [7, 8], (64, 36))
    seen = np.asarray(image)[:36]
    assert (seen[12, 28] == SUBJECT).all()
    assert (seen[2, 45] != SUBJECT).any()
    assert by_size(instances, 7) == [7, 0, 3, 8], "the subject first, then by size"


def test_a_number_stands_inside_its_thing() -> None:
    ring = np.zeros((30, 30), bool)
    ring[5:25, 5:9] = True
    assert ring[inside(ring)]
    assert inside(np.ones((9, 9), bool)) == (4, 4)


def test_text_is_broken_before_it_leaves_its_column() -> None:
    lines = wrapped("the quick brown fox jumps over the lazy dog " * 5, 19, 300)
    assert len(lines) > 3
    assert all(wide(line, 19) <= 300 for line in lines)
    names = [(f"{number} a thing with a name", SUBJECT) for number in range(9)]
    assert legend(names, 300).height > legend(names[:1], 300).height


def test_the_map_turns_as_the_camera_turns() -> None:
    assert heading_deg(looking(0)) == pytest.approx(90)
    assert heading_deg(looking(30)) == pytest.approx(60), "to the right is clockwise from above"
    told = content()
    assert [letters for _, letters in together(told.ground, told.shown)] == ["A B D E", "C"]


def test_letters_of_nearby_views_do_not_lie_on_each_other() -> None:
    drawn = Map(np.array([-3.0, -3.0]), np.array([3.0, 3.0]), (492, 345))
    places = [at for at, _ in letter_places(drawn, [(looking(yaw), "A B") for yaw in (0, 3, 6, 9)])]
    for number, (x, y) in enumerate(places):
        assert all(abs(x - other_x) > 20 or abs(y - other_y) > 14 for other_x, other_y in places[:number])
