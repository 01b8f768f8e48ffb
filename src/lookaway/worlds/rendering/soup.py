"""Triangles of many parts in one embree scene: nearest hits, surface attributes and shadow tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.worlds.arrays import Floats, Ints, Mask
from lookaway.worlds.extras import need
from lookaway.worlds.mesh import Mesh

NORMAL, UV, LIGHT = slice(0, 3), slice(3, 5), slice(5, 7)


@dataclass(frozen=True)
class Hits:
    """Nearest triangle of each ray (-1: none), distance in ray lengths, barycentric coordinates."""

    triangle: Ints
    distance: Floats
    u: Floats
    v: Floats


class Soup:
    """Meshes with an integer tag each; `light` holds (direct, openness) per vertex once it is baked."""

    def __init__(self, meshes: Sequence[Mesh], tags: Sequence[int]) -> None:
        starts = np.cumsum([0] + [len(mesh.points) for mesh in meshes[:-1]])
        self.points: Floats = np.concatenate([mesh.points for mesh in meshes]).astype(np.float32)
        self.faces: Ints = np.concatenate(
            [mesh.faces + start for mesh, start in zip(meshes, starts, strict=True)]
        ).astype(np.int32)
        self.tags: Ints = np.repeat(tags, [len(mesh.faces) for mesh in meshes]).astype(np.int32)
        self._attributes: Floats = np.zeros((len(self.points), 7), np.float32)
        self._attributes[:, NORMAL] = np.concatenate([mesh.normals for mesh in meshes])
        self._attributes[:, UV] = np.concatenate([mesh.uv for mesh in meshes])
        self._scene = need("embreex.rtcore_scene").EmbreeScene()
        self._mesh = need("embreex.mesh_construction").TriangleMesh(self._scene, self.points, self.faces)

    @property
    def normals(self) -> Floats:
        return self._attributes[:, NORMAL]

    def keep_light(self, direct: Floats, openness: Floats) -> None:
        """Store baked light on the vertices."""
        self._attributes[:, LIGHT] = np.stack([direct, openness], axis=1)

    def nearest(self, origins: Floats, directions: Floats) -> Hits:
        """First hit of every ray."""
        found = self._scene.run(origins, directions, output=1)
        return Hits(found["primID"], found["tfar"], found["u"], found["v"])

    def blocked(self, origins: Floats, towards: Floats) -> Mask:
        """True where something lies on the segment from origin to origin + towards."""
        lengths = np.full(len(origins), 0.999, np.float32)
        segments = np.ascontiguousarray(towards, np.float32)
        found = self._scene.run(np.ascontiguousarray(origins, np.float32), segments, lengths, "OCCLUDED")
        answer: Mask = np.asarray(found) != -1
        return answer

    def attributes(self, hits: Hits, rows: Ints) -> tuple[Floats, Ints]:
        """Normal, uv and baked light of the hits of those rays, and the tags of their meshes."""
        triangle = hits.triangle[rows]
        corners = self.faces[triangle]
        u, v = hits.u[rows, None], hits.v[rows, None]
        table = self._attributes
        mixed = table[corners[:, 0]] * (1 - u - v) + table[corners[:, 1]] * u + table[corners[:, 2]] * v
        mixed[:, NORMAL] /= np.linalg.norm(mixed[:, NORMAL], axis=1, keepdims=True) + np.float32(1e-9)
        return mixed, self.tags[triangle]
