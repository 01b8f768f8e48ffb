"""Triangles of many parts in one embree scene: nearest hits, surface attributes and shadow tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from lookaway.worlds.arrays import Floats, Ints, Mask
from lookaway.worlds.extras import need
from lookaway.worlds.mesh import Mesh

Number = TypeVar("Number", bound=np.generic)
Rows: TypeAlias = npt.NDArray[np.intp]  # numbers of things, of the type that lookups take

SHORT_OF_END = np.float32(0.999)


@dataclass(frozen=True)
class Hits:
    """Nearest triangle of each ray (-1: none), distance in ray lengths, barycentric coordinates."""

    triangle: Rows
    distance: Floats
    u: Floats
    v: Floats

    def some(self, rows: Rows) -> Hits:
        return Hits(*(looked_up(array, rows) for array in vars(self).values()))


class Spread:
    """Values on triangle corners, spread linearly over the triangles."""

    def __init__(self, values: Floats, faces: Ints) -> None:
        first, second, third = (np.ascontiguousarray(values[:, faces[:, corner]]) for corner in range(3))
        self._base, self._along_u, self._along_v = first, second - first, third - first

    def at(self, hits: Hits) -> Floats:
        """One row per value, one column per hit."""
        values = looked_up(self._along_u, hits.triangle)
        values *= hits.u
        values += looked_up(self._base, hits.triangle)
        slant = looked_up(self._along_v, hits.triangle)
        slant *= hits.v
        values += slant
        return values

    @property
    def changing(self) -> Mask:
        """Triangles on which some value changes."""
        return np.asarray(np.concatenate([self._along_u, self._along_v]).any(axis=0))


@cache
def device() -> Any:
    """One embree device serves all scenes."""
    return need("embreex.rtcore").EmbreeDevice()


class Soup:
    """Meshes with an integer tag each; points and normals are (3, vertices)."""

    def __init__(self, meshes: Sequence[Mesh], tags: Sequence[int]) -> None:
        starts = np.cumsum([0] + [len(mesh.points) for mesh in meshes[:-1]])
        corners = np.concatenate([mesh.points for mesh in meshes]).astype(np.float32)
        self.faces: Ints = np.concatenate(
            [mesh.faces + start for mesh, start in zip(meshes, starts, strict=True)]
        ).astype(np.int32)
        self.points: Floats = np.ascontiguousarray(corners.T)
        self.normals = np.concatenate([mesh.normals for mesh in meshes]).T.astype(np.float32, order="C")
        self._tags = np.repeat(tags, [len(mesh.faces) for mesh in meshes]).astype(np.intp)
        self._uv = Spread(np.concatenate([mesh.uv for mesh in meshes]).T.astype(np.float32), self.faces)
        self._slopes = Spread(self.normals, self.faces)
        self._curved = self._slopes.changing
        self._outward = outward(self.points, self.normals, self.faces)
        self._scene = need("embreex.rtcore_scene").EmbreeScene(device())
        self._mesh = need("embreex.mesh_construction").TriangleMesh(
            self._scene, corners.astype(object), listed(self.faces)
        )

    @cached_property
    def box(self) -> tuple[Floats, Floats]:
        """Lowest and highest corner."""
        return self.points.min(axis=1), self.points.max(axis=1)

    def nearest(self, origins: Floats, directions: Floats) -> Hits:
        """First hit of every ray; (3, N) each."""
        found = self._scene.run(origins.T, directions.T, output=1)
        return Hits(found["primID"].astype(np.intp), found["tfar"], found["u"], found["v"])

    def blocked(self, origins: Floats, towards: Floats) -> Mask:
        """True where something lies on the segment from origin to origin + towards."""
        lengths = np.full(origins.shape[1], SHORT_OF_END)
        found = self._scene.run(origins.T, towards.T, lengths, "OCCLUDED")
        answer: Mask = np.asarray(found) != -1
        return answer

    def tags(self, triangle: Rows) -> Rows:
        return looked_up(self._tags, triangle)

    def uv(self, hits: Hits) -> Floats:
        return self._uv.at(hits)

    def normals_at(self, hits: Hits, directions: Floats) -> Floats:
        """Unit normals of the side that those directions meet."""
        normals = looked_up(self._outward, hits.triangle)
        side = np.where(dot(normals, directions) > 0, np.float32(-1), np.float32(1))
        rows = np.flatnonzero(looked_up(self._curved, hits.triangle))
        if len(rows):
            put_columns(normals, rows, unit(self._slopes.at(hits.some(rows))))
        normals *= side
        return normals


def outward(points: Floats, normals: Floats, faces: Ints) -> Floats:
    """Unit normals of flat triangles, on the side of their corners' normals."""
    first, second, third = (points.take(faces[:, corner], axis=1) for corner in range(3))
    flat = unit(np.cross(second - first, third - first, axis=0))
    corners = normals.take(faces[:, 0], axis=1) + normals.take(faces[:, 1], axis=1) + normals.take(faces[:, 2], axis=1)
    return np.where(dot(flat, corners) < 0, -flat, flat)


def listed(faces: Ints) -> npt.NDArray[np.object_]:
    """The same corners as Python numbers: embreex asks for them one by one, and gets these in half the time."""
    rows = np.empty(len(faces), object)
    rows[:] = list(zip(*faces.T.tolist(), strict=True))
    return rows


def looked_up(table: npt.NDArray[Number], rows: Rows) -> npt.NDArray[Number]:
    """Entries of a table along its last axis; the rows must be valid, for nothing checks them."""
    return table.take(rows, axis=-1, mode="wrap")  # the quickest of its modes


def put_columns(table: npt.NDArray[Number], columns: slice | Rows, values: npt.NDArray[Number]) -> None:
    """`table[:, columns] = values`, row by row, which numpy does three times as fast."""
    for row, new in zip(table, values, strict=True):
        row[columns] = new


def dot(first: Floats, second: Floats) -> Floats:
    """Scalar products of the columns."""
    product: Floats = first[0] * second[0]
    product += first[1] * second[1]
    product += first[2] * second[2]
    return product


def unit(vectors: Floats) -> Floats:
    """The columns at length 1."""
    shortened: Floats = np.divide(vectors, np.sqrt(dot(vectors, vectors)) + np.float32(1e-9))
    return shortened
