"""What can come between a resting camera and the subject: a sheet of cardboard, a curtain, darkness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.geometry.cover import CoverKind, parse_cover
from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.mesh import Mesh, box, grid, grid_faces, pose, tube
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.patterns.covers import cardboard_sheet, gathered_cloth
from lookaway.worlds.process import Process
from lookaway.worlds.room import Room

AHEAD_M = 0.85  # nearer than anything on the stage
MARGIN_M = 0.05
OUTSIDE_M = 0.75  # past the sides of any first view at that distance
ABOVE_M = 0.3  # past its top, from the height of the eye
LASTS_S = 12.0
SAMPLES = 25
DARK_LEVEL = 0.01
FOLDS, FOLDS_PER_TILE, FOLD_M = 9, 3, 0.02
RAIL_ABOVE_EYE_M, RAIL_RADIUS_M = 0.115, 0.009  # just inside the upper edge of the first view
CLOTH = "#a89c8e"
CARDBOARD = "#c69c6c"


@dataclass(frozen=True)
class Cover:
    """How far a cover has come: 0 out of the way, 1 all the way."""

    kind: CoverKind | None = None
    share: float = 0.0

    @property
    def light_level(self) -> float:
        return 1.0 - self.share if self.kind == "lights" else 1.0

    @property
    def dark(self) -> bool:
        return self.light_level <= DARK_LEVEL


OPEN = Cover()


def covers_at(script: str, seconds: FloatArray) -> list[Cover]:
    """The cover at each second of a cover script; an empty script leaves the view open."""
    if not script:
        return [OPEN] * len(seconds)
    plan = parse_cover(script)
    return [Cover(plan.kind, float(share)) if share > 0 else OPEN for share in plan.share_at(seconds)]


class Covers:
    """Covers cut to size: each hides wherever the subject will ever be from the first camera, and little else."""

    def __init__(self, room: Room, process: Process) -> None:
        self._eye = np.array(room.eye)
        self._low, self._high = self._shadow(process)
        self._from = -1.0 if self._shadow(process, until_s=0.0)[0][0] > 0 else 1.0
        self._rail = max(float(self._high[1]), RAIL_ABOVE_EYE_M)
        width, height = (float(side) for side in self._high - self._low)
        self.parts: Sequence[Part] = (
            Part("cardboard", box(width, 0.008, height, cut_m=0.2), cardboard(width, height)),
            Part("curtain", pleated(self._rail + 2 * OUTSIDE_M), cloth()),
            Part("curtain rail", rail(), Material(linear("#3d3630"), shine=0.3, gloss=25)),
        )

    def placed(self, cover: Cover) -> list[Part]:
        """The cover in the world; nothing while it is out of the way or made of darkness."""
        if cover.share <= 0:
            return []
        middle = float(self._low[0] + self._high[0]) / 2
        match cover.kind:
            case "cardboard":
                lifted = (1 - cover.share) * (ABOVE_M - float(self._low[1]))
                return moved(self.parts[:1], self._at(middle, float(self._low[1]) + lifted))
            case "curtain":
                reach = self._low[0] if self._from > 0 else self._high[0]
                drawn = cover.share * abs(self._from * OUTSIDE_M - float(reach))
                stretched = self._at(self._from * OUTSIDE_M, -2 * OUTSIDE_M) @ np.diag([self._from * drawn, 1, 1, 1])
                return [*moved(self.parts[1:2], stretched), *moved(self.parts[2:], self._at(0.0, self._rail))]
            case _:
                return []

    def _at(self, x: float, z: float) -> FloatArray:
        """Transform to a place on the covers' plane, measured from the point straight ahead of the eye."""
        return pose(float(self._eye[0]) + x, float(self._eye[1]) + AHEAD_M, float(self._eye[2]) + z)

    def _shadow(self, process: Process, until_s: float = LASTS_S) -> tuple[FloatArray, FloatArray]:
        """Lower left and upper right corner, on the covers' plane, of all the subject hides of it until then."""
        corners = []
        for process_s in np.linspace(0.0, until_s, SAMPLES if until_s else 1):
            poses = process.poses(float(process_s))
            for body in process.bodies:
                if body.owner == process.subject and body.part.name in poses:
                    away = body.part.mesh.moved(poses[body.part.name]).points - self._eye
                    seen = away[away[:, 1] > AHEAD_M]
                    flat = seen[:, [0, 2]] * AHEAD_M / seen[:, 1:2]
                    corners += [flat.min(axis=0), flat.max(axis=0)]
        around = np.clip(np.stack(corners), -OUTSIDE_M + MARGIN_M, OUTSIDE_M - MARGIN_M)
        return around.min(axis=0) - MARGIN_M, around.max(axis=0) + MARGIN_M


def cardboard(width: float, height: float) -> Material:
    """Cardboard for a sheet of that size, painted once over its longer side."""
    side = max(width, height)
    sheet = cardboard_sheet(np.random.default_rng(0), CARDBOARD, width / side, height / side)
    return Material(texture=sheet, tile_m=side, shine=0.02)


def cloth() -> Material:
    return Material(
        texture=gathered_cloth(np.random.default_rng(0), CLOTH, FOLDS_PER_TILE), tile_m=FOLDS_PER_TILE / FOLDS
    )


def pleated(height: float) -> Mesh:
    """A curtain of width 1 from x = 0 to x = -1, folded in waves that widen downwards, from z = 0 to its rail."""
    columns, rows = FOLDS * 12, 12
    z, x = grid(np.linspace(0, height, rows + 1), np.linspace(0, 1, columns + 1))
    depth = FOLD_M * (1 - 0.5 * z / height)
    phase = 2 * np.pi * FOLDS * x
    points = np.stack([-x, depth * np.sin(phase), z], axis=1)
    slope = -depth * 2 * np.pi * FOLDS * np.cos(phase)
    normals = np.stack([-slope, -np.ones_like(x), 0 * x], axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Mesh(points, normals, np.stack([x, z], axis=1), grid_faces(columns, rows))


def rail() -> Mesh:
    """A round bar along x, wider than the view."""
    return tube([(x, 0.0, 0.0) for x in np.linspace(-1.2 * OUTSIDE_M, 1.2 * OUTSIDE_M, 9)], RAIL_RADIUS_M)
