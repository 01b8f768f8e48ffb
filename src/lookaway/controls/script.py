"""The camera script itself, for worlds that are driven by it."""

from __future__ import annotations

from lookaway.controls import AskedCamera, EncodedCamera, Files, control
from lookaway.geometry.script import in_seconds, poses_at
from lookaway.geometry.trajectory import Trajectory

FILE = "script.txt"


def read(files: Files, asked: AskedCamera) -> Trajectory:
    poses = poses_at(files[FILE].decode().strip(), asked.path.seconds, asked.pitch_deg)
    return Trajectory(poses, asked.path.intrinsics, asked.path.seconds)


@control(version=1, decode=read)
def script(asked: AskedCamera) -> EncodedCamera:
    """One line of text, every move in seconds; see docs/camera-scripts.md."""
    files = {FILE: f"{in_seconds(asked.script, asked.shape.fps)}\n".encode()} if asked.moves else {}
    return EncodedCamera(files, read(files, asked))
