"""Tables and workbenches."""

from __future__ import annotations

from lookaway.worlds.colours import linear
from lookaway.worlds.mesh import box, cylinder, merged
from lookaway.worlds.parts import Material, Part


def table(material: Material, width: float, depth: float, height: float) -> list[Part]:
    """A plain table; its top surface is at that height, its middle at y = 0."""
    top = box(width, depth, 0.04, cut_m=0.06).at(0, 0, height - 0.04)
    apron = [box(width - 0.14, 0.02, 0.08).at(0, side * (depth / 2 - 0.06), height - 0.12) for side in (-1, 1)]
    legs = [
        box(0.06, 0.06, height - 0.04).at(side * (width / 2 - 0.06), back * (depth / 2 - 0.06), 0)
        for side in (-1, 1)
        for back in (-1, 1)
    ]
    return [Part("table", merged([top, *apron, *legs]), material)]


def workbench(material: Material) -> list[Part]:
    """A heavy bench with a lower shelf, a drawer and a vice."""
    width, depth, height = 1.6, 0.6, 0.86
    wooden = [box(width, depth, 0.07).at(0, -depth / 2 - 0.02, height - 0.07)]
    wooden.append(box(width - 0.1, depth - 0.1, 0.03).at(0, -depth / 2 - 0.02, 0.2))
    wooden.append(box(0.5, depth - 0.08, 0.16).at(0.4, -depth / 2 - 0.02, height - 0.24))
    wooden += [
        box(0.09, 0.09, height - 0.07).at(side * (width / 2 - 0.08), back, 0)
        for side in (-1, 1)
        for back in (-0.1, -depth + 0.05)
    ]
    iron = [
        box(0.16, 0.16, 0.1).at(-0.5, -depth + 0.06, height),
        box(0.2, 0.05, 0.14).at(-0.5, -depth - 0.06, height),
        box(0.2, 0.05, 0.14).at(-0.5, -depth + 0.06, height),
        box(0.02, 0.16, 0.02).at(-0.5, -depth - 0.14, height + 0.05),
        box(0.16, 0.02, 0.02).at(-0.5, -depth - 0.2, height + 0.05),
    ]
    knob = cylinder(0.02, 0.03, around=12).at(0.4, -depth - 0.0, height - 0.17)
    return [
        Part("workbench", merged(wooden), material),
        Part("vice", merged(iron), Material(linear("#5c6064"), shine=0.3)),
        Part("workbench", knob, Material(linear("#3c3c3c"))),
    ]
