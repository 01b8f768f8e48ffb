"""Did the object come back: the published number, what is wrong with it, and the corrected one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lookaway.gates import GATES
from lookaway.geometry.phase_frames import Keyframes, mapped_phases
from lookaway.geometry.trajectory import yaw_matrix
from lookaway.metrics import Case, Outcome, find
from lookaway.metrics.object_reappearance_settings import COVERS, PROMPTS
from lookaway.observers.subject_track import subject_track
from lookaway.observers.text_masks import LOOKED_AT, TextMasks, TextMasksThe, frames_to_look_at
from lookaway.outcomes import Abstain, Gated, Measured, NotApplicable
from lookaway.readings.text_masks import FLOOR
from lookaway.truth import Truth
from tests.metrics.text_mask_cases import BACK, FRAMES, GONE, SIZE, text_case
from tests.observers.panorama import FPS, HFOV_DEG, PLACE, RADIUS_DEG, RED, Disc, away_and_back, filmed, look_at
from tests.observers.true_phases import with_phases

KEYS = Keyframes(GONE, BACK, FRAMES)


def outcome(variant: str, case: Case) -> Outcome | Gated:
    """Whatever closes the gates, or what the metric says."""
    metric = find(f"object_reappearance:{variant}")
    closed = [verdict for gate in metric.gates if (verdict := GATES.get(gate)(case)) is not None]
    return closed[0] if closed else metric.function(case)


def test_the_published_number_is_the_mean_confidence_over_every_frame_of_the_return() -> None:
    assert outcome("paper", text_case(after=(0.8, SIZE))) == pytest.approx(0.8)
    case = text_case(after=(0.8, SIZE))
    arrays = {name: values.copy() for name, values in case.seen["text_masks"].items()}
    arrays["confidence"][arrays["frames"] >= 20] = 0
    half = replace(case, seen={"text_masks": arrays})
    assert outcome("paper", half) == pytest.approx(0.4), "found in 4 of 8 frames"


def test_a_mask_of_nearly_the_whole_picture_counts_only_where_there_is_no_other() -> None:
    assert outcome("paper", text_case(after=(0.8, 0.6))) == pytest.approx(0.8), "fallback"
    assert outcome("cover_0.05_50", text_case(after=(0.8, 0.6))) == 0, "a sweep has no fallback"
    assert outcome("paper", text_case(after=(0.8, 0.6), beside=(0.3, SIZE))) == pytest.approx(0.3)
    assert outcome("paper", text_case(after=(0.8, 0.75))) == 0
    assert outcome("paper", text_case(after=(0.8, 0.0004))) == 0


def test_the_release_begins_the_return_elsewhere() -> None:
    """A clip of 7 frames of 24: frame 4 is returned by the release's rule and hidden by the paper's."""
    rules = [mapped_phases(7, KEYS, rule).returned for rule in ("paper", "released")]
    assert [frames.tolist() for frames in rules] == [[5, 6], [4, 5, 6]]
    looked = frames_to_look_at(7, KEYS)
    shape = (len(looked), 1)
    seen = TextMasks(
        frames=looked,
        seconds=looked / FPS,
        clip_frames=7,
        confidence=np.where(looked == 4, 0.9, 0.3).reshape(shape).astype(np.float32),
        coverage=np.full(shape, SIZE, np.float32),
        boxes=np.zeros((*shape, 4), np.float32),
        left_out=np.zeros(len(looked), np.float32),
    )
    case = replace(text_case(), seen={"text_masks": seen.arrays()})
    assert outcome("paper", case) == pytest.approx(0.3)
    assert outcome("released", case) == pytest.approx(0.5)


def test_masks_that_were_not_kept_are_bounds_and_not_ignored() -> None:
    sure = outcome("paper", text_case(after=(0.8, SIZE), left_out=0.1))
    assert isinstance(sure, float), "whatever was left out was less sure"
    unsure = outcome("cover_0.2_50", text_case(after=(0.8, 0.001), left_out=0.1))
    assert isinstance(unsure, Measured)
    assert (unsure.value, unsure.low) == (0, 0)
    assert unsure.high == pytest.approx(0.1)


# ---------------------------------------------------------------- what the published number rewards


def test_a_still_camera_scores_best_as_published_and_gets_no_number_from_ours() -> None:
    still = text_case(away=(0.9, SIZE))
    assert outcome("paper", still) == pytest.approx(0.9)
    gated = outcome("sound", still)
    assert isinstance(gated, Gated)
    assert gated.kind == "avoided"
    assert "still found in 100% of the frames" in gated.reason


def test_something_that_is_hardly_the_target_scores_as_published_and_not_with_a_floor() -> None:
    """What is found in every picture, at a confidence of a little below the floor."""
    faint = text_case(after=(FLOOR - 0.01, SIZE))
    assert outcome("paper", faint) == pytest.approx(FLOOR - 0.01)
    assert outcome("sound", faint) == 0
    assert outcome("sound", text_case(after=(FLOOR + 0.01, SIZE))) == pytest.approx((FLOOR + 0.01) / 0.9)
    assert FLOOR == 0.5, "from which on the publishers of SAM 3 call a mask a detection"


def test_a_thing_of_another_size_is_not_the_target() -> None:
    """Twice as near or far is four times the area, and still it."""
    for factor, counts in ((2**2 * 0.95, True), (2**2 * 1.05, False)):
        for size in (SIZE * factor, SIZE / factor):
            found = outcome("sound", text_case(after=(0.9, size)))
            assert found == pytest.approx(1.0 if counts else 0.0)
    assert outcome("paper", text_case(after=(0.9, SIZE * 10))) == pytest.approx(0.9)


def test_who_is_found_as_surely_as_at_first_is_back_whole() -> None:
    assert outcome("sound", text_case(before=(0.6, SIZE), after=(0.6, SIZE))) == pytest.approx(1.0)
    assert outcome("sound", text_case(before=(0.6, SIZE), after=(0.9, SIZE))) == 1.0
    assert outcome("sound", text_case(after=(0.0, 0.0))) == 0.0


def test_a_target_that_is_not_found_while_in_view_says_nothing_of_its_return() -> None:
    unseen = outcome("sound", text_case(before=(0.2, SIZE)))
    assert isinstance(unseen, Abstain)
    assert "cannot be found by its name" in unseen.reason


# ---------------------------------------------------------------- settings and strata


@pytest.mark.parametrize(("low", "high"), COVERS)
def test_every_range_of_the_sweep_is_read_from_one_look(low: float, high: float) -> None:
    variant = f"cover_{low:g}_{high:g}"
    for share, counts in ((low * 1.01, True), (low * 0.99, False), (high * 0.99, True), (high * 1.01, False)):
        case = text_case(after=(0.7, share / 100))
        assert outcome(variant, case) == pytest.approx(0.7 if counts else 0.0)


def test_other_words_are_another_instrument_and_read_alone() -> None:
    assert outcome("prompt_the", text_case(after=(0.4, SIZE), kind=TextMasksThe)) == pytest.approx(0.4)
    assert find("object_reappearance:prompt_the").needs == ("text_masks_the",)
    assert {kind.observer for kind in PROMPTS.values()} == {
        f"text_masks_{form}" for form in ("the", "detect", "photo", "first_word")
    }


def with_truth(case: Case, area: float = 0.0, turn_deg: float = 0.0) -> Case:
    """The same beside a true clip whose subject covers that share when it is back, under a camera turned by so much."""
    truth = with_phases(FRAMES, FPS, GONE, BACK)
    masks = np.zeros((FRAMES, 10, 100), bool)
    masks.reshape(FRAMES, -1)[BACK:, : round(area * 1000)] = True
    poses = np.tile(np.eye(4), (FRAMES, 1, 1))
    poses[:, :3, :3] = yaw_matrix(75)  # a world's axes are not those of its first camera
    poses[BACK:, :3, :3] = yaw_matrix(75 + turn_deg)
    known = Truth(truth.record, None, truth.seconds, None, arrays={"masks": masks, "camera_to_world": poses})
    return replace(case, truth=known)


@pytest.mark.parametrize(("area", "variant"), [(0.01, "size_0_2"), (0.05, "size_2_10"), (0.3, "size_10_100")])
def test_a_clip_is_in_one_stratum_of_size(area: float, variant: str) -> None:
    case = with_truth(text_case(), area=area)
    for name in ("size_0_2", "size_2_10", "size_10_100"):
        found = outcome(name, case)
        assert found == outcome("paper", case) if name == variant else isinstance(found, NotApplicable)


@pytest.mark.parametrize(("turn", "variant"), [(0, "turn_0_60"), (90, "turn_60_120"), (180, "turn_120_180")])
def test_a_clip_is_in_one_stratum_of_the_turn_at_its_return(turn: float, variant: str) -> None:
    case = with_truth(text_case(), turn_deg=turn)
    for name in ("turn_0_60", "turn_60_120", "turn_120_180"):
        found = outcome(name, case)
        assert found == outcome("paper", case) if name == variant else isinstance(found, NotApplicable)


# ---------------------------------------------------------------- which frames are looked at


def test_every_frame_of_the_return_is_looked_at_and_a_few_of_the_others() -> None:
    looked = frames_to_look_at(240, Keyframes(80, 160, 240))
    assert set(range(160, 240)) <= set(looked.tolist())
    assert (looked < 80).sum() == LOOKED_AT
    assert LOOKED_AT <= ((looked >= 80) & (looked < 160)).sum() <= LOOKED_AT + 1, "the release begins one earlier"


# ---------------------------------------------------------------- without weights


def plain_case(story: str) -> Case:
    """A red disc: it stays, it is gone after the look-away, or the camera does not move."""
    turns = away_and_back() if story != "still" else [0.0] * len(away_and_back())
    unseen = [i for i, yaw in enumerate(away_and_back()) if abs(yaw - PLACE[0]) > HFOV_DEG / 2 + RADIUS_DEG]

    def discs(i: int) -> list[Disc]:
        return [] if story == "vanishes" and i >= unseen[0] else [(*PLACE, RED)]

    look = look_at(filmed(turns, discs))
    seen = subject_track(look)
    assert not isinstance(seen, Abstain), seen.reason
    truth = with_phases(len(turns), FPS, unseen[0], unseen[-1] + 1)
    return Case(look.task, truth, {"subject_track": seen.arrays()}, {})


def test_without_weights_who_stays_scores_one_who_vanishes_none_and_a_still_camera_nothing() -> None:
    assert outcome("plain", plain_case("stays")) == pytest.approx(1.0, abs=0.1)
    assert outcome("plain", plain_case("vanishes")) == pytest.approx(0.0, abs=0.1)
    still = outcome("plain", plain_case("still"))
    assert isinstance(still, Gated)
    assert "in sight all the time" in still.reason
