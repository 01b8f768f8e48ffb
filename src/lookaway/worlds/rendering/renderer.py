"""Pictures of a world: still views are kept per camera pose, only what bodies touch is traced again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lookaway.worlds.arrays import Bytes, FloatArray, Floats, Ints, Mask
from lookaway.worlds.mesh import Mesh
from lookaway.worlds.rendering.antialias import edges, grown, pixel_mean, subpixel_places
from lookaway.worlds.rendering.camera import Camera
from lookaway.worlds.rendering.moving import Moving
from lookaway.worlds.rendering.shader import Shade, displayed
from lookaway.worlds.rendering.tracer import Tracer

CACHE_BYTES = 192_000_000
NEAR_M = 0.05
MARGIN_PX = 3

Halves: TypeAlias = npt.NDArray[np.float16]


@dataclass(frozen=True)
class Still:
    """The view of a pose without any body, one row per pixel; halves keep the cache small."""

    ambient: Halves
    lamp: Halves
    normals: Halves
    depth: Floats
    part: Ints

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in vars(self).values())


@dataclass(frozen=True)
class Picture:
    """Display colour, z-depth and part number of every pixel."""

    rgb: Bytes
    depth: Floats
    part: Ints


class Renderer:
    """Renders one world at one image size."""

    def __init__(self, tracer: Tracer, intrinsics: FloatArray, size: tuple[int, int]) -> None:
        self._tracer, self._intrinsics = tracer, intrinsics
        self._width, self._height = size
        self._stills: OrderedDict[bytes, Still] = OrderedDict()

    def picture(self, camera_to_world: FloatArray, bodies: Sequence[tuple[int, Mesh]]) -> Picture:
        """The world with those bodies (part number, posed mesh) from that camera."""
        camera = Camera(self._intrinsics, camera_to_world)
        still = self._still(camera)
        shade = Shade(still.ambient.astype(np.float32), still.lamp.astype(np.float32))
        depth, part = still.depth.copy(), still.part.copy()
        if bodies:
            moving = Moving.of(bodies)
            self._cast_shadows(camera, still, moving, shade)
            self._draw_bodies(camera, still, moving, shade, depth, part)
        rgb = (displayed(shade.ambient + shade.lamp) * 255 + 0.5).astype(np.uint8)
        image = (self._height, self._width)
        return Picture(rgb.reshape(*image, 3), depth.reshape(image), part.reshape(image))

    def _still(self, camera: Camera) -> Still:
        key = camera.camera_to_world.tobytes()
        if key in self._stills:
            self._stills.move_to_end(key)
            return self._stills[key]
        still = self._trace_still(camera)
        self._stills[key] = still
        while len(self._stills) * still.nbytes > CACHE_BYTES and len(self._stills) > 1:
            self._stills.popitem(last=False)
        return still

    def _trace_still(self, camera: Camera) -> Still:
        pixels = np.arange(self._width * self._height, dtype=np.int32)
        surface, shade = self._tracer.trace(camera.rays(*self._centres(pixels)), None)
        image = (self._height, self._width)
        jagged = np.flatnonzero(edges(surface.part.reshape(image), surface.normals.reshape(*image, 3)))
        self._refine(camera, jagged.astype(np.int32), None, shade)
        return Still(
            ambient=shade.ambient.astype(np.float16),
            lamp=shade.lamp.astype(np.float16),
            normals=surface.normals.astype(np.float16),
            depth=surface.depth,
            part=surface.part,
        )

    def _cast_shadows(self, camera: Camera, still: Still, moving: Moving, shade: Shade) -> None:
        lit = np.flatnonzero(still.lamp.any(axis=1)).astype(np.int32)
        rays = camera.rays(*self._centres(lit))
        points = rays.origins + rays.directions * still.depth[lit, None]
        normals = still.normals[lit].astype(np.float32)
        shade.lamp[lit] *= moving.lamp_share(points, normals, self._tracer.light)[:, None]

    def _draw_bodies(
        self, camera: Camera, still: Still, moving: Moving, shade: Shade, depth: Floats, part: Ints
    ) -> None:
        window = self._window(camera, moving)
        pixels = np.flatnonzero(window).astype(np.int32)
        if not len(pixels):
            return
        rays = camera.rays(*self._centres(pixels))
        rows, surface = self._tracer.nearest_moving(rays, moving, still.depth[pixels])
        covered = pixels[rows]
        if not len(covered):
            return
        front = self._tracer.shade(camera.rays(*self._centres(covered)), surface)
        shade.ambient[covered], shade.lamp[covered] = front.ambient, front.lamp
        depth[covered], part[covered] = surface.depth, surface.part
        normals = still.normals.astype(np.float32)
        normals[covered] = surface.normals
        jagged = self._edges_beside(covered, part, normals)
        self._refine(camera, jagged, moving, shade)

    def _edges_beside(self, covered: Ints, part: Ints, normals: Floats) -> Ints:
        image = (self._height, self._width)
        body = np.zeros(self._width * self._height, bool)
        body[covered] = True
        outline = edges(part.reshape(image), normals.reshape(*image, 3)) & grown(body.reshape(image))
        return np.flatnonzero(outline).astype(np.int32)

    def _refine(self, camera: Camera, pixels: Ints, moving: Moving | None, shade: Shade) -> None:
        rays = camera.rays(*subpixel_places(pixels, self._width))
        _, fine = self._tracer.trace(rays, moving)
        shade.ambient[pixels], shade.lamp[pixels] = pixel_mean(fine.ambient), pixel_mean(fine.lamp)

    def _window(self, camera: Camera, moving: Moving) -> Mask:
        """Pixels that the bodies' bounding rectangles cover."""
        window = np.zeros((self._height, self._width), bool)
        for mesh in moving.meshes:
            places = camera.project(mesh.points)
            in_front = places[:, 2] > NEAR_M
            if not in_front.any():
                continue
            if not in_front.all():
                window[:] = True
                continue
            left, top = np.maximum(places[:, :2].min(axis=0) - MARGIN_PX, 0).astype(int)
            right, bottom = np.maximum(places[:, :2].max(axis=0) + MARGIN_PX, 0).astype(int)
            window[top:bottom, left:right] = True
        return window

    def _centres(self, pixels: Ints) -> tuple[Floats, Floats]:
        half = np.float32(0.5)
        return pixels % self._width + half, pixels // self._width + half
