"""Colour of what rays hit: textures, lamp light, ambient light, highlights, and glass in front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.parts import SELF_LIT, Material
from lookaway.worlds.rendering.atlas import SIDE, Atlas
from lookaway.worlds.rendering.camera import Rays
from lookaway.worlds.rendering.light import Lamp, Light, column
from lookaway.worlds.rendering.soup import Rows, dot, looked_up, put_columns, unit

GLASS_REFLECTION = column([0.62, 0.68, 0.70])
GLASS_ABSORPTION = column([0.085, 0.06, 0.06])
GLEAM_SEEN = np.float32(0.75)  # 0.75 ** 90 is 6e-12, and no glass reflects less than 0.01
LEAST_FACING = np.float32(0.3)


@dataclass(frozen=True)
class Surface:
    """What each ray hit: z-depth, normal towards the viewer, texture place, part, and the light on it.

    `own` is the light of the process's own lamp; None where there is none.
    """

    depth: Floats
    normals: Floats
    uv: Floats
    part: Rows
    direct: Floats
    around: Floats
    own: Floats | None

    def put(self, rows: Rows, front: Surface) -> None:
        """Let other surfaces stand before those of some rows."""
        for behind, before in zip(vars(self).values(), vars(front).values(), strict=True):
            if behind is not None:
                behind[..., rows] = before


@dataclass
class Shade:
    """Linear colour (3, N) in layers, so that a moving shadow can dim the lamp and darkness the whole room.

    `steady` is what shines without the room: the process's own lamp and bodies that are lit by themselves.
    """

    ambient: Floats
    lamp: Floats
    steady: Floats | None = None

    def lit(self, level: float) -> Floats:
        """All layers together, the room's light at that level."""
        linear = self.ambient + self.lamp
        if level != 1:
            linear *= np.float32(level)
        return linear if self.steady is None else linear + self.steady

    def layers(self) -> list[Floats]:
        return [layer for layer in (self.ambient, self.lamp, self.steady) if layer is not None]


class Shader:
    """Materials of all parts as lookup tables, those of the room first."""

    def __init__(
        self, room: Sequence[Material], bodies: Sequence[Material], light: Light, lamp: Lamp | None, focal: float
    ) -> None:
        materials = [*room, *bodies]
        textures = [material.texture for material in materials if material.texture is not None]
        distinct = list({id(texture): texture for texture in textures}.values())
        index = {id(texture): number for number, texture in enumerate(distinct, start=1)}
        self._atlas = Atlas(distinct)
        self._texture = np.array([index.get(id(material.texture), 0) for material in materials], np.intp)
        self._colour = np.array([material.colour for material in materials], np.float32).T.copy()
        self._tiles_per_m = 1 / np.array([material.tile_m for material in materials], np.float32)
        self._shine = np.array([material.shine for material in materials], np.float32)
        self._shiny = self._shine > 0
        self._gloss = np.array([material.gloss for material in materials], np.float32)
        self_lit = [0.0] * len(room) + [body.glow if body.glow >= SELF_LIT else 0.0 for body in bodies]
        self._self_lit = np.array(self_lit, np.float32)
        self._glow = np.array([material.glow for material in materials], np.float32) - self._self_lit
        self._light_centre, self._light_colour = column(light.centre), column(light.colour)
        self._ambient = column(light.ambient)
        self._lamp_colour = None if lamp is None else column(lamp.colour)
        self._focal = np.float32(focal)

    def shade(self, rays: Rays, surface: Surface) -> Shade:
        """Every light layer of every hit."""
        part = surface.part
        lengths = np.sqrt(rays.squared_lengths)
        albedo = self._albedo(surface, part, rays, lengths)
        lamp = albedo * surface.direct
        lamp *= self._light_colour
        shiny = np.flatnonzero(looked_up(self._shiny, part) & (surface.direct > 0))
        if len(shiny):
            highlight = np.zeros_like(surface.direct)
            highlight[shiny] = self._highlight(rays.some(shiny), lengths[shiny], surface, part, shiny)
            lamp += highlight
        ambient = surface.around * self._ambient
        ambient += looked_up(self._glow, part)
        ambient *= albedo
        return Shade(ambient, lamp, self._steady(surface, part, albedo))

    def through_glass(self, shade: Shade, rays: Rays, rows: Rows, distance: Floats, normals: Floats) -> None:
        """Dim and brighten, in place, the rows whose rays pass a glass wall at that distance."""
        directions = unit(rays.directions)
        grazing = np.abs(dot(normals, directions))
        mirrored = np.float32(0.03) + np.float32(0.55) * cubed(1 - grazing)
        passed = np.exp(-GLASS_ABSORPTION / np.maximum(grazing, np.float32(0.08))) * (1 - mirrored)
        gleam = gleam_of(self._half_way(rays.at(distance), directions, normals))
        for layer in shade.layers():
            put_columns(layer, rows, looked_up(layer, rows) * passed)
        reflected = mirrored * GLASS_REFLECTION * np.float32(0.8) + gleam
        put_columns(shade.ambient, rows, looked_up(shade.ambient, rows) + reflected)

    def _steady(self, surface: Surface, part: Rows, albedo: Floats) -> Floats | None:
        steady = None
        if surface.own is not None and self._lamp_colour is not None:
            steady = albedo * surface.own * self._lamp_colour
        if self._self_lit.any():
            glow = looked_up(self._self_lit, part)
            if glow.any():
                steady = albedo * glow if steady is None else steady + albedo * glow
        return steady

    def _albedo(self, surface: Surface, part: Rows, rays: Rays, lengths: Floats) -> Floats:
        facing = np.maximum(np.abs(dot(surface.normals, rays.directions)), LEAST_FACING * lengths)
        tiles_per_m = looked_up(self._tiles_per_m, part)
        footprint = surface.depth * lengths * lengths / facing
        footprint *= tiles_per_m
        footprint *= SIDE / self._focal
        tiles = np.multiply(surface.uv, tiles_per_m, dtype=np.float32)
        colour = self._atlas.sample(looked_up(self._texture, part), tiles, footprint)
        colour *= looked_up(self._colour, part)
        return colour

    def _highlight(self, rays: Rays, lengths: Floats, surface: Surface, part: Rows, rows: Rows) -> Floats:
        part = part.take(rows)
        points = rays.at(surface.depth.take(rows))
        near = self._half_way(points, rays.directions / lengths, surface.normals.take(rows, axis=1))
        lit = np.minimum(surface.direct.take(rows) * 8, 1)
        highlight: Floats = looked_up(self._shine, part) * near ** looked_up(self._gloss, part) * lit
        return highlight

    def _half_way(self, points: Floats, directions: Floats, normals: Floats) -> Floats:
        """Cosine between the normal and the half-way vector of viewer and lamp."""
        half = unit(self._light_centre - points)
        half -= directions
        cosine: Floats = np.clip(dot(half, normals) / (np.sqrt(dot(half, half)) + np.float32(1e-9)), 0, 1)
        return cosine


def gleam_of(near: Floats) -> Floats:
    """The lamp's mirror image in glass; far from it so faint that no reflection's float32 would show it."""
    gleam = np.zeros_like(near)
    rows = np.flatnonzero(near > GLEAM_SEEN)
    gleam[rows] = np.float32(0.9) * near[rows] ** 90
    return gleam


def cubed(values: Floats) -> Floats:
    return values * values * values
