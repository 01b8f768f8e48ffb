"""What is done to a clip is what its relation says, and grades say whether the numbers followed."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from lookaway.calibration.own_clips.grades import Numbers, order
from lookaway.calibration.own_clips.known import known_world
from lookaway.calibration.own_clips.painting import Painter
from lookaway.calibration.own_clips.relations import (
    GOES,
    NO_OTHER,
    NO_ROOM,
    NOT_SHOWN,
    RELATIONS,
    SHIFT,
    STILL,
    Prediction,
    Relation,
)
from lookaway.calibration.own_clips.seen_clip import NEVER_BACK, SeenClip, camera_away
from lookaway.calibration.own_clips.walk import BROUGHT, chosen_relations
from lookaway.errors import UnknownName, UsageError
from lookaway.geometry.trajectory import yaw_matrix
from lookaway.metrics import METRICS, find
from lookaway.observers.subject_track import NO_BOX
from lookaway.observers.view import HomeView
from lookaway.protocols import load
from lookaway.worlds.reference import REFERENCE
from tests.calibration.changed_clips import a_clip, another_clip, frames
from tests.command import call

EVERY = pytest.mark.parametrize("relation", RELATIONS.values(), ids=list(RELATIONS))
PAINTED = ("vanished", "recoloured", "shifted")


def made(name: str, clip: SeenClip | None = None) -> np.ndarray:
    return np.stack(list(RELATIONS[name].frames(clip or a_clip(), another_clip())))


def reds(rgb: np.ndarray) -> np.ndarray:
    return (rgb[..., 0].astype(int) - rgb[..., 1] > 90) & (rgb[..., 2] < 110)


# ---------------------------------------------------------------- what is promised of every relation


@EVERY
def test_a_relation_names_metrics_of_the_protocol(relation: Relation) -> None:
    known = {ref.name for ref in load("real").metrics}
    assert {name for expected in relation.expects for name in expected.metrics} <= known
    assert relation.expects


@EVERY
def test_a_fault_says_what_gets_worse_and_a_harmless_change_nothing(relation: Relation) -> None:
    worse = any(expected.direction == "worse" for expected in relation.expects)
    assert worse == (relation.kind == "fault" and relation.name != "reversed")


@EVERY
def test_the_known_world_has_the_fault_that_a_relation_stands_for(relation: Relation) -> None:
    assert not relation.known_as or relation.known_as in {*REFERENCE.names(), "run-back"}


@EVERY
def test_a_relation_makes_pictures_of_the_clips_size_and_leaves_it_as_it_was(relation: Relation) -> None:
    clip, before = a_clip(), a_clip().rgb[::9].copy()
    rgb = made(relation.name)
    assert rgb.dtype == np.uint8
    assert rgb.shape[1:] == clip.rgb.shape[1:]
    assert np.array_equal(clip.rgb[::9], before)


@EVERY
def test_until_the_turning_point_nothing_is_changed_where_the_start_is_the_same(relation: Relation) -> None:
    if relation.same_start and relation.kind == "fault":
        turn = a_clip().looks_away.turn
        rgb = made(relation.name)
        assert len(rgb) == len(a_clip())
        assert np.array_equal(rgb[:turn], a_clip().rgb[:turn])
        assert not np.array_equal(rgb[turn:], a_clip().rgb[turn:])


# ---------------------------------------------------------------- to which clips it applies


def test_a_clip_that_never_looks_away_says_so_and_is_only_changed_as_a_whole() -> None:
    still = replace(a_clip(), away=None, why_not_away="it stays")
    whole = {name for name, relation in RELATIONS.items() if not relation.why_not(still, a_clip())}
    assert whole == {"re-encoded", "mirrored", "retimed", "reversed"}
    assert RELATIONS["undone"].why_not(still, a_clip()) == "it stays"


def test_without_a_box_the_subject_is_left_alone() -> None:
    unnamed = replace(a_clip(), box=None, why_no_subject=NO_BOX)
    assert {name for name, relation in RELATIONS.items() if relation.why_not(unnamed, a_clip())} == set(PAINTED)


def test_the_only_clip_cannot_forget() -> None:
    assert RELATIONS["forgot"].why_not(a_clip(), None) == NO_OTHER
    assert RELATIONS["vanished"].why_not(a_clip(), None) == ""


def test_a_subject_as_wide_as_the_picture_cannot_be_moved_aside() -> None:
    clip = a_clip()
    masks = clip.masks.copy()
    masks[clip.looks_away.end + 12 :, 60:120, 40:280] = True
    assert RELATIONS["shifted"].why_not(replace(clip, masks=masks), None) == NO_ROOM


def test_who_goes_somewhere_is_not_moved_aside() -> None:
    moved_deg = SHIFT * a_clip().hfov_deg
    goers = [replace(a_clip(), goes_deg=share * STILL * moved_deg) for share in (0.9, 1.1)]
    assert [RELATIONS["shifted"].why_not(each, None) for each in goers] == ["", GOES]


def test_one_that_is_moved_aside_is_farther_from_its_way_than_before() -> None:
    """However it went by itself: at most so far to either side, and on to either side, before it is moved."""
    most = 0.99 * np.array([-STILL, 0.0, STILL])
    for went, going, side in product(most, most, (-1.0, 1.0)):
        way = np.linspace(0, going, 50)
        assert np.abs(went + side - way).min() > np.abs(went - way).min()


def test_what_nobody_has_ever_seen_is_not_painted() -> None:
    clip = a_clip()
    masks = np.zeros_like(clip.masks)
    masks[:, 20:160, 100:260] = True
    everywhere = replace(clip, masks=masks, trusted=np.zeros(len(clip), bool))
    assert RELATIONS["vanished"].why_not(everywhere, None) == NOT_SHOWN


def view_of(yaws: list[float]) -> HomeView:
    count = len(yaws)
    flat = {name: np.zeros(count) for name in ("overlap", "home_in_view", "confidence")}
    wide = {name: np.zeros((count, 2)) for name in ("overlap_bounds", "home_bounds", "half_width_deg")}
    turns = np.stack([yaw_matrix(yaw) for yaw in yaws])
    return HomeView(seconds=np.arange(count) / 8, rotation=turns, trusted=np.ones(count, bool), **flat, **wide)


def test_the_camera_tells_a_look_away_where_no_subject_does() -> None:
    assert camera_away(view_of([0, 20, 40, 60, 60, 40, 20, 0])) == (2, 3, 6)
    assert camera_away(view_of([0, 20, 40, 60])) == NEVER_BACK
    assert "never turned" in str(camera_away(view_of([0, 5, 0])))


# ---------------------------------------------------------------- what is done


def test_the_vanished_subject_leaves_the_room_behind_it() -> None:
    turn, rgb = a_clip().looks_away.turn, made("vanished")
    assert not reds(rgb[turn:]).any()
    assert reds(a_clip().rgb[-1]).any()
    off = np.abs(rgb[turn:].astype(int) - frames(empty=True)[turn:]).mean((1, 2, 3))
    assert off.max() < 3  # two levels of noise, and what is interpolated


def test_what_no_frame_shows_is_filled_from_around() -> None:
    clip = a_clip()
    blind = replace(clip, trusted=np.zeros(len(clip), bool))
    assert not reds(Painter(blind).gone(len(clip) - 1)).any()


def test_the_shifted_subject_is_a_quarter_of_the_picture_aside() -> None:
    before, after = (np.nonzero(reds(rgb))[1].mean() for rgb in (a_clip().rgb[-1], made("shifted")[-1]))
    assert abs(after - before) == pytest.approx(SHIFT * 320, abs=3)


def test_the_recoloured_subject_is_there_and_not_red() -> None:
    mask = a_clip().masks[-1]
    last, own = made("recoloured")[-1].astype(int), a_clip().rgb[-1].astype(int)
    assert not reds(last[None]).any()
    assert np.abs(last - own)[mask].mean() > 40
    assert np.abs(last - own)[~mask].mean() < 1


def test_a_subject_without_colour_gets_one() -> None:
    clip = a_clip()
    grey = np.where(clip.masks[..., None], np.uint8(25), clip.rgb)
    mask, last = clip.masks[-1], made("recoloured", replace(clip, rgb=grey))[-1].astype(int)
    assert (last.max(2) - last.min(2))[mask].mean() > 40
    assert np.abs(last - grey[-1])[~mask].mean() < 1


def test_the_undone_return_shows_the_frames_of_before() -> None:
    clip, rgb = a_clip(), made("undone")
    assert np.array_equal(rgb[-1], clip.rgb[0])
    early = clip.rgb[: clip.looks_away.turn + 1, ::8, ::8].astype(int)
    shown = [int(np.abs(early - frame[::8, ::8]).mean((1, 2, 3)).argmin()) for frame in rgb[clip.looks_away.turn :]]
    assert (np.diff(shown) <= 0).all()


def test_the_forgotten_return_is_the_other_clips() -> None:
    end = a_clip().looks_away.end
    assert np.array_equal(made("forgot")[end:], another_clip().rgb[end:])
    assert np.array_equal(made("forgot")[:end], a_clip().rgb[:end])


def test_a_mirror_of_a_mirror_is_the_clip_and_the_box_goes_along() -> None:
    clip = a_clip()
    box = RELATIONS["mirrored"].box(clip)
    again = replace(clip, rgb=made("mirrored"), box=box)
    assert np.array_equal(made("mirrored", again), clip.rgb)
    assert RELATIONS["mirrored"].box(again) == pytest.approx(clip.box)
    assert box is not None
    red = np.nonzero(reds(made("mirrored")[0]))[1] / 320
    assert box[0] < red.min()
    assert red.max() < box[2]


def test_backwards_begins_where_the_subject_is_and_knows_its_box() -> None:
    clip = a_clip()
    masks = clip.masks.copy()
    masks[-3:] = False
    cut = replace(clip, masks=masks)
    assert np.array_equal(made("reversed", cut), clip.rgb[-4::-1])
    left, _, right, _ = RELATIONS["reversed"].box(cut) or (0, 0, 0, 0)
    columns = np.nonzero(clip.masks[-4])[1] / 320
    assert left == pytest.approx(columns.min())
    assert right == pytest.approx(columns.max(), abs=0.01)


def test_the_repeated_return_jumps_nowhere() -> None:
    own, again = (np.abs(np.diff(rgb[:, ::4, ::4].astype(int), axis=0)) for rgb in (a_clip().rgb, made("repeated")))
    assert again.mean((1, 2, 3)).max() <= own.mean((1, 2, 3)).max()


# ---------------------------------------------------------------- what is said of the numbers


def held(before: list[float | None], after: list[float | None], expected: Prediction) -> tuple[int, int]:
    name, relation = expected.metrics[0], RELATIONS["vanished"]
    numbers: Numbers = {
        (BROUGHT, name): {str(k): value for k, value in enumerate(before)},
        (relation.name, name): {str(k): value for k, value in enumerate(after)},
    }
    found = order(numbers, relation, expected)
    return found.held, found.n


def test_worse_is_worse_on_the_metrics_own_scale() -> None:
    higher, lower = Prediction(("subject_refound",), "worse"), Prediction(("cut_count",), "worse")
    assert held([1.0, 1.0, 1.0], [0.0, 1.0, 0.5], higher) == (2, 3)
    assert held([0.0, 0.0], [1.0, 0.0], lower) == (1, 2)


def test_what_is_at_its_worst_cannot_get_worse() -> None:
    assert held([1.0, 0.0], [1.0, 1.0], Prediction(("time_undone",), "worse")) == (1, 1)


def test_a_number_stays_within_the_metrics_margin() -> None:
    margin = find("place_likeness").margin
    near, far = 0.9 - 0.9 * margin, 0.9 - 1.1 * margin
    assert held([0.9, 0.9], [near, far], Prediction(("place_likeness",), "stays")) == (1, 2)


def test_what_may_get_better_must_only_get_no_worse() -> None:
    margin = find("place_likeness").margin
    values: list[float | None] = [0.6, 0.99, 0.9 - 0.9 * margin, 0.9 - 1.1 * margin, None]
    assert held([0.9] * 5, values, Prediction(("place_likeness",), "no worse")) == (2, 5)
    assert held([0.6], [0.9], Prediction(("place_likeness",), "no worse")) == (1, 1)
    assert held([0.6], [0.9], Prediction(("place_likeness",), "stays")) == (0, 1)


def test_silence_afterwards_does_not_follow_and_silence_before_does_not_count() -> None:
    for direction in ("worse", "stays"):
        assert held([1.0, None], [None, 1.0], Prediction(("subject_refound",), direction)) == (0, 1)


def test_one_of_several_metrics_is_enough() -> None:
    both = Prediction(("subject_refound", "subject_colour_change"), "worse")
    names = both.metrics
    numbers: Numbers = {
        (BROUGHT, names[0]): {"a": 1.0, "b": 1.0},
        (BROUGHT, names[1]): {"a": 1.0, "b": 1.0},
        ("recoloured", names[0]): {"a": 1.0, "b": 1.0},
        ("recoloured", names[1]): {"a": 9.0, "b": 1.0},
    }
    found = order(numbers, RELATIONS["recoloured"], both)
    assert (found.held, found.n) == (1, 2)


# ---------------------------------------------------------------- asking for it


def test_an_unknown_relation_is_named() -> None:
    with pytest.raises(UnknownName, match="did you mean vanished"):
        chosen_relations(["vanish"])
    assert [each.name for each in chosen_relations(["undone"])] == ["undone"]


def test_the_known_worlds_table_comes_along() -> None:
    rows = known_world(None).rows
    assert {row.fault for row in rows} >= {"other-room", "vanished", "wrong-colour"}
    assert all(f"{row.metric}:{row.variant}" in METRICS.all() for row in rows)


def test_a_place_without_a_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--protocols real"):
        known_world(tmp_path)
    (tmp_path / "detection.json").write_text("{}")
    with pytest.raises(UsageError, match="not a detection table"):
        known_world(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ([], "either --world"),
        (["--clips", ".", "--world", "diorama-mini"], "either --world"),
        (["--clips", "nowhere"], "neither a video"),
        (["--clips", "empty"], "holds no video"),
        (["--clips", "empty", "--per-fault", "3"], "--per-fault goes with --world"),
        (["--world", "diorama-mini", "--box", "0,0,1,1"], "--box goes with --clips"),
        (["--clips", "some", "--box", "b=0,0,1,1"], "no video to have a box named 'b'"),
        (["--clips", "some", "--box", "0,0,1"], "left,top,right,bottom"),
        (["--clips", "some", "--known", "empty"], "detection.json"),
    ],
)
def test_a_wrong_request_exits_with_two_and_writes_nothing(arguments: list[str], hint: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "a.mp4").touch()
    done = call("calibrate", *arguments, "--out", "cal", cwd=tmp_path)
    assert hint in done.stderr
    assert done.returncode == 2
    assert not (tmp_path / "cal").exists()
