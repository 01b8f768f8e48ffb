"""Floor, walls and ceiling of a closed room, and places along its walls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.mesh import Mesh, box, merged, pose, rectangle
from lookaway.worlds.parts import SHELL, Material, Part, moved

Wall = Literal["far", "left", "right", "near"]

CUT_M = 0.07
OVERLAP_M = 0.01


@dataclass(frozen=True)
class Shell:
    """A box-shaped room: x from -half_width to half_width, y from near to far, z from 0 to height."""

    half_width: float
    near: float
    far: float
    height: float
    cut_m: float = CUT_M

    def against(self, wall: Wall, along: float) -> FloatArray:
        """Transform that backs furniture against a wall at that x (far, near) or y (left, right)."""
        match wall:
            case "far":
                return pose(along, self.far, 0)
            case "near":
                return pose(along, self.near, 0, 180)
            case "right":
                return pose(self.half_width, along, 0, -90)
            case "left":
                return pose(-self.half_width, along, 0, 90)

    def spread(
        self, rng: np.random.Generator, groups: Sequence[Sequence[Part]], wall: Wall, places: Sequence[float]
    ) -> list[list[Part]]:
        """The groups in random order along a wall, each a little off its place."""
        return [
            moved(groups[number], self.against(wall, place + rng.uniform(-0.06, 0.06)))
            for place, number in zip(places, rng.permutation(len(groups)), strict=True)
        ]

    def on_both_sides(
        self, rng: np.random.Generator, groups: Sequence[Sequence[Part]], places: Sequence[float]
    ) -> list[list[Part]]:
        """The groups shared out at random, half of them along the left wall and half along the right."""
        order = [groups[number] for number in rng.permutation(len(groups))]
        half = len(places)
        return [*self.spread(rng, order[:half], "left", places), *self.spread(rng, order[half:], "right", places)]

    def side_by_side(
        self, rng: np.random.Generator, groups: Sequence[tuple[float, Sequence[Part]]], margin: float
    ) -> list[list[Part]]:
        """Groups of given widths in random order, evenly spaced along the whole far wall."""
        order = [groups[number] for number in rng.permutation(len(groups))]
        free = 2 * (self.half_width - margin) - sum(width for width, _ in groups)
        start, placed = margin - self.half_width, []
        for width, group in order:
            placed.append(moved(group, self.against("far", start + width / 2)))
            start += width + free / (len(groups) - 1)
        return placed

    def parts(self, floor: Material, walls: dict[Wall, Material], ceiling: Material, skirting: Material) -> list[Part]:
        """The six surfaces and a skirting board."""
        surfaces = [Part(SHELL, self._level(0.0), floor), Part(SHELL, self._level(self.height), ceiling)]
        surfaces += [Part(SHELL, self._wall(wall), material) for wall, material in walls.items()]
        return [*surfaces, Part(SHELL, self._skirting(), skirting)]

    def _level(self, z: float) -> Mesh:
        half, depth = self.half_width + OVERLAP_M, self.far - self.near + 2 * OVERLAP_M
        if z == 0.0:
            return rectangle((-half, self.near - OVERLAP_M, z), (2 * half, 0, 0), (0, depth, 0), self.cut_m)
        return rectangle((-half, self.far + OVERLAP_M, z), (2 * half, 0, 0), (0, -depth, 0), 2 * self.cut_m)

    def _wall(self, wall: Wall) -> Mesh:
        length = 2 * self.half_width if wall in ("far", "near") else self.far - self.near
        middle = 0.0 if wall in ("far", "near") else (self.far + self.near) / 2
        width, height = length + 2 * OVERLAP_M, self.height + 2 * OVERLAP_M
        flat = rectangle((-width / 2, 0, -OVERLAP_M), (width, 0, 0), (0, 0, height), self.cut_m)
        return flat.moved(self.against(wall, middle))

    def _skirting(self) -> Mesh:
        depth = self.far - self.near
        walls: list[tuple[Wall, float, float]] = [
            ("far", 0.0, 2 * self.half_width),
            ("near", 0.0, 2 * self.half_width),
            ("left", (self.far + self.near) / 2, depth),
            ("right", (self.far + self.near) / 2, depth),
        ]
        return merged(
            [box(length, 0.02, 0.1).at(0, -0.01, 0).moved(self.against(wall, at)) for wall, at, length in walls]
        )


def sides(rng: np.random.Generator) -> tuple[Wall, Wall]:
    """Left and right, or right and left."""
    return ("left", "right") if rng.random() < 0.5 else ("right", "left")


def shuffled(rng: np.random.Generator, codes: Sequence[str]) -> list[str]:
    """The codes in random order."""
    return [codes[number] for number in rng.permutation(len(codes))]


def told_apart(groups: Iterable[Sequence[Part]]) -> list[Part]:
    """All parts, with a number on the names that more than one group uses: 'picture', 'picture 2', ..."""
    used: Counter[str] = Counter()
    parts = []
    for group in groups:
        used.update({part.name for part in group})
        for part in group:
            again = used[part.name] > 1 and part.name != SHELL
            parts.append(replace(part, name=f"{part.name} {used[part.name]}") if again else part)
    return parts
