"""Visual integrity from matches worked by hand, and without weights on pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lookaway.metrics import METRICS, Case
from lookaway.metrics.visual_integrity import integrity
from lookaway.observers import OBSERVERS, Look
from lookaway.observers.patch_matches import matches, unit
from lookaway.outcomes import Abstain
from lookaway.video import SharedFrames, encode
from tests.builders import task

rng = np.random.default_rng(0)
PICTURE = np.kron(rng.integers(0, 255, (9, 16, 3)), np.ones((10, 10, 1))).astype(np.uint8)  # squares of colour
OTHER = np.kron(rng.integers(0, 255, (9, 16, 3)), np.ones((10, 10, 1))).astype(np.uint8)


def test_the_lower_of_whole_and_local_is_worked_by_hand() -> None:
    frames = unit(np.array([[1.0, 0.0], [1.0, 0.0], [0.6, 0.8]], np.float32))
    perfect = np.ones((2, 3), np.float32)
    assert integrity(frames, perfect, perfect) == pytest.approx(0.6)
    weak = np.array([[0.0, 0.5, 1.0], [1.0, 1.0, 1.0]], np.float32)
    first = 0.0  # six matches of the first pair, 0 0 .5 .5 1 1: a fifth of the way along five gaps is the second
    assert integrity(frames, weak, weak) == pytest.approx(first + 0.2 * (1.0 - first))


def test_a_patch_is_matched_wherever_it_went_and_opposites_not_at_all() -> None:
    patches = unit(rng.standard_normal((1, 5, 8)).astype(np.float32))
    moved = np.concatenate([patches, patches[:, ::-1], -patches[:, ::-1]])
    found = matches(moved)
    assert found.forward[0] == pytest.approx(1, abs=1e-6)
    assert found.backward[0] == pytest.approx(1, abs=1e-6)
    assert found.forward[1].max() < 1
    assert found.forward.min() >= 0


def plain(frames: list[np.ndarray], folder: Path) -> float | Abstain:
    encode(frames, folder / "a.mp4", 12)
    with SharedFrames.load(folder / "a.mp4") as shared:
        seen = OBSERVERS.get("plain_patches").function(Look(shared, task(), shared.rgb[0], None))
    if isinstance(seen, Abstain):
        return seen
    told = METRICS.get("visual_integrity:plain").function(Case(task(), None, {"plain_patches": seen.arrays()}, {}))
    assert isinstance(told, float)
    return told


def test_without_weights_a_still_is_whole_and_a_fade_a_cut_and_noise_are_less_and_less_so(tmp_path: Path) -> None:
    steps = np.linspace(0, 1, 25)[:, None, None, None]
    noise = list(rng.integers(0, 255, (25, 90, 160, 3)).astype(np.uint8))
    still, turning, fade, cut, flicker = (
        plain(frames, tmp_path)
        for frames in (
            [PICTURE] * 25,
            [np.roll(PICTURE, 3 * min(k, 24 - k), axis=1) for k in range(25)],  # out and back
            list((PICTURE * (1 - steps) + OTHER * steps).astype(np.uint8)),
            [PICTURE] * 12 + [OTHER] * 13,
            noise,
        )
    )
    assert still == pytest.approx(1, abs=0.01)
    assert still > turning > max(fade, cut, flicker), "a camera that comes home keeps most of it"
    assert max(fade, cut) < 0.6


def test_one_frame_is_an_abstention(tmp_path: Path) -> None:
    assert isinstance(plain([PICTURE], tmp_path), Abstain)
