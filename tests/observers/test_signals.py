"""What happens to a film without truth: cut, jump, slow replacement, cover, time undone; and places shown twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lookaway.gates import GATES
from lookaway.metrics import METRICS, Case
from lookaway.observers import Look
from lookaway.observers.following import Follow, follow
from lookaway.observers.likeness import small_grey
from lookaway.observers.same_place import SamePlace, same_place
from lookaway.observers.signals import Signals, cuts, signals
from lookaway.outcomes import Abstain, Gated, NotApplicable
from lookaway.readings.film import is_still, is_undone, place_word, slowly_replaced
from tests.observers import panorama
from tests.observers.panorama import PLACE, RED, away_and_back, filmed, look_at

Frames = np.ndarray[Any, np.dtype[np.uint8]]


def rolling(i: int) -> list[panorama.Disc]:
    return [(PLACE[0] + 0.25 * i, PLACE[1], RED)]


@pytest.fixture(scope="module")
def out_and_back() -> Frames:
    return filmed(away_and_back(), rolling)


@pytest.fixture(scope="module")
def other_room() -> Frames:
    """The same camera elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(panorama, "ROOM", panorama.ROOM[::-1, ::-1].copy())
        return filmed(away_and_back(), rolling)


def seen_in(frames: Frames) -> Signals:
    seen = signals(look_at(frames))
    assert isinstance(seen, Signals)
    return seen


def places_in(frames: Frames) -> SamePlace:
    seen = same_place(look_at(frames))
    assert isinstance(seen, SamePlace)
    return seen


def case_of(look: Look, **seen: Any) -> Case:
    return Case(look.task, None, {name: each.arrays() for name, each in seen.items()}, {})


def test_a_true_film_has_no_signal(out_and_back: Frames) -> None:
    seen = seen_in(out_and_back)
    assert not seen.cut.any()
    assert not seen.jump.any()
    assert not seen.covered.any()
    assert not slowly_replaced(seen).any()
    assert is_undone(seen) is False, "the disc rolls on"
    assert not is_still(seen)


def test_a_cut_is_found_at_its_frame(out_and_back: Frames, other_room: Frames) -> None:
    seen = seen_in(np.concatenate([out_and_back[:30], other_room[30:]]))
    assert np.flatnonzero(seen.cut).tolist() == [30]


def test_a_step_whose_turn_was_misread_is_no_cut(out_and_back: Frames, other_room: Frames) -> None:
    """Hardly a corner follows, and the turn that the few suggest leads elsewhere; the pictures themselves are alike."""
    aside = np.array([[np.cos(0.5), 0, np.sin(0.5)], [0, 1, 0], [-np.sin(0.5), 0, np.cos(0.5)]])
    for room, cut in ((out_and_back, False), (other_room, True)):
        film = np.concatenate([out_and_back[:2], room[2:4]])
        found = follow(look_at(film))
        assert isinstance(found, Follow)
        turned = np.stack([np.eye(3), np.eye(3), aside, aside])
        lost = replace(
            found, agreeing=np.array([1.0, 1.0, 0.1, 1.0]), own_rotations=turned, stretch=np.zeros(4, np.int64)
        )
        marks = cuts(lost, [small_grey(rgb) for rgb in film], np.zeros(4, bool))
        assert marks.tolist() == [False, False, cut, False]


@pytest.mark.parametrize("per_step", [2, 4])
def test_a_fast_pan_is_no_cut(per_step: int) -> None:
    yaws = [*np.zeros(6), *np.arange(0, 60, 2.5 * per_step), *np.arange(60, 0, -2.5 * per_step), *np.zeros(6)]
    assert not seen_in(filmed(yaws, rolling)).cut.any()


def test_a_jump_within_the_room_is_told_from_a_cut() -> None:
    seen = seen_in(filmed([*np.zeros(12), *np.full(12, 18.0)], rolling))
    assert np.flatnonzero(seen.jump).tolist() == [12]
    assert not seen.cut.any()


def test_a_fade_is_no_cut_and_a_slow_replacement() -> None:
    still, other = filmed(np.zeros(64).tolist(), rolling), filmed(np.full(64, 140.0).tolist(), rolling)
    share = np.clip((np.arange(64) - 16) / 32, 0, 1)[:, None, None, None]
    seen = seen_in((still * (1 - share) + other * share).astype(np.uint8))
    assert not seen.cut.any()
    assert slowly_replaced(seen).any()


@pytest.mark.parametrize("kind", ["black", "haze"])
def test_a_cover_is_found_and_is_no_cut(out_and_back: Frames, kind: str) -> None:
    covered = out_and_back.copy()
    covered[20:40] = 0 if kind == "black" else (0.15 * covered[20:40] + 0.85 * 200).astype(np.uint8)
    seen = seen_in(covered)
    assert np.flatnonzero(seen.covered).tolist() == list(range(20, 40))
    assert not seen.cut.any()


def test_a_film_run_back_is_undone(out_and_back: Frames) -> None:
    half = out_and_back[: len(out_and_back) // 2]
    assert is_undone(seen_in(np.concatenate([half, half[::-1]]))) is True


def test_a_still_picture_is_named_and_has_no_direction(out_and_back: Frames) -> None:
    seen = seen_in(np.repeat(out_and_back[:1], 32, axis=0))
    assert is_still(seen)
    assert isinstance(is_undone(seen), Abstain)


def test_a_place_that_comes_back_is_the_same_and_another_is_not(out_and_back: Frames, other_room: Frames) -> None:
    same = places_in(out_and_back)
    assert {place_word(t, a) for t, a in zip(same.tied, same.likeness, strict=True)} == {"the same"}
    forgot = places_in(np.concatenate([out_and_back[:31], other_room[31:]]))
    assert all(tied < 0.05 for tied in forgot.tied)


@pytest.mark.parametrize(
    ("tied", "likeness", "word"),
    [
        (0.05, 0.85, "the same"),
        (0.05, 0.84, "the same, much changed"),
        (0.04, 0.57, "changed or made up anew"),
        (0.04, 0.56, "another"),
        (0.3, float("nan"), "too plain to tell"),
    ],
)
def test_words_for_a_place_are_pinned(tied: float, likeness: float, word: str) -> None:
    assert place_word(tied, likeness) == word


def test_a_camera_that_never_turns_away_or_back_is_gated() -> None:
    held = look_at(filmed([0.0] * 20, rolling))
    gone = look_at(filmed(np.linspace(0, 60, 40).tolist(), rolling))
    for look, words in ((held, "never turned 15 degrees"), (gone, "shows no view twice")):
        seen = same_place(look)
        assert isinstance(seen, SamePlace)
        closed = GATES.get("shown_twice")(case_of(look, same_place=seen))
        assert isinstance(closed, Gated)
        assert words in closed.reason


def dark_between(start: int, end: int, before: Frames, after: Frames) -> Frames:
    film = np.concatenate([before[:start], after[start:]])
    film[start:end] = 3
    return film


def test_a_place_is_compared_before_and_after_the_dark() -> None:
    held = filmed(np.zeros(48), rolling)
    same, other = (places_in(dark_between(16, 30, held, after)) for after in (held, held[:, :, ::-1]))
    assert len(same.tied) == len(other.tied) == 3
    assert np.allclose(same.seconds_out, same.seconds[13])
    assert (same.seconds_back > same.seconds[30]).all()
    assert {place_word(t, a) for t, a in zip(same.tied, same.likeness, strict=True)} == {"the same"}
    assert {place_word(t, a) for t, a in zip(other.tied, other.likeness, strict=True)} == {"another"}
    assert GATES.get("shown_twice").function(case_of(look_at(held), same_place=same)) is None


def test_a_flicker_and_a_turn_in_the_dark_show_no_place_twice() -> None:
    held = filmed(np.zeros(48), rolling)
    assert not len(places_in(dark_between(16, 18, held, held)).tied)
    turned = filmed([*np.zeros(24), *np.full(24, 14.0)], rolling)
    assert not len(places_in(dark_between(16, 30, held, turned)).tied)
    assert not len(places_in(dark_between(30, 48, held, held)).tied), "nothing is seen after"


def test_equal_films_give_equal_bytes(out_and_back: Frames) -> None:
    one, other = (seen_in(out_and_back.copy()).arrays() for _ in range(2))
    assert all(np.array_equal(one[name], other[name], equal_nan=one[name].dtype.kind == "f") for name in one)


def test_metrics_read_the_signals(out_and_back: Frames, other_room: Frames) -> None:
    frames = np.concatenate([out_and_back[:30], other_room[30:]])
    look = look_at(frames)
    case = case_of(look, signals=seen_in(frames), same_place=places_in(out_and_back))
    values = {
        name: METRICS.get(f"{name}:sound").function(case)
        for name in ("cut_count", "jump_count", "covered_share", "time_undone", "still_picture", "place_likeness")
    }
    assert values.pop("place_likeness") == pytest.approx(1, abs=0.05)
    assert values == {"cut_count": 1, "jump_count": 0, "covered_share": 0, "time_undone": 0, "still_picture": 0}


def test_nothing_is_undone_where_a_task_says_that_nothing_happens(out_and_back: Frames) -> None:
    half = out_and_back[: len(out_and_back) // 2]
    run_back = np.concatenate([half, half[::-1]])
    look, seen = look_at(run_back), seen_in(run_back)
    moving, still = (
        case_of(
            replace(look, task=look.task.model_copy(update={"moves": moves, "changes_in_place": False})), signals=seen
        )
        for moves in (True, False)
    )
    time_undone = METRICS.get("time_undone:sound").function
    assert time_undone(moving) == 1
    assert isinstance(time_undone(still), NotApplicable)
