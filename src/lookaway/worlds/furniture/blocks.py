"""Plain solids: boxes without cuts, made quickly in large numbers, and meshes with flat sides."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.mesh import Mesh, box

UNIT = box(1.0, 1.0, 1.0, cut_m=2.0)
ALONG = np.abs(UNIT.normals).argmax(axis=1)
UV_AXES = np.array([(1, 2), (0, 2), (0, 1)])[ALONG]  # the two axes that a face with that normal spans


def block(size_x: float, size_y: float, size_z: float) -> Mesh:
    """Like `box`: standing on z = 0, centred in x and y."""
    size = np.array([size_x, size_y, size_z])
    return Mesh(UNIT.points * size, UNIT.normals, UNIT.uv * size[UV_AXES], UNIT.faces)


def facetted(mesh: Mesh) -> Mesh:
    """The mesh with every triangle flat, as wanted of a lathe with few sides."""
    corners = mesh.points[mesh.faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(across, axis=1)
    kept = area > 1e-9
    flat = across[kept] / area[kept, None]
    smooth = mesh.normals[mesh.faces[kept]].sum(axis=1)
    flat *= np.where(np.einsum("ij,ij->i", flat, smooth) < 0, -1.0, 1.0)[:, None]
    faces = np.arange(3 * len(flat), dtype=np.int32).reshape(-1, 3)
    uv = mesh.uv[mesh.faces[kept]].reshape(-1, 2)
    return Mesh(corners[kept].reshape(-1, 3), np.repeat(flat, 3, axis=0), uv, faces)
