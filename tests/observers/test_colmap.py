"""COLMAP for real, where pycolmap is installed: here, or in the environment whose Python PYCOLMAP_PYTHON names."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.script import duration, poses_at
from lookaway.observers import Look, pipe
from lookaway.observers.pose_workers import Colmap, colmap
from lookaway.outcomes import Abstain
from lookaway.records import WorldSpec
from lookaway.video import SharedFrames, encode
from tests.builders import task

PYTHON = os.environ.get("PYCOLMAP_PYTHON", sys.executable)
# asked of another process: pycolmap imported before cv2 breaks cv2's PNG writer
INSTALLED = subprocess.run([PYTHON, "-c", "import pycolmap"], capture_output=True, check=False).returncode == 0
pytestmark = pytest.mark.skipif(not INSTALLED, reason="pycolmap is not installed")


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    yield
    pipe.end_all()


def filmed(script: str, folder: Path) -> tuple[Colmap | Abstain, np.ndarray]:
    """What COLMAP makes of 17 frames of a clip, and its true poses."""
    from lookaway.worlds.world import World

    world = World(WorldSpec(layout="parlour", process="ball", seed=0), (320, 180))
    seconds = np.arange(duration(script) * 16 + 1) / 16
    true = poses_at(script, seconds, world.pitch_deg)
    views = [world.render(world.home @ pose, float(at)) for pose, at in zip(true, seconds, strict=True)]
    encode([view.rgb for view in views], folder / "clip.mp4", 16.0)
    with SharedFrames.load(folder / "clip.mp4") as frames:
        settings = {"command": f"{PYTHON} {{worker}}", "frames": 17}
        return colmap(Look(frames, task(), frames.rgb[0], None, settings)), true


def test_an_orbit_is_recovered(tmp_path: Path) -> None:
    found, true = filmed("orbit:left:30:2@2s", tmp_path)
    assert not isinstance(found, Abstain), found.reason
    assert found.trusted.mean() > 0.9
    assert np.quantile(turn_deg(found.rotation, true)[found.trusted], 0.95) < 1.0
    places, asked = found.translation, true[:, :3, 3]
    scale = (places * asked).sum() / (places * places).sum()
    assert np.linalg.norm(scale * places - asked, axis=1).max() < 0.05


def test_a_camera_that_only_turns_is_not_measurable(tmp_path: Path) -> None:
    found, _ = filmed("yaw:left:45@1s", tmp_path)
    assert isinstance(found, Abstain)
    assert "parallax" in found.reason
