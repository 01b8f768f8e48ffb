"""The worker of RAFT-Large with the real network, its weights random."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from lookaway import workers
from lookaway.images import png_bytes

pytestmark = pytest.mark.torch

SIZE = (140, 100)  # width, height: neither a multiple of 8, and one below the least


@pytest.fixture(scope="module")
def worker() -> ModuleType:
    pytest.importorskip("torchvision")
    spec = importlib.util.spec_from_file_location("worker_raft", Path(workers.__file__).with_name("flow_raft.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_pair_gets_the_networks_flow_at_its_own_size(worker: ModuleType, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from torchvision.models.optical_flow import raft_large

    torch.manual_seed(0)
    network = raft_large(weights=None).eval()
    torch.save(network.state_dict(), tmp_path / worker.FILE)
    rgb = np.random.default_rng(0).integers(0, 255, (3, SIZE[1], SIZE[0], 3), np.uint8)
    files = [f"{i:06d}.png" for i in range(3)]
    for file, frame in zip(files, rgb, strict=True):
        (tmp_path / file).write_bytes(png_bytes(frame))
    request = {"folder": str(tmp_path), "files": files, "pairs": [[0, 1], [2, 0]], "out": str(tmp_path)}
    assert worker.look({**request, "model": str(tmp_path)}) == {"flows": "flows.npy"}
    flows = np.load(tmp_path / "flows.npy")
    assert (flows.shape, flows.dtype) == ((2, SIZE[1], SIZE[0], 2), np.float32)
    padded = np.pad(rgb, ((0, 0), (0, 28), (0, 4), (0, 0)), mode="edge")
    one, other = (torch.from_numpy(padded[i].copy()).permute(2, 0, 1)[None].float() / 127.5 - 1 for i in (2, 0))
    with torch.inference_mode():
        expected = network(one, other)[-1][0].permute(1, 2, 0).numpy()[: SIZE[1], : SIZE[0]]
    assert np.abs(flows[1] - expected).max() <= 1e-4 * np.abs(expected).max()


def test_weights_that_are_not_there_are_named(worker: ModuleType, tmp_path: Path) -> None:
    request = {"folder": "", "files": [], "pairs": [], "out": "", "model": str(tmp_path / "none")}
    assert worker.look(request) == {"missing_weights": str(tmp_path / "none")}
