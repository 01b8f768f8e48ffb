"""One soft area light and an even ambient glow; a process may bring a small lamp of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from lookaway.worlds.arrays import FloatArray, Floats, Mask
from lookaway.worlds.colours import RGB
from lookaway.worlds.rendering.soup import Rows, Soup, dot

GOLDEN_ANGLE = 2.39996
LIFT_M = np.float32(3e-3)
NEAREST_M = 0.08


@dataclass(frozen=True)
class Light:
    """An elliptic lamp that faces down; colours are linear."""

    centre: tuple[float, float, float]
    radii: tuple[float, float]
    colour: RGB
    ambient: RGB

    def strength(self, points: Floats, normals: Floats) -> Floats:
        """Unshadowed light that reaches a surface, as a factor of the lamp's colour."""
        to_lamp = column(self.centre) - points
        squared = dot(to_lamp, to_lamp)
        distance = np.sqrt(squared)
        facing = np.maximum(dot(normals, to_lamp) / distance, 0)
        downward = np.clip(np.float32(0.35) + np.float32(0.65) * to_lamp[2] / distance, 0, 1)
        factor: Floats = facing * downward / squared
        return factor

    def reach(self, points: Floats, normals: Floats, blockers: Sequence[Soup], count: int) -> Floats:
        """Share of the lamp that each point sees past the blockers: 0 full shadow, 1 fully lit.

        The lamp's outer half is asked first: who sees all of it or nothing of it is not asked about the inner half.
        """
        lifted = points + normals * LIFT_M
        targets = sample_points(self, count).T[::-1, :, None]
        rim, core = targets[: count // 2], targets[count // 2 :]
        seen = seen_of(rim, lifted, blockers)
        torn = np.flatnonzero((seen > 0) & (seen < len(rim)))
        share: Floats = seen / np.float32(len(rim))
        share[torn] = (seen[torn] + seen_of(core, lifted.take(torn, axis=1), blockers)) / np.float32(count)
        return share

    def shared_reach(
        self, points: Floats, normals: Floats, blockers: Sequence[Soup], count: int, asker: Rows, askers: int
    ) -> Floats:
        """As above, but each of several askers for one pixel asks about its own few points of the lamp."""
        lifted = points + normals * LIFT_M
        targets = [sample_points(self, count).take(asker + start, axis=1) for start in range(0, count, askers)]
        return seen_of(targets, lifted, blockers) / np.float32(len(targets))


@lru_cache(maxsize=64)
def sample_points(light: Light, count: int) -> Floats:
    """Points spread evenly over the lamp, (3, count)."""
    index = np.arange(count)
    radius, turn = np.sqrt((index + 0.5) / count), index * GOLDEN_ANGLE
    offsets = np.stack([radius * np.cos(turn) * light.radii[0], radius * np.sin(turn) * light.radii[1], 0 * turn])
    points: Floats = (offsets + np.array(light.centre)[:, None]).astype(np.float32)
    points.flags.writeable = False
    return points


@dataclass(frozen=True)
class Lamp:
    """A small lamp of the process's own, shining to all sides; how bright it is, `Process.lamp_power` says."""

    centre: tuple[float, float, float]
    colour: RGB

    def strength(self, points: Floats, normals: Floats) -> Floats:
        """Unshadowed light that reaches a surface, as a factor of the lamp's colour."""
        to_lamp = column(self.centre) - points
        squared = np.maximum(dot(to_lamp, to_lamp), np.float32(NEAREST_M**2))
        factor: Floats = np.maximum(dot(normals, to_lamp), 0) / (squared * np.sqrt(squared))
        return factor

    def seen_from(self, points: Floats, normals: Floats, blocker: Soup) -> Floats:
        """1 where the lamp can be seen past the blocker, else 0."""
        lifted = points + normals * LIFT_M
        return (~blocker.blocked(lifted, column(self.centre) - lifted)).astype(np.float32)


def column(values: Sequence[float] | FloatArray | Floats) -> Floats:
    """A point or a colour that broadcasts over (3, N)."""
    return np.array(values, np.float32)[:, None]


def seen_of(targets: Iterable[Floats], points: Floats, blockers: Sequence[Soup]) -> Floats:
    """How many of the targets, each (3, 1) or (3, N), every point sees past the blockers."""
    seen = np.zeros(points.shape[1], np.int8)
    for target in targets:
        towards = target - points
        hidden: Mask = np.zeros(len(seen), bool)
        for soup in blockers:
            hidden |= soup.blocked(points, towards)
        seen += (~hidden).view(np.int8)
    return seen.astype(np.float32)
