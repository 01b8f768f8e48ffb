"""From rays to lit surfaces: baked light on static triangles, traced light on bodies, glass on top."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookaway.worlds.arrays import Floats, Ints
from lookaway.worlds.parts import Part
from lookaway.worlds.rendering.baking import bake
from lookaway.worlds.rendering.camera import Rays
from lookaway.worlds.rendering.light import Light
from lookaway.worlds.rendering.moving import SHADOW_SAMPLES, Moving
from lookaway.worlds.rendering.shader import Shade, Shader, Surface
from lookaway.worlds.rendering.soup import LIGHT, NORMAL, UV, Soup

FAR_M = 1000.0
GLASS_WALLS = 2
PAST_WALL_M = np.float32(2e-3)


class Tracer:
    """Parts are numbered: the static ones first, then the bodies."""

    def __init__(
        self,
        static: Sequence[Part],
        bodies: Sequence[Part],
        glass: Sequence[Part],
        light: Light,
        focal: float,
        rng: np.random.Generator,
    ) -> None:
        self.light = light
        self._static = Soup([part.mesh for part in static], range(len(static)))
        self._glass = Soup([part.mesh for part in glass], range(len(glass))) if glass else None
        self._shader = Shader([part.material for part in (*static, *bodies)], light, focal)
        bake(self._static, light, rng)

    def trace(self, rays: Rays, moving: Moving | None) -> tuple[Surface, Shade]:
        """What the rays see of the whole world."""
        surface = self._nearest_static(rays)
        if moving is not None:
            surface.direct[:] *= moving.lamp_share(surface.points, surface.normals, self.light)
            rows, front = self.nearest_moving(rays, moving, surface.depth)
            for whole, piece in zip(vars(surface).values(), vars(front).values(), strict=True):
                whole[rows] = piece
        return surface, self.shade(rays, surface)

    def nearest_moving(self, rays: Rays, moving: Moving, limit: Floats) -> tuple[Ints, Surface]:
        """The rays that meet a body before the limit, and what they meet."""
        hits = moving.soup.nearest(rays.origins, rays.directions)
        rows = np.flatnonzero((hits.triangle >= 0) & (hits.distance < limit)).astype(np.int32)
        attributes, part = moving.soup.attributes(hits, rows)
        directions, depth = rays.directions[rows], hits.distance[rows]
        points = rays.origins[rows] + directions * depth[:, None]
        normals = towards_viewer(attributes[:, NORMAL], directions)
        direct = self.light.strength(points, normals)
        direct *= self.light.reach(points, normals, [self._static, moving.soup], SHADOW_SAMPLES)
        openness = 0.8 + 0.2 * normals[:, 2]
        return rows, Surface(depth, points, normals, attributes[:, UV], part, direct, openness)

    def shade(self, rays: Rays, surface: Surface) -> Shade:
        """Colour of the surface, seen through whatever glass stands in front of it."""
        shade = self._shader.shade(rays, surface)
        if self._glass is None:
            return shade
        rows = np.arange(len(surface.depth), dtype=np.int32)
        passed = np.zeros(len(rows), np.float32)
        for _ in range(GLASS_WALLS):
            starts = rays.origins[rows] + rays.directions[rows] * passed[:, None]
            hits = self._glass.nearest(np.ascontiguousarray(starts), np.ascontiguousarray(rays.directions[rows]))
            distance = passed + hits.distance
            before = np.flatnonzero((hits.triangle >= 0) & (distance < surface.depth[rows] - PAST_WALL_M))
            if not len(before):
                break
            attributes, _ = self._glass.attributes(hits, before.astype(np.int32))
            rows, distance = rows[before], distance[before]
            self._shader.through_glass(shade, rays, rows, distance, attributes[:, NORMAL])
            passed = distance + PAST_WALL_M
        return shade

    def _nearest_static(self, rays: Rays) -> Surface:
        hits = self._static.nearest(rays.origins, rays.directions)
        rows = np.flatnonzero(hits.triangle >= 0).astype(np.int32)
        count = len(hits.triangle)
        attributes = np.zeros((count, 7), np.float32)
        part = np.zeros(count, np.int32)
        attributes[rows], part[rows] = self._static.attributes(hits, rows)
        depth = np.full(count, FAR_M, np.float32)
        depth[rows] = hits.distance[rows]
        points = rays.origins + rays.directions * depth[:, None]
        normals = towards_viewer(attributes[:, NORMAL], rays.directions)
        direct, openness = attributes[:, LIGHT].T.copy()
        return Surface(depth, points, normals, attributes[:, UV], part, direct, openness)


def towards_viewer(normals: Floats, directions: Floats) -> Floats:
    """Normals flipped where they point along the ray."""
    flip: Floats = np.where(np.einsum("ij,ij->i", normals, directions) > 0, -1, 1).astype(np.float32)
    return normals * flip[:, None]
