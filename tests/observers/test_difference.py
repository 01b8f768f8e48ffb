"""How much differs from the truth, in areas of the subject."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lookaway.observers import Look
from lookaway.observers.difference import PixelDifference, difference
from lookaway.outcomes import Abstain
from lookaway.records import Reference
from lookaway.truth import KnownTruth, Truth
from lookaway.video import SharedFrames, encode
from tests.builders import task

FRAMES, HEIGHT, WIDTH = 8, 90, 160


def shown(tmp_path: Path, name: str, rgb: np.ndarray, fps: float = 16.0) -> Path:
    path = tmp_path / f"{name}.mp4"
    encode(list(rgb), path, fps, crf=1)
    return path


def truth_of(video: Path) -> Truth:
    """A grey clip whose subject covers a tenth of the first frame."""
    masks = np.zeros((FRAMES, HEIGHT, WIDTH), bool)
    masks[:, :, : WIDTH // 10] = True
    nothing = np.zeros((FRAMES, 4, 4))
    world = KnownTruth(nothing, nothing[:, :3, :3], masks, np.ones(FRAMES), np.zeros((FRAMES, 1)))
    return Truth(Reference(task="a_task", instance="", video=""), video, np.arange(FRAMES) / 16, world)


def looked(tmp_path: Path, rgb: np.ndarray, fps: float = 16.0) -> np.ndarray:
    grey = np.full((FRAMES, HEIGHT, WIDTH, 3), 128, np.uint8)
    truth = truth_of(shown(tmp_path, "true", grey))
    with SharedFrames.load(shown(tmp_path, "clip", rgb, fps)) as frames:
        seen = difference(Look(frames, task(), grey[0], truth))
    assert isinstance(seen, PixelDifference)
    assert len(seen.areas) == len(seen.seconds) == len(rgb)
    return seen.areas


def test_a_patch_counts_in_areas_of_the_subject(tmp_path: Path) -> None:
    rgb = np.full((FRAMES, HEIGHT, WIDTH, 3), 128, np.uint8)
    rgb[4:, :, : WIDTH // 5] = 220  # twice the subject, in the second half
    areas = looked(tmp_path, rgb)
    assert areas[:4].max() == 0
    assert areas[4:] == pytest.approx([2.0] * 4, rel=0.1)


def test_small_steps_of_grey_are_not_seen(tmp_path: Path) -> None:
    rgb = np.full((FRAMES, HEIGHT, WIDTH, 3), 128 + 25, np.uint8)
    assert looked(tmp_path, rgb).max() == 0
    assert looked(tmp_path, rgb + 15).min() == pytest.approx(10.0)


def test_other_size_and_rate_are_compared_by_time(tmp_path: Path) -> None:
    rgb = np.full((2 * FRAMES - 1, 2 * HEIGHT, 2 * WIDTH, 3), 128, np.uint8)
    rgb[8:, :, : 2 * WIDTH // 10] = 220
    areas = looked(tmp_path, rgb, fps=32.0)
    assert areas[:8].max() == 0
    assert areas[8:] == pytest.approx([1.0] * 7, rel=0.2)


def test_without_exact_truth_it_abstains(tmp_path: Path) -> None:
    with SharedFrames.load(shown(tmp_path, "clip", np.zeros((2, HEIGHT, WIDTH, 3), np.uint8))) as frames:
        assert isinstance(difference(Look(frames, task(), frames.rgb[0], None)), Abstain)
