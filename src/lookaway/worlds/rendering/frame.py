"""One picture in the making: the room first, then bodies, their shadows and their outlines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookaway.worlds.arrays import Bytes, Floats, Ints, Mask
from lookaway.worlds.rendering.antialias import Centres, edges, grown, pixel_means, ray_places, subpixels_beside
from lookaway.worlds.rendering.camera import SPAN, Camera, Window, spans
from lookaway.worlds.rendering.display import displayed
from lookaway.worlds.rendering.moving import Moving
from lookaway.worlds.rendering.shader import Shade
from lookaway.worlds.rendering.soup import Rows, put_columns
from lookaway.worlds.rendering.still import Still, packed_normals
from lookaway.worlds.rendering.tracer import Tracer


@dataclass(frozen=True)
class Picture:
    """Display colour, z-depth and part number of every pixel."""

    rgb: Bytes
    depth: Floats
    part: Ints


class RenderedFrame:
    """Starts as the still view under the asked light; its arrays are flat."""

    def __init__(self, tracer: Tracer, camera: Camera, still: Still, level: float, power: float) -> None:
        self._tracer, self._camera, self._still = tracer, camera, still
        self._level, self._power = level, power
        self._image = camera.size[1], camera.size[0]
        self._depth, self._part, self._normals = still.depth.copy(), still.part.copy(), still.normals
        self._rgb = still.rgb.copy()
        self._linear, self._touched = np.empty((3, len(self._depth)), np.float32), np.zeros(len(self._depth), bool)
        if level != 1 or still.steady is not None:
            for pixels in spans(len(self._depth)):
                self._rgb[pixels] = displayed(still.shade(pixels, power).lit(level))

    def picture(self) -> Picture:
        rgb, image = self._rgb.reshape(*self._image, 3), self._image
        return Picture(rgb, self._depth.reshape(image), self._part.reshape(image))

    def draw(self, moving: Moving) -> Rows:
        """Draw the bodies; returns the pixels they cover."""
        self._normals = self._normals.copy()
        pixels = moving.pixels(self._camera)
        covered = [self._draw(pixels[span], moving) for span in spans(len(pixels))]
        return np.concatenate([pixels[:0], *covered])

    def cast_shadows(self, moving: Moving, covered: Rows) -> None:
        """Dim the room's light where bodies stand in its way."""
        near = self._may_be_shaded(moving)
        near.reshape(-1)[covered] = False
        pixels = np.flatnonzero(near)
        pixels = pixels[self._still.lamp.take(pixels, axis=1).any(axis=0)]
        if not len(pixels):
            return
        points = self._camera.centre_rays(pixels).at(self._still.depth.take(pixels))
        share = self._tracer.shadow(points, self._still.normals_at(pixels), moving)
        dimmed = np.flatnonzero(share < 1)
        shade = self._still.shade(pixels[dimmed], self._power)
        shade.lamp *= share[dimmed]
        self._show(pixels[dimmed], shade)

    def smooth_outlines(self, moving: Moving, covered: Rows) -> None:
        """Refine the pixels on the bodies' edges."""
        if not len(covered):
            return
        inside = self._around(covered)
        body = np.zeros(self._image, bool)
        body.reshape(-1)[covered] = True
        part, normals = self._part.reshape(self._image), self._normals.reshape(3, *self._image)
        rgb, around = self._rgb.reshape(*self._image, 3), np.zeros((4, *self._image), bool)
        found = edges(part[inside.slices], normals[:, *inside.slices], rgb[inside.slices])
        around[:, *inside.slices] = found & grown(body[inside.slices])
        sides = around.reshape(4, -1)
        jagged = np.flatnonzero(sides.any(axis=0))
        centres = Centres(self._part, self._normals)
        for span in spans(len(jagged), SPAN // 2):
            few = jagged[span]
            asked = subpixels_beside(sides.take(few, axis=1))
            other, beside = self._tracer.beside_centres(self._camera, few, asked, centres, moving, self._power)
            colours = pixel_means(beside.lit(self._level), self._linear_at(few), ray_places(other))
            self._rgb[few] = displayed(colours)

    def _draw(self, pixels: Rows, moving: Moving) -> Rows:
        rays = self._camera.centre_rays(pixels)
        rows, hits = self._tracer.nearest_moving(rays, moving, self._depth.take(pixels))
        if not len(rows):
            return rows
        covered, rays = pixels[rows], rays.some(rows)
        surface = self._tracer.bodies(rays, hits, moving, self._power)
        self._show(covered, self._tracer.shade(rays, surface))
        self._depth[covered], self._part[covered] = surface.depth, surface.part
        put_columns(self._normals, covered, packed_normals(surface.normals))
        return covered

    def _may_be_shaded(self, moving: Moving) -> Mask:
        near = np.zeros(self._image, bool)
        depth = self._still.depth.reshape(self._image)
        for bounds in moving.bounds:
            window = self._camera.window(bounds.shadow_hull(self._tracer.light, *self._tracer.room_box))
            if not window.empty:
                points = self._camera.window_rays(window).at(depth[window.slices].ravel())
                may = bounds.may_shade(points, self._tracer.light)
                near[window.slices] |= may.reshape(near[window.slices].shape)
        return near

    def _around(self, pixels: Rows) -> Window:
        """The rectangle that holds the pixels and those beside them."""
        rows, columns = np.divmod(pixels, self._camera.size[0])
        width, height = self._camera.size
        left, top = max(int(columns.min()) - 2, 0), max(int(rows.min()) - 2, 0)
        return Window(left, top, min(int(columns.max()) + 3, width), min(int(rows.max()) + 3, height))

    def _linear_at(self, pixels: Rows) -> Floats:
        """Linear colours (3, N) as they are by now."""
        untouched = pixels[~self._touched.take(pixels)]
        put_columns(self._linear, untouched, self._still.shade(untouched, self._power).lit(self._level))
        return self._linear.take(pixels, axis=1)

    def _show(self, pixels: Rows, shade: Shade) -> None:
        linear = shade.lit(self._level)
        put_columns(self._linear, pixels, linear)
        self._touched[pixels] = True
        self._rgb[pixels] = displayed(linear)
