"""A ray per pixel: where it starts and where it goes, for every frame."""

from __future__ import annotations

import io

import numpy as np

from lookaway.controls import AskedCamera, EncodedCamera, Files, control
from lookaway.controls.dialect import Dialect
from lookaway.errors import UsageError
from lookaway.geometry.trajectory import Floats, Trajectory

FILE = "rays.npy"
_CHANNELS = ("direction, origin", "moment, direction")


def read(files: Files, asked: AskedCamera) -> Trajectory:
    dialect = Dialect.of(asked.card)
    rays = np.load(io.BytesIO(files[FILE]))
    first, second = rays[..., :3].reshape(len(rays), -1, 3), rays[..., 3:].reshape(len(rays), -1, 3)
    directions, origins = (first, _bent(second, asked, back=True)) if _start(asked) else (second, None)
    matrices = np.tile(np.eye(4), (len(rays), 1, 1))
    own = _grid(asked).reshape(-1, 3)
    for i, directed in enumerate(directions):
        u, _, vt = np.linalg.svd(directed.T @ own)
        matrices[i, :3, :3] = u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt
        matrices[i, :3, 3] = origins[i].mean(axis=0) if origins is not None else _crossing(directed, first[i])
    return dialect.path(matrices, asked.path)


@control(version=1, decode=read)
def plucker(asked: AskedCamera) -> EncodedCamera:
    """Rays (frames, rows, columns, 6): unit directions and origins, or moments and unit directions."""
    dialect = Dialect.of(asked.card)
    matrices = dialect.matrices(asked.path)
    own = _grid(asked)
    directions = np.einsum("nij,hwj->nhwi", matrices[:, :3, :3], own)
    origins = np.broadcast_to(matrices[:, None, None, :3, 3], directions.shape)
    parts = (directions, _bent(origins, asked)) if _start(asked) else (np.cross(origins, directions), directions)
    buffer = io.BytesIO()
    np.save(buffer, np.concatenate(parts, axis=-1))
    return EncodedCamera({FILE: buffer.getvalue()}, dialect.path(matrices, asked.path))


def _start(asked: AskedCamera) -> bool:
    """Are origins told as such, rather than by moments?"""
    rays = str(asked.card.control_settings.get("rays", "moment, direction"))
    if rays not in _CHANNELS:
        raise UsageError(f"card '{asked.card.name}', control_settings.rays: '{rays}' is not one of {_CHANNELS}")
    return rays == "direction, origin"


def _grid(asked: AskedCamera) -> Floats:
    """Unit rays (rows, columns, 3) through the middles of the picture's blocks, in the first camera's axes."""
    step = int(asked.card.control_settings.get("downscale", 1))
    width, height = asked.shape.width, asked.shape.height
    x, y = np.meshgrid(np.arange(step / 2, width, step), np.arange(step / 2, height, step))
    k = asked.path.intrinsics[0]
    rays = np.stack([(x - k[0, 2]) / k[0, 0], (y - k[1, 2]) / k[1, 1], np.ones_like(x)], axis=-1)
    return np.asarray(rays / np.linalg.norm(rays, axis=-1, keepdims=True))


def _bent(origins: Floats, asked: AskedCamera, back: bool = False) -> Floats:
    """Origins as the card's curve bends them, or unbent."""
    if asked.card.control_settings.get("translation_curve") != "signed_log1p":
        return origins
    return np.asarray(np.sign(origins) * (np.expm1 if back else np.log1p)(np.abs(origins)))


def _crossing(directions: Floats, moments: Floats) -> Floats:
    """The point that all rays pass through: origin x direction = moment for each of them."""
    x, y, z = directions.T
    zero = np.zeros_like(x)
    crossed = np.stack([zero, z, -y, -z, zero, x, y, -x, zero], axis=1).reshape(-1, 3)
    return np.asarray(np.linalg.lstsq(crossed, moments.reshape(-1), rcond=None)[0])
