"""Colour of what rays hit: textures, lamp light, ambient light, highlights, and glass in front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.worlds.arrays import Floats, Ints
from lookaway.worlds.parts import Material
from lookaway.worlds.rendering.atlas import SIDE, Atlas
from lookaway.worlds.rendering.camera import Rays
from lookaway.worlds.rendering.light import Light

GLASS_REFLECTION = np.array([0.62, 0.68, 0.70], np.float32)
GLASS_ABSORPTION = np.array([0.085, 0.06, 0.06], np.float32)


@dataclass(frozen=True)
class Surface:
    """What each ray hit: z-depth, place, normal towards the viewer, texture place, part, light on it."""

    depth: Floats
    points: Floats
    normals: Floats
    uv: Floats
    part: Ints
    direct: Floats
    openness: Floats


@dataclass(frozen=True)
class Shade:
    """Linear colour in two layers, so that a moving shadow can dim the lamp's layer alone."""

    ambient: Floats
    lamp: Floats


class Shader:
    """Materials of all parts as lookup tables."""

    def __init__(self, materials: Sequence[Material], light: Light, focal: float) -> None:
        textures = [material.texture for material in materials if material.texture is not None]
        distinct = list({id(texture): texture for texture in textures}.values())
        index = {id(texture): number for number, texture in enumerate(distinct, start=1)}
        self._atlas = Atlas(distinct)
        self._texture = np.array([index.get(id(material.texture), 0) for material in materials], np.int32)
        self._colour = np.array([material.colour for material in materials], np.float32)
        self._tile = np.array([material.tile_m for material in materials], np.float32)
        self._shine = np.array([material.shine for material in materials], np.float32)
        self._gloss = np.array([material.gloss for material in materials], np.float32)
        self._glow = np.array([material.glow for material in materials], np.float32)
        self._lamp_centre = np.array(light.centre, np.float32)
        self._lamp_colour = np.array(light.colour, np.float32)
        self._ambient = np.array(light.ambient, np.float32)
        self._focal = np.float32(focal)

    def shade(self, rays: Rays, surface: Surface) -> Shade:
        """Both light layers of every hit."""
        lengths = np.linalg.norm(rays.directions, axis=1)
        albedo = self._albedo(surface, rays, lengths)
        lamp: Floats = albedo * (surface.direct[:, None] * self._lamp_colour)
        shiny = np.flatnonzero(self._shine[surface.part] > 0).astype(np.int32)
        if len(shiny):
            lamp[shiny] += self._highlight(rays, lengths, surface, shiny)[:, None]
        upward = np.float32(0.88) + np.float32(0.12) * surface.normals[:, 2]
        around = (surface.openness * upward)[:, None] * self._ambient
        ambient = albedo * (around + self._glow[surface.part][:, None])
        return Shade(ambient, lamp)

    def through_glass(self, shade: Shade, rays: Rays, rows: Ints, distance: Floats, normals: Floats) -> None:
        """Dim and brighten, in place, the rows whose rays pass a glass wall at that distance."""
        directions = rays.directions[rows]
        unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
        facing = np.einsum("ij,ij->i", normals, unit)
        normals = normals * -np.sign(facing)[:, None]
        grazing = np.abs(facing)
        mirrored = (0.03 + 0.55 * (1 - grazing) ** 3)[:, None]
        passed = np.exp(-GLASS_ABSORPTION / np.maximum(grazing, 0.08)[:, None]) * (1 - mirrored)
        points = rays.origins[rows] + directions * distance[:, None]
        gleam = self._half_way(points, unit, normals) ** 90 * 0.9
        shade.lamp[rows] *= passed
        shade.ambient[rows] = shade.ambient[rows] * passed + mirrored * GLASS_REFLECTION * 0.8 + gleam[:, None]

    def _albedo(self, surface: Surface, rays: Rays, lengths: Floats) -> Floats:
        facing = np.abs(np.einsum("ij,ij->i", surface.normals, rays.directions)) / lengths
        footprint = surface.depth * lengths / self._focal / np.maximum(facing, np.float32(0.3))
        tile = self._tile[surface.part]
        colour = self._atlas.sample(self._texture[surface.part], surface.uv / tile[:, None], footprint / tile * SIDE)
        return colour * self._colour[surface.part]

    def _highlight(self, rays: Rays, lengths: Floats, surface: Surface, rows: Ints) -> Floats:
        unit = rays.directions[rows] / lengths[rows, None]
        part = surface.part[rows]
        near = self._half_way(surface.points[rows], unit, surface.normals[rows])
        lit = np.minimum(surface.direct[rows] * 8, 1)
        return self._shine[part] * near ** self._gloss[part] * lit

    def _half_way(self, points: Floats, unit: Floats, normals: Floats) -> Floats:
        """Cosine between the normal and the half-way vector of viewer and lamp."""
        to_lamp = self._lamp_centre - points
        to_lamp /= np.linalg.norm(to_lamp, axis=1, keepdims=True)
        half = to_lamp - unit
        half /= np.linalg.norm(half, axis=1, keepdims=True)
        cosine: Floats = np.clip(np.einsum("ij,ij->i", half, normals), 0, 1)
        return cosine


def displayed(linear: Floats) -> Floats:
    """Display values from 0 to 1: highlights roll off, then sRGB-like gamma."""
    rolled = linear * (1 + linear * np.float32(0.22)) / (1 + linear) * np.float32(1.6)
    display: Floats = np.power(np.clip(rolled, 0, 1), np.float32(1 / 2.2))
    return display
