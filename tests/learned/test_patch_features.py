"""DINOv2 through the real transformers path, with a tiny random checkpoint made here."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from lookaway.api import Silent
from lookaway.metrics import METRICS, Case
from lookaway.observers import Look
from lookaway.observers.patch_features import PatchFeatures, patch_features
from lookaway.outcomes import Abstain
from lookaway.pipeline import STAGES, make_board, plans
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Observation
from lookaway.store import open_run
from lookaway.video import SharedFrames, encode
from tests.builders import task

pytestmark = pytest.mark.torch


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


def seen(frames: list[np.ndarray], checkpoint: Path, folder: Path) -> PatchFeatures | Abstain:
    encode(frames, folder / "a.mp4", 12)
    with SharedFrames.load(folder / "a.mp4") as shared:
        return patch_features(Look(shared, task(), shared.rgb[0], None, {"model": str(checkpoint)}))


def test_tokens_are_unit_vectors_at_three_a_second_without_padding(checkpoint: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    found = seen([rng.integers(0, 255, (90, 160, 3), np.uint8) for _ in range(13)], checkpoint, tmp_path)
    assert np.allclose(found.seconds, [0, 4 / 12, 8 / 12, 1.0])
    assert found.class_token.shape == (4, 48)
    rows, columns = -(-291 // 14), 518 // 14  # 160x90 at a long side of 518 is 518x291: the last row is part padding
    assert found.patch_tokens.shape == (4, rows * columns, 48)
    assert np.allclose(np.linalg.norm(found.class_token, axis=1), 1, atol=1e-5)


def integrity(found: PatchFeatures) -> float:
    case = Case(task(), None, {"patch_features": found.arrays()}, {})
    return float(METRICS.get("visual_integrity:paper").function(case))


def test_an_unchanged_picture_is_whole_and_a_changed_one_is_less_so(checkpoint: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    still = [rng.integers(0, 255, (90, 160, 3), np.uint8)] * 13
    changing = [rng.integers(0, 255, (90, 160, 3), np.uint8) for _ in range(6)] + [np.zeros((90, 160, 3), np.uint8)] * 7
    whole = integrity(seen(still, checkpoint, tmp_path))
    assert whole == pytest.approx(1.0, abs=2e-3)
    assert integrity(seen(changing, checkpoint, tmp_path)) < whole - 0.01


def test_one_frame_is_an_abstention(checkpoint: Path, tmp_path: Path) -> None:
    assert isinstance(seen([np.zeros((90, 160, 3), np.uint8)], checkpoint, tmp_path), Abstain)


def test_the_integrity_protocol_walks_with_local_weights(checkpoint: Path, demo_run: Path, tmp_path: Path) -> None:
    shutil.copytree(demo_run, tmp_path / "run")
    run = open_run(tmp_path / "run")
    plan = plans.extend(run, "diorama-mini", chosen=["integrity"], settings={"patch_features.model": str(checkpoint)})
    for stage in ("observe", "score"):
        run_stage(STAGES[stage], run, plan, Options(only="parlour0_ball*/truth/*"), Silent())
    cell = make_board(run, plan).cell("truth", "visual_integrity")
    assert cell.ok == 1
    assert 0 <= cell.value <= 1


def test_missing_weights_are_a_reason_and_not_a_score(demo_run: Path, tmp_path: Path) -> None:
    shutil.copytree(demo_run, tmp_path / "run")
    run = open_run(tmp_path / "run")
    plan = plans.extend(run, "diorama-mini", chosen=["integrity"], settings={"patch_features.model": "no/such-model"})
    run_stage(STAGES["observe"], run, plan, Options(only="parlour0_ball*/truth/*"), Silent())
    failed = [o for o in run.latest("observations", Observation).values() if o.observer == "patch_features"]
    assert [o.status for o in failed] == ["failed"]
    assert "--set patch_features.model=FOLDER" in failed[0].reason
