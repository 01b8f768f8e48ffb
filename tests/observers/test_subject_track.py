"""The subject followed from its box alone, in worlds where it is known what it does."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from lookaway.gates import GATES
from lookaway.geometry.framing import WHOLE
from lookaway.metrics import Case, find
from lookaway.observers.subject_track import NO_BOX, SubjectTrack, steady, subject_track
from lookaway.observers.tracking import following, looking_again
from lookaway.outcomes import Abstain, Gated
from lookaway.readings import track
from lookaway.readings.windows import window
from lookaway.records import Subject
from tests.observers.panorama import BLUE, PLACE, RADIUS_DEG, RED, Disc, away_and_back, filmed, look_at

TURNS = away_and_back()
AWAY = len(TURNS) // 2  # the frame in the middle of the look-away
HERE: Disc = (*PLACE, RED)


def stays(i: int) -> list[Disc]:
    return [HERE]


def vanishes(i: int) -> list[Disc]:
    return [HERE] if i < AWAY else []


def turns_blue(i: int) -> list[Disc]:
    return [HERE] if i < AWAY else [(*PLACE, BLUE)]


def doubles(i: int) -> list[Disc]:
    return [HERE] if i < AWAY else [HERE, (PLACE[0] + 14, PLACE[1] + 4, RED)]


def moves_aside(i: int) -> list[Disc]:
    return [HERE] if i < AWAY else [(PLACE[0] + 9, PLACE[1], RED)]


def rolls(i: int) -> list[Disc]:
    return [(PLACE[0] + 0.1 * i, PLACE[1], RED)]


def is_dragged(i: int) -> list[Disc]:
    return [(PLACE[0] + TURNS[i], PLACE[1], RED)]


STORIES = {f.__name__: f for f in (stays, vanishes, turns_blue, doubles, moves_aside, rolls, is_dragged)}


@cache
def case(story: str) -> Case:
    look = look_at(filmed(TURNS, STORIES[story]))
    seen = subject_track(look)
    assert not isinstance(seen, Abstain), seen.reason
    return Case(look.task, None, {"subject_track": seen.arrays()}, {})


def score(name: str, given: Case) -> Any:
    metric = find(name)
    closed = (GATES.get(gate)(given) for gate in metric.gates)
    return next((c for c in closed if c is not None), None) or metric.function(given)


def in_view() -> np.ndarray:
    """Is the middle of the place in the picture?"""
    return np.abs(np.array(TURNS) - PLACE[0]) < 30


def test_it_is_seen_when_it_is_in_the_picture_and_not_otherwise() -> None:
    seen = case("stays").saw(SubjectTrack)
    edge = np.abs(np.abs(np.array(TURNS) - PLACE[0]) - 30) <= RADIUS_DEG
    assert (seen.visible == in_view())[~edge].all()
    assert score("subject_refound", case("stays")) == 1.0
    held = np.array(TURNS) == 0
    assert seen.share[held] == pytest.approx(1, abs=0.1)


def test_its_direction_is_that_of_the_world_and_not_of_the_picture() -> None:
    seen = case("stays").saw(SubjectTrack)
    whole = seen.visible & ~seen.touches_border
    assert seen.azimuth_deg[whole] == pytest.approx(PLACE[0], abs=0.5)
    assert seen.elevation_deg[whole] == pytest.approx(0.0, abs=0.5)
    assert score("subject_place_shift", case("stays")) < 0.5


def test_phases_are_measured_and_can_be_asked_about() -> None:
    given = case("stays")
    assert [i.phase for i in track.track_phases(given)] == ["visible", "hidden", "returned"]
    ((start_s, end_s),) = window(given, "returned@subject_track")
    assert start_s == pytest.approx(np.flatnonzero(~in_view())[-1] / 16, abs=0.2)
    assert end_s == pytest.approx(len(TURNS) / 16)


def test_what_vanished_while_nobody_looked_is_not_found_again() -> None:
    given = case("vanishes")
    assert score("subject_refound", given) == 0.0
    assert score("subject_replaced", given) == 0.0
    assert isinstance(score("subject_identity", given), Abstain)


def test_another_thing_in_its_place_is_no_return_but_a_replacement() -> None:
    given = case("turns_blue")
    assert score("subject_refound", given) == 0.0
    assert score("subject_replaced", given) == 1.0
    assert score("subject_replaced", case("stays")) == 0.0


def test_a_second_one_is_noticed() -> None:
    assert score("subject_doubled", case("doubles")) > 0.5
    assert score("subject_doubled", case("stays")) == 0.0


def test_a_second_one_in_the_last_round_counts_as_much_as_in_every_round() -> None:
    """Of two look-aways the second brings another one; the first round is as long."""
    given = case("stays")
    seen = given.saw(SubjectTrack)
    count = 60
    visible = np.ones(count, bool)
    visible[10:20] = visible[35:45] = False
    examined = np.concatenate([np.arange(20, 35, 3), np.arange(45, 60, 3)])

    def doubled(another: np.ndarray) -> Any:
        rows = {"seconds": np.arange(count) / 16, "visible": visible, "examined": examined, "another_share": another}
        return track.another_share(replace(given, seen={"subject_track": seen.arrays() | rows}))

    assert doubled((examined > 40).astype(float)) == 1.0
    assert doubled(np.zeros(len(examined))) == 0.0
    assert doubled((np.arange(len(examined)) % 5 == 0).astype(float)) == pytest.approx(0.2)


def test_one_that_goes_along_with_the_camera_is_dragged_and_never_hidden() -> None:
    given = case("is_dragged")
    assert score("subject_dragged", given) >= 0.9
    assert score("subject_dragged", case("stays")) == 0.0
    assert isinstance(score("subject_refound", given), Gated)


def test_a_subject_that_was_put_aside_is_found_there_looking_the_same() -> None:
    given = case("moves_aside")
    assert score("subject_place_shift", given) == pytest.approx(9, abs=0.6)
    (absence,) = track.absences(given)
    assert track.moved_deg(given.saw(SubjectTrack), absence) == pytest.approx((9, 9), abs=0.6)
    assert score("subject_size_change", given) == pytest.approx(1, abs=0.15)
    assert score("subject_shape_change", given) == pytest.approx(1, abs=0.15)
    assert score("subject_colour_change", given) < 3
    assert score("subject_texture_change", given) < 0.3
    assert score("subject_identity", given) > 0.9


def aside_deg(given: Case) -> float:
    (absence,) = track.absences(given)
    return track.aside_deg(given.saw(SubjectTrack), absence)


def test_how_far_it_goes_to_a_side_is_how_far_it_went_or_was_going() -> None:
    assert aside_deg(case("stays")) < 0.5
    assert aside_deg(case("moves_aside")) == pytest.approx(9, abs=0.6)
    (absence,) = track.absences(case("rolls"))
    seen = case("rolls").saw(SubjectTrack)
    frames = np.median(track.whole(seen, absence.after)[: track.PLACED]) - track.whole(seen, absence.before)[-1]
    assert aside_deg(case("rolls")) == pytest.approx(0.1 * frames, rel=0.15)
    waits = seen.arrays() | {
        "azimuth_deg": np.where(seen.seconds > absence.hidden.end_s - 0.01, PLACE[0], seen.azimuth_deg)
    }
    assert aside_deg(replace(case("rolls"), seen={"subject_track": waits})) == pytest.approx(0.1 * frames, rel=0.2)


def test_a_half_covered_sight_does_not_tell_where_it_was_going() -> None:
    given = case("rolls")
    seen, (absence,) = given.saw(SubjectTrack), track.absences(given)
    covered = absence.before[-4:]
    azimuth, share = seen.azimuth_deg.copy(), seen.share.copy()
    azimuth[covered], share[covered] = PLACE[0] - 3, 0.3
    hidden = replace(given, seen={"subject_track": seen.arrays() | {"azimuth_deg": azimuth, "share": share}})
    assert aside_deg(hidden) == pytest.approx(aside_deg(given), rel=0.2)


def test_a_camera_that_never_turns_poses_no_question() -> None:
    look = look_at(filmed([0.0] * 30, stays))
    seen = subject_track(look)
    given = Case(look.task, None, {"subject_track": seen.arrays()}, {})
    assert seen.visible.all()
    for name in ("subject_refound", "subject_dragged", "subject_identity"):
        closed = score(name, given)
        assert isinstance(closed, Gated)
        assert closed.kind == "avoided"


def test_a_camera_that_stays_away_says_nothing_about_the_subject() -> None:
    look = look_at(filmed(TURNS[:AWAY], stays))
    given = Case(look.task, None, {"subject_track": subject_track(look).arrays()}, {})
    closed = score("subject_refound", given)
    assert isinstance(closed, Gated)
    assert "came back into view" in closed.reason


def test_every_look_away_counts() -> None:
    twice = [*TURNS, *TURNS[8:]]
    gone_from = len(TURNS) + AWAY - 8
    look = look_at(filmed(twice, lambda i: [HERE] if i < gone_from else []))
    given = Case(look.task, None, {"subject_track": subject_track(look).arrays()}, {})
    assert [absence.refound for absence in track.absences(given)] == [True, False]
    assert score("subject_refound", given) == 0.5


def test_a_twin_that_is_watched_was_not_meant_to_be_hidden() -> None:
    look = look_at(filmed([0.0] * 12, stays), twin="static")
    given = Case(look.task, None, {"subject_track": subject_track(look).arrays()}, {})
    assert score("subject_refound", given).kind == "no_opportunity"


def test_without_a_box_there_is_no_subject() -> None:
    nobody = Subject(name="the scene", box=WHOLE, side="centre")
    assert subject_track(look_at(filmed([0.0] * 3, stays), subjects=(nobody,))) == Abstain(NO_BOX)


def test_a_subject_that_looks_like_its_room_is_said_to_and_not_called_gone() -> None:
    look = look_at(filmed(TURNS, lambda i: []))
    seen = subject_track(look)
    given = Case(look.task, None, {"subject_track": seen.arrays()}, {})
    assert seen.precision < track.STANDS_OUT
    closed = GATES.get("stands_out")(given)
    assert isinstance(closed, Abstain)
    assert "do not stand out" in closed.reason
    assert not isinstance(score("subject_refound", given), float)
    assert case("stays").saw(SubjectTrack).precision > 0.8


def test_equal_clips_give_equal_bytes() -> None:
    frames = filmed(TURNS[:20], stays)
    first, second = (subject_track(look_at(frames.copy())).arrays() for _ in range(2))
    assert {name: array.tobytes() for name, array in first.items()} == {n: a.tobytes() for n, a in second.items()}


def test_flicker_is_neither_a_sight_nor_a_gap() -> None:
    seen = np.array([1] * 6 + [0] * 2 + [1] * 4 + [0] * 5 + [1] * 2 + [0] * 5 + [1] * 3, bool)
    assert steady(seen, 3).tolist() == [True] * 12 + [False] * 12 + [True] * 3


def test_thresholds_are_where_they_were_set() -> None:
    assert (track.STANDS_OUT, track.AWAY_SHARE, track.NEW_SHARES, track.BACK_FRAMES) == (0.15, 0.03, (0.45, 6.0), 4)
    assert (looking_again.NOVEL, looking_again.YOUNG_S, looking_again.SAME_PICTURE) == (0.35, 0.8, 0.72)
    assert looking_again.FOUND == (0.10, 1.0, 0.52, 0.18)
    assert (following.LEAST_ALIKE, following.SURENESS, following.IN_A_ROW) == (0.35, (0.42, 0.55), 3)
