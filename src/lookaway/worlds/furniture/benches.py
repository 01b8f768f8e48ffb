"""A low backless bench to sit on."""

from __future__ import annotations

from lookaway.worlds.mesh import box, merged
from lookaway.worlds.parts import Material, Part


def bench(material: Material, length: float, depth: float, height: float) -> list[Part]:
    """Three slats along y on two trestles; its middle at the origin, sat on facing +x."""
    slat = depth / 3 - 0.012
    slats = [box(slat, length, 0.035).at((number - 1) * depth / 3, 0, height - 0.035) for number in range(3)]
    trestles = []
    for side in (-1, 1):
        y = side * (length / 2 - 0.1)
        trestles += [box(0.06, 0.06, height - 0.035).at(end * (depth / 2 - 0.05), y, 0) for end in (-1, 1)]
        trestles += [box(depth - 0.06, 0.05, 0.06).at(0, y, height - 0.095)]
    rail = box(0.03, length - 0.22, 0.05).at(0, 0, height * 0.35)
    ties = [box(depth - 0.1, 0.04, 0.05).at(0, side * (length / 2 - 0.1), height * 0.35) for side in (-1, 1)]
    return [Part("bench", merged([*slats, *trestles, rail, *ties]), material)]
