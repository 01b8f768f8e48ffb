"""LPIPS through the files that its publishers offer, with random weights, beside a plain implementation."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from lookaway.errors import MissingWeights, ObserveError
from lookaway.observers import OBSERVERS, Look
from lookaway.observers import perceptual_distance as lpips
from lookaway.observers.beside_truth import AnchoredFrames
from lookaway.observers.elsewhere import seen_with
from lookaway.observers.fidelity import AnchoredFidelity, fidelity_anchored
from lookaway.observers.perceptual import distances
from lookaway.observers.perceptual.network import ALEX, VGG, Architecture
from lookaway.observers.perceptual_distance import AnchoredDistances, PerceptualDistances
from lookaway.outcomes import Abstain
from lookaway.records import Reference, Setting
from lookaway.truth import Truth
from lookaway.video import SharedFrames, encode
from tests.builders import task
from tests.learned.straight_lpips import random_state, straight_lpips, write_weights
from tests.metrics.test_phase_fidelity import late_look

pytestmark = pytest.mark.torch

SAME = 1e-5
NETWORKS = {"lpips_vgg": VGG, "lpips_alex": ALEX}
SIZE = (96, 72)  # width, height


def noise(count: int, seed: int, size: tuple[int, int] = SIZE) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 255, (count, size[1], size[0], 3), np.uint8)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("lpips")
    return {name: write_weights(folder / name, each, *random_state(each)) for name, each in NETWORKS.items()}


def given(folder: Path, clip: np.ndarray, true: np.ndarray, **settings: Setting) -> Look:
    """Both as they are decoded."""
    for name, frames in (("clip", clip), ("true", true)):
        encode(list(frames), folder / f"{name}.mp4", 8)
    shared = SharedFrames.load(folder / "clip.mp4")
    truth = Truth(Reference(task="a_task", instance="i"), folder / "true.mp4", np.arange(len(true)) / 8, None)
    return Look(shared, task(), shared.rgb[0], truth, {"device": "cpu", **settings})


def seen(name: str, look: Look) -> PerceptualDistances:
    found = seen_with(OBSERVERS.get(name), look)
    assert isinstance(found, PerceptualDistances), found
    return found


@pytest.mark.parametrize(("name", "architecture"), NETWORKS.items())
def test_it_is_its_definition(name: str, architecture: Architecture, weights: dict[str, Path], tmp_path: Path) -> None:
    look = given(tmp_path, noise(3, 1), noise(5, 2), model=str(weights[name]))
    assert look.truth is not None
    pairs = zip(look.frames.rgb, look.truth.frames().rgb[[0, 2, 4]], strict=True)
    network, heads = random_state(architecture)
    expected = [straight_lpips(a, b, architecture, network, heads) for a, b in pairs]
    found = seen(name, look)
    assert np.ptp(expected) > 100 * SAME
    assert found.distance == pytest.approx(expected, abs=SAME)
    assert found.true_seconds == pytest.approx(np.array([0, 2, 4]) / 8)


@pytest.mark.parametrize("name", NETWORKS)
def test_it_is_the_same_for_any_batch_and_however_much_is_kept(
    name: str, weights: dict[str, Path], tmp_path: Path
) -> None:
    clip, true = noise(5, 1), noise(4, 2)
    settings = [{"batch": batch, "kept_mb": kept} for batch, kept in ((1, 0), (2, 1), (5, 1024))]
    found = [seen(name, given(tmp_path, clip, true, model=str(weights[name]), **each)).distance for each in settings]
    assert found[1] == pytest.approx(found[0], abs=SAME)
    assert found[2] == pytest.approx(found[0], abs=SAME)


@pytest.mark.parametrize("name", NETWORKS)
def test_the_same_frames_are_at_no_distance(name: str, weights: dict[str, Path], tmp_path: Path) -> None:
    frames = noise(3, 1)
    assert seen(name, given(tmp_path, frames, frames, model=str(weights[name]))).distance == pytest.approx(0, abs=1e-9)


def numbers_looked_at(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many frames were looked at together, each time that the module looks from now on."""
    looked: list[int] = []
    features = distances.features

    def counted(eyes: Any, rgb: np.ndarray) -> Any:
        looked.append(len(rgb))
        return features(eyes, rgb)

    monkeypatch.setattr(module, "features", counted)
    return looked


def test_true_frames_are_looked_at_once_for_all_clips_of_a_task(
    weights: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = numbers_looked_at(distances, monkeypatch)  # of the truth; those of clips go by the other name
    one, alone = (given(tmp_path, noise(6, n), noise(3, 2), model=str(weights["lpips_alex"])) for n in (1, 3))
    seen("lpips_alex", one)
    assert sum(looked) == 3, "six frames of the clip lie beside three of the truth"
    looked.clear()
    other = seen("lpips_alex", Look(alone.frames, one.task, one.first_frame, one.truth, one.settings))
    assert looked == []
    assert other.distance == pytest.approx(seen("lpips_alex", alone).distance, abs=1e-9)
    assert sum(looked) == 3, "another truth of the same content"


def test_a_clip_in_step_with_the_truth_is_looked_at_once_for_both_ways_to_lay_it_beside(
    weights: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = numbers_looked_at(lpips, monkeypatch)  # of clips
    look = given(tmp_path, noise(5, 1), noise(5, 2), model=str(weights["lpips_vgg"]), batch=2)
    phase = np.array([0, 0, 1, 2, 2])

    def anchored_at(*index: int) -> PerceptualDistances:
        beside = AnchoredFrames(np.array(index), phase)
        monkeypatch.setattr(lpips, "anchored_frames", lambda look: beside)
        return seen("lpips_anchored", look)

    linear = seen("lpips_vgg", look)
    assert looked == [2, 2, 1]
    assert anchored_at(0, 1, 2, 3, 4).distance.tolist() == linear.distance.tolist()
    assert looked == [2, 2, 1], "the same pairs"
    shifted = anchored_at(0, 1, 2, 4, 4)
    assert looked == [2, 2, 1, 2], "the one batch whose pairs are others"
    assert (shifted.distance != linear.distance).tolist() == [False, False, False, True, False]
    other = given(tmp_path, noise(5, 3), noise(5, 2), model=str(weights["lpips_vgg"]), batch=2)
    assert not np.isin(seen("lpips_vgg", other).distance, linear.distance).any(), "another clip is looked at"


def test_features_beyond_the_limit_are_not_kept() -> None:
    torch = pytest.importorskip("torch")
    store = distances.TruthFeatures(most_bytes=100)
    for index in range(3):
        store._keep(index, [torch.zeros(1, 10, 1, 1)])
    assert list(store._kept) == [0, 1], "40 bytes each"


def test_anchored_distances_lie_beside_the_frames_of_anchored_fidelity(
    weights: dict[str, Path], tmp_path: Path
) -> None:
    whole = late_look(tmp_path)
    small = SharedFrames(whole.frames.info, whole.frames.seconds, np.ascontiguousarray(whole.frames.rgb[:, ::2, ::2]))
    look = replace(whole, frames=small, settings={"model": str(weights["lpips_vgg"]), "device": "cpu"})
    found, pixels = seen("lpips_anchored", look), fidelity_anchored(look)
    assert isinstance(found, AnchoredDistances)
    assert isinstance(pixels, AnchoredFidelity)
    assert found.true_seconds.tolist() == pixels.true_seconds.tolist()
    assert found.phase.tolist() == pixels.phase.tolist()


def test_weights_that_are_not_here_are_named_with_the_line_that_gets_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOKAWAY_WEIGHTS", str(tmp_path / "none"))
    with pytest.raises(MissingWeights, match="lookaway weights get lpips/vgg"):
        seen("lpips_vgg", given(tmp_path, noise(2, 1), noise(2, 2)))


class Runs:
    """Runs code where it is unpickled."""

    def __reduce__(self) -> Any:
        return (print, ("it ran",))


def test_a_file_that_would_run_code_is_refused(
    weights: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "weights"
    folder.mkdir()
    (folder / ALEX.network_file).write_bytes((weights["lpips_alex"] / ALEX.network_file).read_bytes())
    (folder / ALEX.heads_file).write_bytes(pickle.dumps(Runs(), protocol=2))
    with pytest.raises(ObserveError, match=r"alex\.pth cannot be read as weights"):
        seen("lpips_alex", given(tmp_path, noise(2, 1), noise(2, 2), model=str(folder)))
    assert "it ran" not in capsys.readouterr().out


def test_weights_of_another_network_are_refused(weights: dict[str, Path], tmp_path: Path) -> None:
    network, heads = random_state(VGG)
    folder = write_weights(tmp_path / "wrong", ALEX, network, heads)
    with pytest.raises(ObserveError, match="no weights of this network"):
        seen("lpips_alex", given(tmp_path, noise(2, 1), noise(2, 2), model=str(folder)))


def test_frames_too_small_for_the_network_are_not_compared(weights: dict[str, Path], tmp_path: Path) -> None:
    small = noise(2, 1, (lpips.LEAST_SIDE, lpips.LEAST_SIDE - 2))
    found = seen_with(OBSERVERS.get("lpips_alex"), given(tmp_path, small, small, model=str(weights["lpips_alex"])))
    assert isinstance(found, Abstain)
    least = noise(2, 1, (lpips.LEAST_SIDE, lpips.LEAST_SIDE))
    assert len(seen("lpips_alex", given(tmp_path, least, least, model=str(weights["lpips_alex"]))).distance) == 2
