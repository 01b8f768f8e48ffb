"""A toy railway: an oval track, an engine and wagons, cottages and trees."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.furniture.staging import rounded_block
from lookaway.worlds.mesh import Mesh, box, cylinder, grid_faces, lathe, merged, tilted
from lookaway.worlds.parts import Material, Part

GAUGE_M = 0.09
SLEEPER_M = 0.014
WHEEL_M = 0.022


@dataclass(frozen=True)
class Oval:
    """Two straights along x joined by half circles, walked from the left end of the near one to the right."""

    half_straight: float
    radius: float

    @property
    def length(self) -> float:
        return 4 * self.half_straight + 2 * np.pi * self.radius

    def place(self, way: float) -> tuple[float, float]:
        """Point that far along."""
        straight, bend = 2 * self.half_straight, np.pi * self.radius
        way = way % self.length
        half_way = way >= straight + bend
        way -= (straight + bend) * half_way
        if way < straight:
            x, y = way - self.half_straight, -self.radius
        else:
            turn = (way - straight) / self.radius
            x, y = self.half_straight + self.radius * np.sin(turn), -self.radius * np.cos(turn)
        return (-x, -y) if half_way else (x, y)

    def points(self, spacing: float) -> FloatArray:
        """Points around the oval, the first one again at the end."""
        count = round(self.length / spacing)
        return np.array([self.place(self.length * number / count) for number in range(count + 1)])


def oval_track(oval: Oval, sleeper_wood: Material) -> list[Part]:
    """Two rails on sleepers, lying on z = 0."""
    rails = [rail(oval.points(0.05), side * GAUGE_M / 2) for side in (-1, 1)]
    ties = []
    places = oval.points(0.085)
    for here, there in itertools.pairwise(places):
        turn = float(np.degrees(np.arctan2(*(there - here)[::-1])))
        ties.append(box(0.03, GAUGE_M * 1.6, SLEEPER_M).at(float(here[0]), float(here[1]), 0, turn))
    return [
        Part("track", merged(rails), Material((0.36, 0.37, 0.38), shine=0.5)),
        Part("track", merged(ties), sleeper_wood),
    ]


def rail(places: FloatArray, offset: float) -> Mesh:
    """A bar of square section along the places, shifted sideways by the offset."""
    ahead = np.gradient(places, axis=0)
    ahead[[0, -1]] = places[1] - places[-2]
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    left = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
    half, low, high = 0.005, SLEEPER_M - 0.002, SLEEPER_M + 0.016
    corners = [(-half, low), (-half, high), (half, high), (half, low)]
    return merged(
        [
            strip(places, left, (offset + start[0], start[1]), (offset + end[0], end[1]))
            for start, end in itertools.pairwise(corners)
        ]
    )


def strip(places: FloatArray, left: FloatArray, start: Sequence[float], end: Sequence[float]) -> Mesh:
    """One long face of a bar, between two (sideways, up) corners of its section."""
    rows = [np.column_stack([places + left * sideways, np.full(len(places), up)]) for sideways, up in (start, end)]
    rise, run = end[1] - start[1], end[0] - start[0]
    normal = np.column_stack([-left * rise, np.full(len(places), run)]) / np.hypot(rise, run)
    uv = np.concatenate([places, places])
    return Mesh(np.concatenate(rows), np.concatenate([normal, normal]), uv, grid_faces(len(places) - 1, 1))


def engine() -> tuple[Mesh, Mesh]:
    """A steam engine heading for +x: its painted body, and its wheels, buffers and cap."""
    boiler = cylinder(0.045, 0.15, around=28).moved(tilted(90, 1)).at(-0.03, 0, 0.085)
    chimney = lathe([(1e-4, 0.0), (0.016, 0.0), (0.016, 0.05), (0.026, 0.08), (1e-4, 0.08)], 20).at(0.09, 0, 0.12)
    dome = rounded_block(0.044, 0.044, 0.05, 2.5, 16).at(0.03, 0, 0.11)
    cab = merged([box(0.085, 0.1, 0.1).at(-0.07, 0, 0.035), box(0.105, 0.115, 0.014).at(-0.07, 0, 0.162)])
    posts = [box(0.012, 0.012, 0.03).at(x, y, 0.134) for x in (-0.106, -0.034) for y in (-0.042, 0.042)]
    bed = box(0.235, 0.1, 0.02).at(0.005, 0, 0.025)
    body = merged([boiler, chimney, dome, cab, *posts, bed])
    front = cylinder(0.03, 0.012, around=20).moved(tilted(90, 1)).at(0.115, 0, 0.085)
    wedge = box(0.04, 0.07, 0.018).at(0.135, 0, 0.01)
    return body, merged([wheels((-0.075, -0.01, 0.055), WHEEL_M * 1.25), front, wedge, hook(-0.125)])


def wagon() -> tuple[Mesh, Mesh]:
    """An open wagon: its painted box, and its wheels and hook."""
    floor = box(0.2, 0.1, 0.016).at(0, 0, 0.028)
    sides = [box(0.2, 0.01, 0.075).at(0, side * 0.046, 0.04) for side in (-1, 1)]
    ends = [box(0.01, 0.09, 0.075).at(side * 0.095, 0, 0.04) for side in (-1, 1)]
    ribs = [box(0.012, 0.112, 0.078).at(x, 0, 0.038) for x in (-0.06, 0.0, 0.06)]
    load = rounded_block(0.185, 0.085, 0.07, 3.0, 20).at(0, 0, 0.07)
    return merged([floor, *sides, *ends, *ribs, load]), merged([wheels((-0.06, 0.06), WHEEL_M), hook(-0.11)])


def wheels(places: Sequence[float], radius: float) -> Mesh:
    """Pairs of wheels at those places along x, their rims on z = 0."""
    disc = cylinder(radius, 0.012, around=18).moved(tilted(90, 0))
    return merged([disc.at(x, side * GAUGE_M / 2 + 0.006, radius) for x in places for side in (-1, 1)])


def hook(x: float) -> Mesh:
    return box(0.04, 0.012, 0.01).at(x, 0, 0.034)


def cottage(roof_code: str) -> list[Part]:
    """A small white house with a pitched roof."""
    walls = merged([box(0.16, 0.11, 0.07), gable(0.159, 0.109, 0.05).at(0, 0, 0.07)])
    roof = gable(0.19, 0.15, 0.062).at(0, 0, 0.066)
    openings = [box(0.025, 0.004, 0.045).at(0.0, -0.056, 0.0)]
    openings += [box(0.025, 0.004, 0.022).at(x, -0.056, 0.03) for x in (-0.05, 0.05)]
    return [
        Part("cottages", walls, Material((0.7, 0.68, 0.62))),
        Part("cottages", roof, Material(linear(roof_code))),
        Part("cottages", merged(openings), Material((0.09, 0.08, 0.07))),
    ]


def gable(length: float, depth: float, height: float) -> Mesh:
    """A roof-shaped prism with its ridge along x, standing on z = 0."""
    block = box(length, depth, height)
    points, normals = block.points.copy(), block.normals.copy()
    points[:, 1] *= 1 - 0.98 * points[:, 2] / height
    slanted = np.abs(normals[:, 1]) > 0
    normals[slanted] = (normals[slanted] * height + (0.0, 0.0, depth / 2)) / np.hypot(height, depth / 2)
    return Mesh(points, normals, block.uv, block.faces)


def tree(code: str) -> list[Part]:
    """A small round-headed tree."""
    return [
        Part("trees", cylinder(0.008, 0.04, around=8), Material((0.12, 0.08, 0.05))),
        Part("trees", rounded_block(0.07, 0.07, 0.08, 2.2, 16).at(0, 0, 0.03), Material(linear(code))),
    ]
