"""DINOv2 through the real transformers path, with a tiny random checkpoint made here."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from lookaway.api import Silent
from lookaway.errors import ObserveError
from lookaway.metrics import METRICS, Case
from lookaway.observers import OBSERVERS, Look, pipe
from lookaway.observers.elsewhere import seen_with
from lookaway.observers.learned import SAME_FEATURES
from lookaway.observers.patch_features import PatchFeatures
from lookaway.outcomes import Abstain
from lookaway.pipeline import STAGES, make_board, plans
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Observation, Setting
from lookaway.store import open_run
from lookaway.video import SharedFrames, encode
from tests.builders import task

pytestmark = pytest.mark.torch

FITS_TORCH = """
from tests.learned.cpu_torchvision import import_torchvision
import_torchvision()
"""


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.Dinov2Config(
        hidden_size=48, num_hidden_layers=2, num_attention_heads=4, patch_size=14, image_size=518
    )
    folder = tmp_path_factory.mktemp("dinov2")
    transformers.Dinov2Model(config).save_pretrained(folder)
    return folder


def seen(frames: list[np.ndarray], checkpoint: Path, folder: Path, **settings: Setting) -> PatchFeatures | Abstain:
    encode(frames, folder / "a.mp4", 12)
    with SharedFrames.load(folder / "a.mp4") as shared:
        given = {"model": str(checkpoint), **settings}
        return seen_with(OBSERVERS.get("patch_features"), Look(shared, task(), shared.rgb[0], None, given))


def noise(count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.integers(0, 255, (90, 160, 3), np.uint8) for _ in range(count)]


def test_features_are_the_same_one_by_one_and_eight_at_a_time(checkpoint: Path, tmp_path: Path) -> None:
    clip = noise(40)
    one, eight, three = (seen(clip, checkpoint, tmp_path, batch=batch, device="cpu") for batch in (1, 8, 3))
    for other in (eight, three):
        assert np.abs(one.class_token - other.class_token).max() <= SAME_FEATURES
        assert np.abs(one.patch_mean - other.patch_mean).max() <= SAME_FEATURES
        assert np.abs(one.forward - other.forward).max() <= SAME_FEATURES
    assert [(found.batch, str(found.device)) for found in (one, eight)] == [(1, "cpu"), (8, "cpu")]
    assert len(one.class_token) > 8


def test_half_precision_moves_features_and_so_it_is_another_instrument(checkpoint: Path, tmp_path: Path) -> None:
    full, half = (seen(noise(13), checkpoint, tmp_path, dtype=dtype, device="cpu") for dtype in ("float32", "bfloat16"))
    moved = np.abs(full.class_token - half.class_token).max()
    assert SAME_FEATURES < moved < 0.1
    assert full.class_token.dtype == half.class_token.dtype == np.float32


def test_a_device_that_is_not_there_is_said(checkpoint: Path, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("it is there")
    with pytest.raises(ObserveError, match=r"does not fit on device 'cuda:7'.*--set patch_features\.device=cpu"):
        seen(noise(13), checkpoint, tmp_path, device="cuda:7")


def test_a_worker_sees_the_same_features_bit_by_bit(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(FITS_TORCH)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])]))
    here = seen(noise(13), checkpoint, tmp_path, device="cpu")
    there = seen(noise(13), checkpoint, tmp_path, device="cpu", worker=sys.executable)
    pipe.end_all()
    for name, array in here.arrays().items():
        assert array.tobytes() == there.arrays()[name].tobytes(), name


def test_tokens_are_unit_vectors_at_three_a_second_without_padding(checkpoint: Path, tmp_path: Path) -> None:
    found = seen(noise(13), checkpoint, tmp_path)
    assert np.allclose(found.seconds, [0, 4 / 12, 8 / 12, 1.0])
    assert found.class_token.shape == (4, 48)
    rows, columns = -(-291 // 14), 518 // 14  # 160x90 at a long side of 518 is 518x291: the last row is part padding
    assert found.forward.shape == found.backward.shape == (3, rows * columns)
    for tokens in (found.class_token, found.patch_mean):
        assert np.allclose(np.linalg.norm(tokens, axis=1), 1, atol=1e-5)


def integrity(found: PatchFeatures, variant: str = "paper") -> float:
    case = Case(task(), None, {"patch_features": found.arrays()}, {})
    return float(METRICS.get(f"visual_integrity:{variant}").function(case))


def test_an_unchanged_picture_is_whole_and_a_changed_one_is_less_so(checkpoint: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    still = [rng.integers(0, 255, (90, 160, 3), np.uint8)] * 13
    changing = [rng.integers(0, 255, (90, 160, 3), np.uint8) for _ in range(6)] + [np.zeros((90, 160, 3), np.uint8)] * 7
    whole = integrity(seen(still, checkpoint, tmp_path))
    assert whole == pytest.approx(1.0, abs=2e-3)
    changed = seen(changing, checkpoint, tmp_path)
    assert integrity(changed) < whole - 0.01
    assert integrity(changed, "patch_mean") < integrity(seen(still, checkpoint, tmp_path), "patch_mean") - 0.01


def test_one_frame_is_an_abstention(checkpoint: Path, tmp_path: Path) -> None:
    assert isinstance(seen([np.zeros((90, 160, 3), np.uint8)], checkpoint, tmp_path), Abstain)


def test_the_integrity_protocol_walks_with_local_weights(checkpoint: Path, demo_run: Path, tmp_path: Path) -> None:
    shutil.copytree(demo_run, tmp_path / "run")
    run = open_run(tmp_path / "run")
    plan = plans.extend(run, "diorama-mini", chosen=["integrity"], settings={"patch_features.model": str(checkpoint)})
    for stage in ("observe", "score"):
        run_stage(STAGES[stage], run, plan, Options(only="parlour0_ball*/truth/*"), Silent())
    cell = make_board(run, plan).cell("truth", "visual_integrity", variant="paper")
    assert cell.ok == 1
    assert 0 <= cell.value <= 1


def test_missing_weights_are_a_reason_and_not_a_score(
    demo_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("LOOKAWAY_WEIGHTS", str(tmp_path / "weights"))
    shutil.copytree(demo_run, tmp_path / "run")
    run = open_run(tmp_path / "run")
    plan = plans.extend(run, "diorama-mini", chosen=["integrity"])
    report = run_stage(STAGES["observe"], run, plan, Options(only="parlour0_ball*/truth/*"), Silent())
    assert report.failures == []
    (row,) = [o for o in run.latest("observations", Observation).values() if o.observer == "patch_features"]
    assert row.status == "abstained"
    told = "weights facebook/dinov2-base are not here; get them: lookaway weights get facebook/dinov2-base"
    assert row.reason == told
