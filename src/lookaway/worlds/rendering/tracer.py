"""From rays to lit surfaces: baked light on static triangles, traced light on bodies, glass on top."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from lookaway.worlds.arrays import Floats, Mask
from lookaway.worlds.parts import Part
from lookaway.worlds.rendering.antialias import SUBPIXELS, Centres, subpixel_places
from lookaway.worlds.rendering.baking import UNLIT, baked, skylight
from lookaway.worlds.rendering.camera import Camera, Rays
from lookaway.worlds.rendering.light import Lamp, Light, column
from lookaway.worlds.rendering.moving import SHADOW_SAMPLES, Moving
from lookaway.worlds.rendering.shader import Shade, Shader, Surface
from lookaway.worlds.rendering.soup import Hits, Rows, Soup, Spread, dot, looked_up, put_columns

FAR_M = 1000.0
GLASS_WALLS = 2
PAST_WALL_M = np.float32(2e-3)
FLOOR = np.array([-np.inf, -np.inf, -0.05], np.float32)


class Tracer:
    """Parts are numbered: the static ones first, then the bodies. Light is baked when it is first needed."""

    def __init__(
        self,
        static: Sequence[Part],
        bodies: Sequence[Part],
        glass: Sequence[Part],
        light: Light,
        lamp: Lamp | None,
        focal: float,
        rng: np.random.Generator,
    ) -> None:
        self.light, self.lamp = light, lamp
        self._materials = [part.material for part in static], [part.material for part in bodies]
        self._focal, self._rng = focal, rng
        self._static = Soup([part.mesh for part in static], range(len(static)))
        self._glass = Soup([part.mesh for part in glass], range(len(glass))) if glass else None

    @cached_property
    def _shader(self) -> Shader:
        return Shader(*self._materials, self.light, self.lamp, self._focal)

    @cached_property
    def _baked(self) -> Spread:
        return baked(self._static, self.light, self.lamp, self._rng)

    @property
    def room_box(self) -> tuple[Floats, Floats]:
        """Lowest and highest corner of everything static that can be seen: nothing lies under the floor."""
        low, high = self._static.box
        return np.maximum(low, FLOOR), high

    def static_hits(self, rays: Rays) -> Hits:
        """Where every ray meets the room; triangle 0 at FAR_M where there is nothing."""
        hits = self._static.nearest(rays.origins, rays.directions)
        missed = np.flatnonzero(hits.triangle < 0)
        hits.triangle[missed], hits.distance[missed], hits.u[missed], hits.v[missed] = 0, FAR_M, 0, 0
        return hits

    def nearest_static(self, rays: Rays) -> tuple[Floats, Rows, Hits]:
        """Depth and part of every ray, and the hits they are from."""
        hits = self.static_hits(rays)
        return hits.distance, self._static.tags(hits.triangle), hits

    def nearest_moving(self, rays: Rays, moving: Moving, limit: Floats) -> tuple[Rows, Hits]:
        """The rays that meet a body before the limit, and what they meet."""
        hits = moving.soup.nearest(rays.origins, rays.directions)
        rows = np.flatnonzero((hits.triangle >= 0) & (hits.distance < limit))
        return rows, hits.some(rows)

    def static(self, rays: Rays, hits: Hits, power: float, normals: Floats | None = None) -> Surface:
        """Lit surfaces of the room where these rays met it, the process's own lamp at that power."""
        depth, part = hits.distance, self._static.tags(hits.triangle)
        if normals is None:
            normals = self._static.normals_at(hits, rays.directions)
        direct, around, *visible = self._baked.at(hits)
        void = depth >= FAR_M
        if void.any():
            direct[void] = around[void] = 0
        own = None
        if self.lamp is not None and power > 0:
            own = self.lamp.strength(rays.at(depth), normals) * visible[0] * np.float32(power)
        return Surface(depth, normals, self._static.uv(hits), part, direct, around, own)

    def bodies(self, rays: Rays, hits: Hits, moving: Moving, power: float, dealt: Rows | None = None) -> Surface:
        """Lit surfaces of bodies that these rays met; `dealt` numbers the rays of one pixel."""
        normals = moving.soup.normals_at(hits, rays.directions)
        points = rays.at(hits.distance)
        direct = self.light.strength(points, normals)
        lit = np.flatnonzero(direct > UNLIT)
        blockers = [self._static, moving.soup]
        asked = None if dealt is None else dealt.take(lit)
        direct[lit] *= self._reach(points.take(lit, axis=1), normals.take(lit, axis=1), blockers, asked)
        around = (np.float32(0.8) + np.float32(0.2) * normals[2]) * skylight(normals)
        own = None
        if self.lamp is not None and power > 0:
            own = self.lamp.strength(points, normals) * np.float32(power)
        part = moving.soup.tags(hits.triangle)
        return Surface(hits.distance, normals, moving.soup.uv(hits), part, direct, around, own)

    def shadow(self, points: Floats, normals: Floats, moving: Moving, dealt: Rows | None = None) -> Floats:
        """Share of the lamp that bodies leave to each point."""
        return self._reach(points, normals, [moving.soup], dealt)

    def beside_centres(
        self, camera: Camera, pixels: Rows, asked: Mask, centres: Centres, moving: Moving | None, power: float
    ) -> tuple[Mask, Shade]:
        """Of the subpixel rays that are asked (N, 4), those that meet another surface than their pixel's centre does.

        Gives them as a mask (N, 4) and their colours in its order.
        """
        places = np.flatnonzero(asked)
        rows = places // len(SUBPIXELS)
        subpixel, own_pixel = places - rows * len(SUBPIXELS), pixels.take(rows)
        rays = camera.rays(*subpixel_places(own_pixel, subpixel, camera.size[0]))
        depth, part, hits = self.nearest_static(rays)
        room_normals = self._static.normals_at(hits, rays.directions)
        normals = room_normals
        if moving is not None:
            covered, front = self.nearest_moving(rays, moving, depth)
            part[covered], normals = moving.soup.tags(front.triangle), normals.copy()
            put_columns(normals, covered, moving.soup.normals_at(front, rays.some(covered).directions))
        others = np.flatnonzero(centres.differ(own_pixel, part, normals))
        rays = rays.some(others)
        surface = self.static(rays, hits.some(others), power, looked_up(room_normals, others))
        if moving is not None:
            self._put_bodies(rays, surface, moving, power, subpixel.take(others))
        differ = np.zeros_like(asked)
        differ.reshape(-1)[places.take(others)] = True
        return differ, self.shade(rays, surface)

    def shade(self, rays: Rays, surface: Surface) -> Shade:
        """Colour of the surface, seen through whatever glass stands in front of it."""
        shade = self._shader.shade(rays, surface)
        if self._glass is None:
            return shade
        rows = self._towards_glass(rays)
        if not len(rows):
            return shade
        passed = np.zeros(len(rows), np.float32)
        for _ in range(GLASS_WALLS):
            looking = rays.some(rows)
            hits = self._glass.nearest(looking.at(passed), looking.directions)
            distance = passed + hits.distance
            passes = (hits.triangle >= 0) & (distance < surface.depth.take(rows) - PAST_WALL_M)
            before = np.flatnonzero(passes)
            if not len(before):
                break
            rows, distance, looking = rows[before], distance[before], looking.some(before)
            normals = self._glass.normals_at(hits.some(before), looking.directions)
            self._shader.through_glass(shade, looking, rows, distance, normals)
            passed = distance + PAST_WALL_M
        return shade

    def _put_bodies(self, rays: Rays, surface: Surface, moving: Moving, power: float, dealt: Rows) -> None:
        """Put bodies before a surface and their shadows onto it."""
        lit = np.flatnonzero(surface.direct > UNLIT)
        points, normals = rays.some(lit).at(surface.depth.take(lit)), surface.normals.take(lit, axis=1)
        surface.direct[lit] *= self.shadow(points, normals, moving, dealt.take(lit))
        covered, hits = self.nearest_moving(rays, moving, surface.depth)
        if len(covered):
            surface.put(covered, self.bodies(rays.some(covered), hits, moving, power, dealt.take(covered)))

    def _towards_glass(self, rays: Rays) -> Rows:
        """The rays that pass the box around all glass, looked for among those that pass the ball around it."""
        assert self._glass is not None
        low, high = self._glass.box
        to_ball = column((low + high) / 2) - rays.origin[:, None]
        along = dot(to_ball, rays.directions)
        along *= along
        least = dot(to_ball, to_ball) - ((high - low) ** 2).sum() / 4
        rows = np.flatnonzero(along > least * rays.squared_lengths)
        return rows[rays.some(rows).pass_box(low, high)]

    def _reach(self, points: Floats, normals: Floats, blockers: Sequence[Soup], dealt: Rows | None) -> Floats:
        if dealt is None:
            return self.light.reach(points, normals, blockers, SHADOW_SAMPLES)
        return self.light.shared_reach(points, normals, blockers, SHADOW_SAMPLES, dealt, len(SUBPIXELS))
