"""Phases of a generated clip, mapped from the true clip's keyframes."""

import numpy as np
import pytest

from lookaway.geometry.phase_frames import Keyframes, keyframes, mapped_phases, true_indices
from lookaway.records import Interval

SECONDS = np.arange(100) / 10


def _phases(gone: float, back: float) -> tuple[Interval, ...]:
    return (
        Interval(phase="visible", start_s=0, end_s=gone),
        Interval(phase="hidden", start_s=gone, end_s=back),
        Interval(phase="returned", start_s=back, end_s=10),
    )


def test_keyframes_are_the_first_frames_of_their_phases() -> None:
    assert keyframes(_phases(3.0, 7.0), SECONDS) == Keyframes(gone=30, back=70, frames=100)


def test_a_subject_that_never_comes_back_has_no_keyframes() -> None:
    assert keyframes(_phases(3.0, 7.0)[:2], SECONDS) is None


@pytest.mark.parametrize("frames", [17, 81, 100, 241])
def test_paper_phases_split_the_clip_without_gap_or_overlap(frames: int) -> None:
    parts = mapped_phases(frames, Keyframes(30, 70, 100))
    assert np.concatenate(parts).tolist() == list(range(frames))


@pytest.mark.parametrize("frames", [17, 81, 241])
def test_paper_phases_are_those_of_the_true_frame_beside_each(frames: int) -> None:
    parts, beside = mapped_phases(frames, Keyframes(30, 70, 100)), true_indices(frames, 100)
    assert beside[parts.visible].max() < 30 <= beside[parts.hidden].min()
    assert beside[parts.hidden].max() < 70 <= beside[parts.returned].min()


def test_released_phases_share_their_edges_and_scale_by_length() -> None:
    parts = mapped_phases(50, Keyframes(30, 70, 100), "released")
    assert (parts.visible[-1], parts.hidden[0], parts.hidden[-1], parts.returned[0]) == (15, 15, 35, 35)


@pytest.mark.parametrize(("gone", "back"), [(0, 1), (99, 99)])
def test_released_phases_are_clamped_inside_the_clip(gone: int, back: int) -> None:
    parts = mapped_phases(20, Keyframes(gone, back, 100), "released")
    assert 2 <= parts.hidden[0] <= 16
    assert parts.hidden[0] + 2 <= parts.returned[0] <= 19
