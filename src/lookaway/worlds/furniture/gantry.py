"""A small gantry crane: a portal on its own feet, a trolley on its beam, a telescopic mast and a gripper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.furniture.machines import DARK, PAINT, STEEL
from lookaway.worlds.mesh import Mesh, box, cylinder, merged, pose, tilted
from lookaway.worlds.parts import Part
from lookaway.worlds.process import Body

OWNER = "gantry"

BEAM_M = 0.09
LEG_SPREAD_M = 0.3
HEAD_M = 0.06
JAW_M = 0.022
SLEEVE_M = 0.18


@dataclass(frozen=True)
class Gantry:
    """Where the portal stands, and how wide a thing it holds; `height` is the underside of its beam."""

    x_from: float
    x_to: float
    y: float
    height: float
    grip_m: float
    jaw_m: float  # length of the jaws
    jaw_depth_m: float = 0.1

    @property
    def highest(self) -> float:
        """As far up as the underside of the gripper's head can go."""
        return self.height - SLEEVE_M - HEAD_M - 0.05

    def parts(self) -> list[Part]:
        """What stands still."""
        length, middle = self.x_to - self.x_from, (self.x_from + self.x_to) / 2
        beam = merged(
            [
                box(length + 0.2, 0.03, BEAM_M).at(middle, self.y, self.height),
                *(box(length + 0.2, 0.09, 0.014).at(middle, self.y, self.height + up) for up in (0.0, BEAM_M)),
            ]
        )
        legs = merged([self._leg().at(x, self.y, 0) for x in (self.x_from, self.x_to)])
        feet = [
            box(0.12, 0.16, 0.03).at(x, self.y + side * LEG_SPREAD_M, 0)
            for x in (self.x_from, self.x_to)
            for side in (-1, 1)
        ]
        return [Part("gantry", beam, PAINT), Part("gantry", legs, PAINT), Part("gantry", merged(feet), DARK)]

    def bodies(self) -> Sequence[Body]:
        """What travels: trolley, mast, gripper and its two jaws."""
        wide = self.grip_m + 2 * JAW_M + 0.16
        head = merged([box(wide, 0.07, HEAD_M), cylinder(0.05, 0.05, around=20).at(0, 0, HEAD_M)])
        wheels = [
            cylinder(0.028, 0.02, around=16).moved(tilted(90, 0)).at(x, y + 0.01, 0.035)
            for x in (-0.07, 0.07)
            for y in (-0.03, 0.03)
        ]
        cheeks = [box(0.24, 0.014, 0.16).at(0, side * 0.055, -0.07) for side in (-1, 1)]
        carriage = merged([*cheeks, box(0.24, 0.12, 0.05).at(0, 0, -0.08), *wheels])
        sleeve = merged([box(0.07, 0.07, 0.12).at(0, 0, -SLEEVE_M), carriage])
        jaw = merged(
            [
                box(JAW_M, self.jaw_depth_m, self.jaw_m + 0.01).at(JAW_M / 2, 0, -self.jaw_m),
                box(0.05, 0.085, HEAD_M + 0.02).at(0.025, 0, -0.01),
            ]
        )
        return (
            Body(Part("trolley", sleeve, DARK), OWNER),
            Body(Part("mast", box(0.045, 0.045, 1.0, cut_m=1.0), STEEL), OWNER),
            Body(Part("gripper", head, STEEL), OWNER),
            Body(Part("jaw", jaw, DARK), OWNER),
            Body(Part("other jaw", jaw, DARK), OWNER),
        )

    def poses(self, x: float, z: float, opened_m: float = 0.0) -> dict[str, FloatArray]:
        """The trolley at that x, the underside of the gripper's head at that z, each jaw opened by so much."""
        top = self.height - 0.06
        mast = pose(x, self.y, z + HEAD_M) @ np.diag([1.0, 1.0, top - z - HEAD_M, 1.0])
        reach = self.grip_m / 2 + opened_m
        return {
            "trolley": pose(x, self.y, self.height),
            "mast": mast,
            "gripper": pose(x, self.y, z),
            "jaw": pose(x + reach, self.y, z),
            "other jaw": pose(x - reach, self.y, z, 180),
        }

    def _leg(self) -> Mesh:
        """An A of two slanted bars and a rung, under the end of the beam."""
        lean = float(np.degrees(np.arctan2(LEG_SPREAD_M - 0.03, self.height)))
        length = float(np.hypot(LEG_SPREAD_M - 0.03, self.height))
        bars = [
            box(0.055, 0.055, length).moved(pose(0, side * LEG_SPREAD_M, 0.015) @ tilted(side * lean, 0))
            for side in (-1, 1)
        ]
        return merged([*bars, box(0.04, LEG_SPREAD_M, 0.04).at(0, 0, self.height / 2)])
