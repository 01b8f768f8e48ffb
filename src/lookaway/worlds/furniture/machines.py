"""What machines are made of, and an electric ram on a stand that does the pushing."""

from __future__ import annotations

from lookaway.worlds.colours import linear
from lookaway.worlds.mesh import Mesh, box, cylinder, merged, tilted
from lookaway.worlds.parts import Material, Part

STEEL = Material(linear("#9a9da0"), shine=0.5, gloss=40)
DARK = Material(linear("#45484c"), shine=0.2)
PAINT = Material(linear("#a89a72"), shine=0.12)
HOUSING_M = 0.26
ROD_M = 0.34
THICK_M = 0.014


def ram_stand(height: float) -> list[Part]:
    """The housing of a ram whose rod comes out at the origin towards -x, on a post that reaches down by that height."""
    body = lying(cylinder(0.055, HOUSING_M, around=24)).at(HOUSING_M, 0, 0)
    motor = box(0.14, 0.09, 0.07).at(HOUSING_M - 0.07, 0, 0.03)
    collar = [lying(cylinder(0.062, 0.03, around=24)).at(place, 0, 0) for place in (0.03, HOUSING_M - 0.12, HOUSING_M)]
    foot = min(0.34, 0.6 * height)
    post = [box(0.06, 0.06, height).at(HOUSING_M / 2, 0, -height), box(foot, 0.3, 0.025).at(HOUSING_M / 2, 0, -height)]
    return [
        Part("ram", merged([body, motor]), PAINT),
        Part("ram", merged([*collar, *post]), DARK),
    ]


def ram_rod(tip: Mesh) -> Mesh:
    """The rod with a tip on its end, pushed all the way in; the tip's own origin sits where the rod leaves."""
    return merged([lying(cylinder(THICK_M, ROD_M, around=14)).at(ROD_M, 0, 0), tip])


def rubber_tip() -> Mesh:
    """A round cap that pushes without scratching."""
    return lying(cylinder(0.03, 0.035, around=20)).at(0.01, 0, 0)


def lying(upright: Mesh) -> Mesh:
    """What stood along +z laid down along -x."""
    return upright.moved(tilted(-90, 1))
