"""Pictures of a world: still views are kept per camera pose, only what bodies touch is traced again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray, Floats, Ints
from lookaway.worlds.mesh import Mesh
from lookaway.worlds.rendering.antialias import Centres, edges, pixel_means, ray_places, subpixels_beside
from lookaway.worlds.rendering.camera import SPAN, Camera, spans
from lookaway.worlds.rendering.frame import Picture, RenderedFrame
from lookaway.worlds.rendering.moving import Moving
from lookaway.worlds.rendering.shader import Shade
from lookaway.worlds.rendering.still import Still
from lookaway.worlds.rendering.tracer import Tracer

__all__ = ["Picture", "Renderer"]

CACHE_BYTES = 192_000_000


class Renderer:
    """Renders one world at one image size."""

    def __init__(self, tracer: Tracer, intrinsics: FloatArray, size: tuple[int, int]) -> None:
        self._tracer, self._intrinsics, self._size = tracer, intrinsics, size
        self._image = size[1], size[0]
        self._stills: OrderedDict[bytes, Still] = OrderedDict()

    def picture(
        self, camera_to_world: FloatArray, bodies: Sequence[tuple[int, Mesh]], level: float = 1.0, power: float = 0.0
    ) -> Picture:
        """The world with those bodies (part number, posed mesh) from that camera.

        `level` scales the room's light and `power` the process's own lamp, both from 0 to 1.
        """
        camera = Camera(self._intrinsics, camera_to_world, self._size)
        frame = RenderedFrame(self._tracer, camera, self._still(camera), level, power)
        if bodies:
            moving = Moving.of(bodies)
            covered = frame.draw(moving)
            frame.cast_shadows(moving, covered)
            frame.smooth_outlines(moving, covered)
        return frame.picture()

    def parts(self, camera_to_world: FloatArray, bodies: Sequence[tuple[int, Mesh]]) -> Ints:
        """Part number of every pixel, without light or colour."""
        camera = Camera(self._intrinsics, camera_to_world, self._size)
        depth, part = self._static_parts(camera)
        if bodies:
            moving = Moving.of(bodies)
            pixels = moving.pixels(camera)
            rows, hits = self._tracer.nearest_moving(camera.centre_rays(pixels), moving, depth.take(pixels))
            part[pixels[rows]] = moving.soup.tags(hits.triangle)
        return part.reshape(self._image)

    def body_parts(self, camera_to_world: FloatArray, bodies: Sequence[tuple[int, Mesh]]) -> Ints:
        """Part number of every pixel that shows one of those bodies, in no order; the rest is not looked at."""
        camera, moving = Camera(self._intrinsics, camera_to_world, self._size), Moving.of(bodies)
        pixels = moving.pixels(camera)
        if not len(pixels):
            return np.zeros(0, np.int32)
        rays, still = camera.centre_rays(pixels), self._stills.get(camera_to_world.tobytes())
        depth = self._tracer.nearest_static(rays)[0] if still is None else still.depth.take(pixels)
        _, hits = self._tracer.nearest_moving(rays, moving, depth)
        return moving.soup.tags(hits.triangle).astype(np.int32)

    def _static_parts(self, camera: Camera) -> tuple[Floats, Ints]:
        known = self._stills.get(camera.camera_to_world.tobytes())
        if known is not None:
            return known.depth, known.part.copy()
        found = [self._tracer.nearest_static(rays) for _, rays in camera.bands()]
        part = np.concatenate([part for _, part, _ in found]).astype(np.int32)
        return np.concatenate([depth for depth, _, _ in found]), part

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
        still = Still.blank(self._size[0] * self._size[1], self._tracer.lamp is not None)
        for pixels, rays in camera.bands():
            surface = self._tracer.static(rays, self._tracer.static_hits(rays), power=1.0)
            still.keep_surface(pixels, surface)
            still.keep_shade(pixels, self._tracer.shade(rays, surface))
        self._refine(camera, still)
        return still

    def _refine(self, camera: Camera, still: Still) -> None:
        """Send more rays where the pixel's centre does not tell it all."""
        normals, rgb = still.normals.reshape(3, *self._image), still.rgb.reshape(*self._image, 3)
        sides = edges(still.part.reshape(self._image), normals, rgb).reshape(4, -1)
        jagged = np.flatnonzero(sides.any(axis=0))
        centres = Centres(still.part, still.normals)
        for span in spans(len(jagged), SPAN // 2):
            few = jagged[span]
            asked = subpixels_beside(sides.take(few, axis=1))
            other, beside = self._tracer.beside_centres(camera, few, asked, centres, None, power=1.0)
            layers = zip(beside.layers(), still.shade(few, power=1.0).layers(), strict=True)
            places = ray_places(other)
            still.keep_shade(few, Shade(*(pixel_means(ray, centre, places) for ray, centre in layers)))
