"""Chairs and sofas."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.mesh import box, cylinder, merged
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.surfaces import woven


def chair(material: Material) -> list[Part]:
    """A plain wooden chair with a slatted back, its back leg at y = 0."""
    legs = [box(0.04, 0.04, 0.44).at(side * 0.19, -0.4, 0) for side in (-1, 1)]
    posts = [box(0.04, 0.04, 0.95).at(side * 0.19, -0.02, 0) for side in (-1, 1)]
    slats = [box(0.34, 0.02, 0.07).at(0, -0.02, height) for height in (0.58, 0.71, 0.84)]
    rails = [box(0.34, 0.025, 0.04).at(0, -0.4, 0.2), box(0.34, 0.025, 0.04).at(0, -0.02, 0.2)]
    seat = box(0.44, 0.44, 0.04).at(0, -0.21, 0.44)
    return [Part("chair", merged([seat, *legs, *posts, *slats, *rails]), material)]


def sofa(rng: np.random.Generator, code: str, seats: int) -> list[Part]:
    """An upholstered armchair (one seat) or sofa (more), 0.85 m deep."""
    width = 0.62 * seats
    cloth = Material(texture=woven(rng, code), tile_m=0.5)
    cushion = Material((1.15,) * 3, cloth.texture, 0.5)
    frame = [
        box(width + 0.36, 0.8, 0.3).at(0, -0.42, 0.08),
        box(width + 0.36, 0.22, 0.55, cut_m=0.06).at(0, -0.13, 0.38),
    ]
    frame += [box(0.17, 0.8, 0.28, cut_m=0.05).at(side * (width / 2 + 0.095), -0.42, 0.38) for side in (-1, 1)]
    middles = (np.arange(seats) - (seats - 1) / 2) * 0.62
    soft = [box(0.6, 0.58, 0.14).at(middle, -0.54, 0.38) for middle in middles]
    soft += [box(0.58, 0.14, 0.36).at(middle, -0.31, 0.52) for middle in middles]
    feet = [
        cylinder(0.025, 0.08, around=12).at(side * (width / 2 + 0.1), back, 0)
        for side in (-1, 1)
        for back in (-0.08, -0.76)
    ]
    name = "armchair" if seats == 1 else "sofa"
    return [
        Part(name, merged(frame), cloth),
        Part(name, merged(soft), cushion),
        Part(name, merged(feet), Material((0.03, 0.02, 0.015))),
    ]
