"""A camera path as lines of angles: one line per quantity, one number per frame."""

from __future__ import annotations

import numpy as np

from lookaway.controls import AskedCamera, EncodedCamera, Files
from lookaway.errors import UsageError
from lookaway.geometry.trajectory import Trajectory, pitch_matrix, yaw_matrix
from lookaway.records import ModelCard

FILE = "camera.txt"
UNSAID = "its angles say neither roll nor where the camera is"
_KNOWN = {
    "pitch_deg_up": ("pitch", 1),
    "yaw_deg_left": ("yaw", -1),
    "yaw_deg_right": ("yaw", 1),
    "displacement": ("", 0),
}


def speaks(card: ModelCard) -> bool:
    return card.control_settings.get("format") == "lines"


def said(asked: AskedCamera) -> EncodedCamera:
    names = _names(asked.card)
    angles = {"yaw": asked.path.yaw_deg(), "pitch": asked.path.pitch_deg()}
    rows = [sign * angles[name] if name else np.zeros(len(asked.path)) for name, sign in names]
    files = {FILE: "".join(" ".join(f"{value:.6f}" for value in row) + "\n" for row in rows).encode()}
    return EncodedCamera(files, read(files, asked), warnings=(UNSAID,))


def read(files: Files, asked: AskedCamera) -> Trajectory:
    turned = {"yaw": np.zeros(len(asked.path)), "pitch": np.zeros(len(asked.path))}
    for (name, sign), line in zip(_names(asked.card), files[FILE].decode().splitlines(), strict=True):
        if name:
            turned[name] = sign * np.array(line.split(), float)
    poses = np.tile(np.eye(4), (len(asked.path), 1, 1))
    poses[:, :3, :3] = [
        yaw_matrix(yaw) @ pitch_matrix(pitch) for yaw, pitch in zip(turned["yaw"], turned["pitch"], strict=True)
    ]
    return Trajectory(poses, asked.path.intrinsics, asked.path.seconds)


def _names(card: ModelCard) -> list[tuple[str, int]]:
    listed = [name.strip() for name in str(card.control_settings["lines"]).split(",")]
    if unknown := [name for name in listed if name not in _KNOWN]:
        raise UsageError(f"card '{card.name}', control_settings.lines: no '{unknown[0]}'; known: {', '.join(_KNOWN)}")
    return [_KNOWN[name] for name in listed]
