"""House fronts and what stands along a street."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import linear
from lookaway.worlds.furniture.blocks import block
from lookaway.worlds.furniture.on_walls import sheet
from lookaway.worlds.furniture.yard import IRON, ring
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, pose, rectangle, sphere, tilted
from lookaway.worlds.parts import Material, Part

WALL_CUT_M = 0.3
STOREY_M = 2.9


@dataclass(frozen=True)
class Facade:
    """Size, materials and openings of a house front."""

    width: float
    storeys: int
    wall: Material
    roof: Material
    trim_code: str
    door_code: str
    shutter_code: str | None
    door_place: float
    windows: Sequence[float]  # x of every window, on each storey; those over the door's place stay shut downstairs
    panes: Sequence[Floats]
    lit: float = 0.0


def house_front(rng: np.random.Generator, facade: Facade) -> list[Part]:
    """A house from the street: wall, door, windows, cornice and a strip of roof; its wall is at y = 0."""
    height = facade.storeys * STOREY_M
    wall = rectangle((-facade.width / 2, 0, -0.01), (facade.width, 0, 0), (0, 0, height), WALL_CUT_M)
    slope = rectangle((-facade.width / 2, -0.3, height), (facade.width, 0, 0), (0, 2.2, 1.8), WALL_CUT_M)
    trim = [box(facade.width, 0.3, 0.14, cut_m=0.4).at(0, -0.15, height - 0.1)]
    trim += [box(facade.width, 0.06, 0.5, cut_m=0.3).at(0, -0.03, 0)]
    parts = [Part("house", wall, facade.wall), Part("house", slope, facade.roof)]
    parts += [Part("house", merged(trim), Material(linear(facade.trim_code)))]
    parts += front_door(facade)
    for storey in range(facade.storeys):
        for x in facade.windows:
            if storey == 0 and abs(x - facade.door_place) < 1.0:
                continue
            parts += house_window(
                facade, facade.panes[int(rng.integers(len(facade.panes)))], x, storey * STOREY_M + 0.95
            )
    return parts


def front_door(facade: Facade) -> list[Part]:
    """A panelled door under a lintel, on a step."""
    x, width, height, step = facade.door_place, 0.95, 2.1, 0.16
    leaf = [box(width, 0.04, height, cut_m=0.2).at(x, -0.02, step)]
    leaf += [
        block(0.34, 0.03, tall).at(x + side * 0.22, -0.05, step + low)
        for side in (-1, 1)
        for low, tall in ((0.16, 0.62), (0.92, 0.5), (1.56, 0.36))
    ]
    casing = [block(0.12, 0.1, height).at(x + side * (width + 0.12) / 2, -0.05, step) for side in (-1, 1)]
    casing.append(block(width + 0.4, 0.16, 0.14).at(x, -0.08, step + height))
    knob = sphere(0.035, 12).at(x + 0.4, -0.09, step + 1.0)
    return [
        Part("house door", merged(leaf), Material(linear(facade.door_code), shine=0.1)),
        Part("house door", merged(casing), Material(linear(facade.trim_code))),
        Part("house door", knob, Material(linear("#c8b27c"), shine=0.5)),
        Part("doorstep", box(1.3, 0.4, step).at(x, -0.2, 0), Material(linear("#a7a297"))),
    ]


def house_window(facade: Facade, image: Floats, x: float, z: float) -> list[Part]:
    """A sash window with curtains behind, a sill and perhaps shutters."""
    width, height, rim = 0.85, 1.3, 0.07
    flat, glass = sheet(image, width, height, glow=facade.lit)
    bars = [block(0.04, 0.04, height).at(0, -0.04, 0), block(width, 0.04, 0.04).at(0, -0.04, 0.62 * height)]
    bars += [block(rim, 0.06, height).at(side * (width + rim) / 2, -0.03, 0) for side in (-1, 1)]
    bars += [block(width + 2 * rim, 0.06, rim).at(0, -0.03, level) for level in (-rim, height)]
    bars.append(block(width + 0.26, 0.18, 0.06).at(0, -0.09, -0.12))
    parts = [
        Part("house windows", flat.at(x, -0.02, z), glass),
        Part("house windows", merged(bars).at(x, 0, z), Material(linear(facade.trim_code))),
    ]
    if facade.shutter_code:
        wings = []
        for side in (-1, 1):
            at = side * (width / 2 + 0.07 + 0.23)
            wings.append(box(0.44, 0.04, height + 0.1, cut_m=0.3).at(at, -0.03, -0.05))
            wings += [block(0.34, 0.02, 0.06).at(at, -0.055, level) for level in np.arange(0.06, height, 0.13)]
        parts.append(Part("shutters", merged(wings).at(x, 0, z), Material(linear(facade.shutter_code))))
    return parts


def letter_box(code: str) -> list[Part]:
    """A pillar box with a slot and a domed cap, about its own axis."""
    pillar = lathe(
        [(0.24, 0), (0.24, 0.08), (0.2, 0.1), (0.2, 1.12), (0.25, 1.14), (0.25, 1.2), (0.14, 1.29), (1e-4, 1.32)]
    )
    plate = [box(0.2, 0.02, 0.16).at(0, -0.2, 0.62)]
    slot = [box(0.22, 0.02, 0.03).at(0, -0.2, 1.0)]
    return [
        Part("letter box", pillar, Material(linear(code), shine=0.25)),
        Part("letter box", merged(plate), Material(linear("#ece8dc"))),
        Part("letter box", merged(slot), Material(linear("#1e1e1e"))),
    ]


def bicycle(code: str) -> list[Part]:
    """A bicycle that stands along x, leaning back a little towards y = 0."""
    radius = 0.33
    wheels = [ring(radius, 0.022).at(x, 0, radius + 0.02) for x in (-0.52, 0.52)]
    spokes = []
    for x in (-0.52, 0.52):
        spokes += [
            box(0.008, 0.008, 2 * radius).moved(pose(x, 0, radius + 0.02) @ tilted(turn, 1) @ pose(0, 0, -radius))
            for turn in range(0, 180, 30)
        ]
    hubs = {
        "back": (-0.52, 0.35),
        "front": (0.52, 0.35),
        "crank": (-0.06, 0.3),
        "seat": (-0.2, 0.82),
        "head": (0.38, 0.84),
    }
    bars = [
        ("back", "crank"),
        ("back", "seat"),
        ("crank", "seat"),
        ("crank", "head"),
        ("seat", "head"),
        ("head", "front"),
    ]
    frame_bars = [bar(hubs[one], hubs[other], 0.02) for one, other in bars]
    black = [
        bar((-0.2, 0.82), (-0.22, 0.94), 0.014),
        box(0.26, 0.15, 0.05).at(-0.24, 0, 0.94),
        bar((0.38, 0.84), (0.35, 1.02), 0.016),
        cylinder(0.014, 0.5, around=10).moved(tilted(90, 0)).at(0.33, 0.25, 1.02),
        bar((-0.14, 0.24), (0.02, 0.36), 0.012),
        cylinder(0.09, 0.012, around=18).moved(tilted(90, 0)).at(-0.06, -0.02, 0.3),
    ]
    lean = pose(0, -0.18, 0) @ tilted(-8, 0)
    return [
        Part("bicycle", merged([*wheels, *black]).moved(lean), Material(linear("#2c2c2e"))),
        Part("bicycle", merged(spokes).moved(lean), Material(linear("#a9abad"))),
        Part("bicycle", merged(frame_bars).moved(lean), Material(linear(code), shine=0.3)),
    ]


def bar(start: tuple[float, float], end: tuple[float, float], radius: float) -> Mesh:
    """A round bar between two (x, z) points."""
    across, up = end[0] - start[0], end[1] - start[1]
    length = float(np.hypot(across, up))
    lean = float(np.degrees(np.arctan2(across, up)))
    return cylinder(radius, length, around=10).moved(pose(start[0], 0, start[1]) @ tilted(lean, 1))


def car(code: str) -> list[Part]:
    """A small parked car along x, its far side at y = 0."""
    width, length = 1.6, 3.7
    outline = [(-1.85, 0.3), (-1.85, 0.72), (-1.72, 0.86), (-1.1, 0.92), (-0.5, 1.38), (0.85, 1.42), (1.5, 0.98)]
    outline += [(1.82, 0.9), (1.85, 0.3)]
    glass = [(-1.0, 0.92), (-0.48, 1.32), (0.8, 1.35), (1.3, 0.97)]
    body = prism(outline, width)
    panes = prism(glass, width + 0.02)
    pillars = [box(0.07, width + 0.03, 0.44).at(x, 0, 0.93) for x in (0.05, 0.8)]
    wheels = [
        cylinder(0.31, 0.2, around=24).moved(tilted(90, 0)).at(x, y, 0.31) for x in (-1.15, 1.15) for y in (-0.62, 0.82)
    ]
    caps = [cylinder(0.17, 0.03, around=18).moved(tilted(90, 0)).at(x, -0.81, 0.31) for x in (-1.15, 1.15)]
    bumpers = [box(0.12, width, 0.14).at(x, 0, 0.34) for x in (-length / 2, length / 2)]
    handles = [box(0.16, 0.03, 0.03).at(x, -width / 2 - 0.01, 0.8) for x in (-0.2, 0.65)]
    lights = [sphere(0.09, 10).at(x, side * 0.6, 0.66) for x in (-1.84, 1.84) for side in (-1, 1)]
    paint = Material(linear(code), shine=0.4)
    dark = Material(linear("#262728"))
    chrome = Material(linear("#b4b6b8"), shine=0.5)
    pieces = [(body, paint), (merged(pillars), paint), (panes, Material(linear("#4b5358"), shine=0.5))]
    pieces += [(merged(wheels), dark), (merged([*caps, *bumpers, *handles]), chrome)]
    pieces += [(merged(lights), Material(linear("#e9e4d2"), shine=0.4))]
    return [Part("car", mesh.at(0, -width / 2 - 0.05, 0), material) for mesh, material in pieces]


def prism(outline: Sequence[tuple[float, float]], width: float) -> Mesh:
    """A convex-enough outline of (x, z), walked clockwise seen from -y, drawn out along y about y = 0."""
    corners = np.array(outline)
    middle = corners.mean(axis=0)
    faces = []
    for (x0, z0), (x1, z1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        faces.append(rectangle((x0, -width / 2, z0), (x1 - x0, 0, z1 - z0), (0, width, 0), 0.3))
    for side in (-1, 1):
        points = np.array([(x, side * width / 2, z) for x, z in [*outline, (middle[0], middle[1])]])
        count = len(outline)
        fan = np.array([(count, number, (number + 1) % count) for number in range(count)], np.int32)
        faces.append(Mesh(points, np.tile([0.0, side, 0.0], (count + 1, 1)), points[:, [0, 2]].copy(), fan))
    return merged([outward(face, (middle[0], 0.0, middle[1])) for face in faces])


def outward(face: Mesh, middle: tuple[float, float, float]) -> Mesh:
    """The face with normals that point away from a point inside."""
    away = np.sign(np.einsum("ij,ij->i", face.normals, face.points - middle))
    return Mesh(face.points, face.normals * np.where(away < 0, -1.0, 1.0)[:, None], face.uv, face.faces)


def bin_on_post(code: str) -> list[Part]:
    """A litter bin, about its own axis."""
    drum = lathe(
        [(0.2, 0.12), (0.22, 0.8), (0.24, 0.8), (0.24, 0.84), (0.2, 0.84), (0.19, 0.5), (1e-4, 0.5)], around=20
    )
    bands = [lathe([(0.222, z), (0.224, z + 0.05)], around=20) for z in (0.2, 0.66)]
    return [
        Part("litter bin", drum, Material(linear(code))),
        Part("litter bin", merged([*bands, cylinder(0.06, 0.14, around=12)]), IRON),
    ]
