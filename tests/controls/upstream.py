"""Readers of camera files as the models' own programs read them, written from those formats, sharing no code with ours.

Each gives camera-to-world (N, 4, 4), x right, y down, z forward, first pose identity, and focal lengths in pixels.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping

import numpy as np

Read = Callable[[Mapping[str, bytes], int, int], tuple[np.ndarray, np.ndarray]]


def videox_fun(files: Mapping[str, bytes], width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    """One header line; id, fx fy cx cy, two zeros, twelve numbers; fitted from 1280x720 to the video's shape."""
    rows = [
        [float(number) for number in line.split(" ")] for line in files["camera.txt"].decode().split("\n")[1:] if line
    ]
    poses, focals = [], []
    for row in rows:
        fx, fy = row[1:3]
        if width / height > 1280 / 720:
            fx *= height * 1280 / 720 / width
        else:
            fy *= width / (1280 / 720) / height
        world_to_camera = np.vstack([np.reshape(row[7:], (3, 4)), [0, 0, 0, 1]])
        poses.append(np.linalg.inv(world_to_camera))
        focals.append((fx * width, fy * height))
    first = np.linalg.inv(poses[0])
    return np.array([first @ pose for pose in poses]), np.array(focals)


def lingbot_world(files: Mapping[str, bytes], width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    """poses.npy (F, 4, 4) camera to world, intrinsics.npy (F, 4) with fx fy cx cy in pixels."""
    poses, lens = (np.load(io.BytesIO(files[name])) for name in ("poses.npy", "intrinsics.npy"))
    assert poses.shape == (len(lens), 4, 4)
    assert lens.shape[1] == 4
    return poses, lens[:, :2]


READERS: dict[str, Read] = {
    **dict.fromkeys(("wan-fun-2.1-1.3b", "wan-fun-2.1-14b", "wan-fun-2.2-5b", "wan-fun-2.2-a14b"), videox_fun),
    **dict.fromkeys(("lingbot-world-cam", "lingbot-world-act"), lingbot_world),
}
