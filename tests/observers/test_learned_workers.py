"""The workers for VGGT and MapAnything against packages that only have their interface, since weights are not here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway.geometry.script import poses_at
from lookaway.observers.worker_calls import SERVE

PATH = poses_at("dolly:forward:0.4+yaw:left:30@1s", np.arange(5) / 4)
WIDTH, HEIGHT, FOCAL = 320, 180, 277.0  # of the picture as it was given
WORLD_TO_CAMERA = np.linalg.inv(np.linalg.inv(PATH[2]) @ PATH)

TENSORS = """
import contextlib, json, os, types
import numpy as np

class Tensor(np.ndarray):
    def to(self, device): return self
    def cpu(self): return self
    def double(self): return self.astype(float)
    def numpy(self): return np.asarray(self)

def tensor(values): return np.array(values, float).view(Tensor)

bfloat16 = "bfloat16"
cuda = types.SimpleNamespace(is_available=lambda: False)
inference_mode = contextlib.nullcontext
@contextlib.contextmanager
def autocast(device, dtype, enabled):
    assert not enabled
    yield

class Model:
    loaded = []
    @classmethod
    def from_pretrained(cls, name):
        cls.loaded.append(name)
        assert cls.loaded == [name], "loaded once"
        print("Loading", name)
        return cls()
    def to(self, device): return self
    def eval(self): return self

KNOWN = json.loads(os.environ["KNOWN"])
"""
VGGT = {
    "vggt/models/vggt.py": """
from torch import KNOWN, Model, tensor
class VGGT(Model):
    def aggregator(self, images):
        assert images.shape == (1, 5, 3, 294, 518)
        return ["tokens"], 5
    def camera_head(self, tokens): return ["coarse", "fine"]
""",
    "vggt/utils/load_fn.py": """
from torch import tensor
import numpy as np
def load_and_preprocess_images(paths): return tensor(np.zeros((len(paths), 3, 294, 518)))
""",
    "vggt/utils/pose_enc.py": """
from torch import KNOWN, tensor
import numpy as np
def pose_encoding_to_extri_intri(encoded, size):
    assert encoded == "fine" and tuple(size) == (294, 518)
    focal = KNOWN["focal"] * 518 / KNOWN["width"]
    return tensor(KNOWN["world_to_camera"])[None, :, :3], tensor([[np.diag([focal, focal, 1])] * 5])
""",
}
MAPANYTHING = {
    "mapanything/models/__init__.py": """
from torch import KNOWN, Model, tensor
import numpy as np
class MapAnything(Model):
    def infer(self, views, memory_efficient_inference, use_amp, amp_dtype):
        focal = KNOWN["focal"] * 294 / KNOWN["height"]  # cut to 518 x 294: the height decides
        poses = np.linalg.inv(np.array(KNOWN["world_to_camera"]))
        poses[:, :3, :3] *= 1.004  # as rounded to eight bits
        return [{"camera_poses": tensor([pose]), "intrinsics": tensor([np.diag([focal, focal, 1])])} for pose in poses]
""",
    "mapanything/utils/image.py": """
from torch import tensor
import numpy as np
def load_images(paths): return [{"img": tensor(np.zeros((1, 3, 294, 518)))} for path in paths]
""",
}


def answers(
    name: str, package: dict[str, str], folder: Path, requests: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], str]:
    """What a worker answers in an environment that has that package, and what it prints."""
    for file, text in {"torch.py": TENSORS, **package}.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    known = {"world_to_camera": WORLD_TO_CAMERA.tolist(), "focal": FOCAL, "width": WIDTH, "height": HEIGHT}
    done = subprocess.run(
        [sys.executable, str(SERVE), name],
        input="\n".join(map(json.dumps, requests)),
        env=os.environ | {"PYTHONPATH": str(folder), "KNOWN": json.dumps(known)},
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def request(clip: int, **more: Any) -> dict[str, Any]:
    frames = {"folder": "frames", "files": [f"{i}.png" for i in range(5)], "width": WIDTH, "height": HEIGHT}
    return {"clip": clip, **frames, "hfov_deg": 60.0, "model": None, **more}


@pytest.mark.parametrize(
    ("name", "package", "default"),
    [("vggt", VGGT, "facebook/VGGT-1B"), ("mapanything", MAPANYTHING, "facebook/map-anything")],
)
def test_a_worker_loads_its_model_once_and_turns_its_cameras_into_poses(
    name: str, package: dict[str, str], default: str, tmp_path: Path
) -> None:
    (first, second), printed = answers(name, package, tmp_path, [request(1), request(2)])
    assert (first.pop("clip"), second.pop("clip")) == (1, 2)
    assert first == second
    assert "error" not in first, first["error"]
    poses = np.array(first["poses"])[:, :3]
    assert np.allclose(poses, np.linalg.inv(WORLD_TO_CAMERA)[:, :3], atol=1e-9)
    assert np.median(first["hfov_deg"]) == pytest.approx(np.rad2deg(2 * np.arctan(WIDTH / 2 / FOCAL)))
    assert f"Loading {default}" in printed


@pytest.mark.parametrize(("name", "package"), [("vggt", VGGT), ("mapanything", MAPANYTHING)])
def test_a_worker_that_finds_no_weights_says_which(name: str, package: dict[str, str], tmp_path: Path) -> None:
    gone = "\n    @classmethod\n    def from_pretrained(cls, name): raise OSError('no connection, no file')\n"
    lost = {file: text.replace("(Model):", f"(Model):{gone}") for file, text in package.items()}
    (told,), printed = answers(name, lost, tmp_path, [request(1, model="some/weights")])
    assert told == {"clip": 1, "missing_weights": "some/weights"}
    assert "no connection, no file" in printed


def test_a_package_that_does_not_load_is_missing_and_a_model_that_fails_is_not(tmp_path: Path) -> None:
    """One that was built for another torch raises what it likes while it is imported."""
    built_for_another = "raise RuntimeError('operator vggt::nms does not exist')\n"
    broken = {**VGGT, "vggt/__init__.py": built_for_another}
    (told,), _ = answers("vggt", broken, tmp_path / "broken", [request(1)])
    assert told["missing_package"] == "vggt"
    assert "vggt does not load: RuntimeError: operator vggt::nms does not exist; install it" in told["error"]
    failing = {file: text.replace("assert images.shape", "assert not images.shape") for file, text in VGGT.items()}
    (told,), _ = answers("vggt", failing, tmp_path / "failing", [request(1)])
    assert "missing_package" not in told
    assert told["error"].startswith("AssertionError")
