"""Visual integrity on real clips beside a straight implementation of its definition, with the same random weights."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from lookaway.metrics import METRICS, Case
from lookaway.observers import OBSERVERS, Look
from lookaway.video import SharedFrames
from tests.builders import task
from tests.learned.cpu_torchvision import import_torchvision

pytestmark = [pytest.mark.peers, pytest.mark.torch]

SAME = 1e-5
CLIPS = (
    "case_a_yaw_lr",
    "case_a_yaw_rl",
    "case_b_inspatio",
    "cat_drag_wan22_5b_yaw_rl60",
    "cat_expected_inspatio_yaw_rl60",
)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch = pytest.importorskip("torch")
    import_torchvision()
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(3)
    config = transformers.Dinov2Config(
        hidden_size=64, num_hidden_layers=2, num_attention_heads=4, patch_size=14, image_size=518
    )
    folder = tmp_path_factory.mktemp("dinov2")
    transformers.Dinov2Model(config).save_pretrained(folder)
    return folder


def straight(rgb: np.ndarray, fps: float, folder: Path) -> dict[str, float]:
    """The definition, step by step in double precision, one frame at a time; nothing of ours is used."""
    import torch
    from transformers import Dinov2Model

    count, step = len(rgb), max(fps / 3, 1.0)
    chosen = sorted({0, count - 1} | {min(round(k * step), count - 1) for k in range(math.ceil(count / step))})
    if len(chosen) > 24:
        chosen = sorted({round(k * (count - 1) / 23) for k in range(24)})
    model: Any = Dinov2Model.from_pretrained(folder).eval()
    wholes, means, patches = [], [], []
    for index in chosen:
        height, width = rgb[index].shape[:2]
        scale = 518 / max(height, width)
        h, w = round(height * scale), round(width * scale)
        area = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        pixels = torch.from_numpy(cv2.resize(rgb[index], (w, h), interpolation=area)).float() / 255
        pixels = (pixels - torch.tensor([0.485, 0.456, 0.406])) / torch.tensor([0.229, 0.224, 0.225])
        padded = torch.zeros(1, 3, 14 * math.ceil(h / 14), 14 * math.ceil(w / 14))
        padded[0, :, :h, :w] = pixels.permute(2, 0, 1)
        with torch.inference_mode():
            tokens = torch.nn.functional.normalize(model(padded).last_hidden_state[0].double(), dim=1)
        wholes.append(tokens[0])
        patches.append(tokens[1:])  # whole patches of padding there are none: it is less than a patch
        means.append(torch.nn.functional.normalize(tokens[1:].mean(0), dim=0))
    local = []
    for here, there in pairwise(patches):
        cosines = (here @ there.T).clamp(0, 1)
        best = torch.cat([cosines.max(1).values, cosines.max(0).values])
        local.append(float(torch.quantile(best, 0.2)))
    ends = {"paper": float(wholes[0] @ wholes[-1]), "patch_mean": float(means[0] @ means[-1])}
    return {name: min(max(0.0, min(1.0, end)), float(np.quantile(local, 0.2))) for name, end in ends.items()}


@pytest.mark.parametrize("name", CLIPS)
def test_integrity_is_that_of_a_straight_implementation(name: str, peer_data: Path, checkpoint: Path) -> None:
    with SharedFrames.load(peer_data / "wrbench" / "videos" / f"{name}.mp4") as frames:
        look = Look(frames, task(), frames.rgb[0], None, {"model": str(checkpoint), "device": "cpu"})
        seen = OBSERVERS.get("patch_features").function(look)
        expected = straight(np.asarray(frames.rgb), frames.info.fps, checkpoint)
    case = Case(task(), None, {"patch_features": seen.arrays()}, {})
    for variant, value in expected.items():
        assert METRICS.get(f"visual_integrity:{variant}").function(case) == pytest.approx(value, abs=SAME)


@pytest.mark.parametrize("name", CLIPS[:2])
def test_as_released_it_looks_at_the_middle_twice_a_second(name: str, peer_data: Path, checkpoint: Path) -> None:
    with SharedFrames.load(peer_data / "wrbench" / "videos" / f"{name}.mp4") as frames:
        look = Look(frames, task(), frames.rgb[0], None, {"model": str(checkpoint), "device": "cpu"})
        seen = OBSERVERS.get("patch_features_released").function(look)
    assert seen.forward.shape[1] == (224 // 14) ** 2
    assert np.median(np.diff(seen.seconds)) == pytest.approx(0.5, abs=0.05)
    case = Case(task(), None, {"patch_features_released": seen.arrays()}, {})
    value = METRICS.get("visual_integrity:released").function(case)
    assert isinstance(value, float)
    assert 0 < value <= 1
