"""A jointed toy dog with a coloured coat, walking along a path."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.figures import bent
from lookaway.worlds.gait import Gait, Path
from lookaway.worlds.mesh import Mesh, merged, pose, tilted
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.process import Body, ProcessStage
from lookaway.worlds.rounded import curve, egg, limb, turned

SIZE = 0.78  # the shapes below are drawn for a dog of size 1
BACK_M = 0.37 * SIZE  # height of the shoulder and hip joints while walking
BONE_M, PAW_M = 0.19, 0.038
HALF_BODY_M, HALF_WIDTH_M = 0.19 * SIZE, 0.075 * SIZE
LEGS = {  # ahead of the middle, to the left, share of the stride it is ahead
    "left fore": (HALF_BODY_M, HALF_WIDTH_M, 0.0),
    "right fore": (HALF_BODY_M, -HALF_WIDTH_M, 0.5),
    "left hind": (-HALF_BODY_M, HALF_WIDTH_M, 0.6),
    "right hind": (-HALF_BODY_M, -HALF_WIDTH_M, 0.1),
}
WAG_DEG, WAGS_PER_STRIDE = 24.0, 2


class Dog:
    """About 0.65 m long and 0.5 m tall, facing +x; `name` is the trunk's part name and the start of all others."""

    def __init__(self, stage: ProcessStage, name: str = "dog") -> None:
        self.name = name
        coat = Material(linear(stage.palette.subject.code), shine=0.04)
        dark = Material(linear("#26221f"), shine=0.3)
        collar = Material(linear("#e8e2d2"), shine=0.15)
        shapes: dict[str, tuple[Mesh, Material]] = {
            "": (trunk(), coat),
            " nose": (nose_and_eyes(), dark),
            " collar": (neck_band(), collar),
            " tail": (limb(0.03, 0.014, 0.24), coat),
        }
        for leg in LEGS:
            fore = leg.endswith("fore")
            shapes[f" {leg} upper leg"] = (limb(0.06 if fore else 0.075, 0.036, BONE_M), coat)
            shapes[f" {leg} lower leg"] = (shank(), coat)
        scale = np.diag([SIZE, SIZE, SIZE, 1.0])
        self.bodies = [Body(Part(name + part, mesh.moved(scale), look), name) for part, (mesh, look) in shapes.items()]

    def poses(self, path: Path, gait: Gait, walked: float) -> dict[str, FloatArray]:
        """Transforms of all body parts after that distance."""
        turn = 2 * np.pi * gait.phase(walked, 0.0)
        x, y = path.at(walked)
        middle = pose(x, y, BACK_M + 0.008 * np.cos(2 * turn), path.heading_deg(walked)) @ tilted(np.sin(2 * turn), 1)
        wag = WAG_DEG * np.sin(WAGS_PER_STRIDE * turn)
        tail = middle @ pose(-0.275 * SIZE, 0, 0.06 * SIZE) @ tilted(wag, 2) @ tilted(-180 + 42, 1)
        poses = {"": middle, " nose": middle, " collar": middle, " tail": tail}
        for leg, (ahead, left, offset) in LEGS.items():
            step = gait.foot(walked, offset)
            paw = np.array([*path.beside(step.along_m + ahead, left), PAW_M * SIZE + step.lift_m])
            joint = (middle @ pose(ahead, left, 0))[:3, 3]
            upper, lower = bent(joint, paw, BONE_M * SIZE, BONE_M * SIZE, -middle[:3, 0])
            poses |= {f" {leg} upper leg": upper, f" {leg} lower leg": lower}
        return {self.name + part: transform for part, transform in poses.items()}


def trunk() -> Mesh:
    """Chest, belly, neck, head, snout and hanging ears; the middle of the back's joints at the origin."""
    outline = [(0.004, -0.29), (0.07, -0.27), (0.096, -0.19), (0.09, -0.05), (0.108, 0.1), (0.112, 0.19)]
    outline += [(0.08, 0.27), (0.004, 0.3)]
    barrel = turned(curve(outline, 4), 24).moved(pose(0, 0, 0.02) @ tilted(90, 1))
    neck = limb(0.068, 0.085, 0.16).moved(pose(0.31, 0, 0.18) @ tilted(38, 1))
    skull = egg(0.092, 0.08, 0.08).at(0.345, 0, 0.225)
    snout = limb(0.052, 0.036, 0.1).moved(pose(0.39, 0, 0.205) @ tilted(-80, 1))
    ears = [
        egg(0.04, 0.016, 0.085).moved(pose(0.315, side * 0.082, 0.205) @ tilted(side * 14, 0) @ tilted(12, 1))
        for side in (-1, 1)
    ]
    return merged([barrel, neck, skull, snout, *ears])


def nose_and_eyes() -> Mesh:
    """The dark points of the face."""
    eyes = [egg(0.012, 0.01, 0.014, 10).at(0.415, side * 0.042, 0.252) for side in (-1, 1)]
    return merged([egg(0.018, 0.022, 0.017, 12).at(0.522, 0, 0.198), *eyes])


def neck_band() -> Mesh:
    """A pale collar round the neck."""
    band = turned(curve([(0.08, -0.018), (0.087, -0.012), (0.087, 0.012), (0.08, 0.018)], 2), 24)
    return band.moved(pose(0.258, 0, 0.115) @ tilted(38, 1))


def shank() -> Mesh:
    """A lower leg with a paw."""
    return merged([limb(0.036, 0.027, BONE_M), egg(0.042, 0.036, 0.032, 14).at(0.014, 0, -BONE_M)])
