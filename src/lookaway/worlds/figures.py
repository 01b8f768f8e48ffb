"""A jointed person in one colour of clothes: put together from soft shapes, posed by feet, hips and arms."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.gait import Gait, Path
from lookaway.worlds.mesh import Mesh, merged, pose, tilted
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.process import Body, ProcessStage
from lookaway.worlds.rounded import curve, egg, limb, turned

THIGH_M, SHIN_M, ANKLE_M = 0.355, 0.345, 0.075
UPPER_ARM_M, FOREARM_M = 0.235, 0.215
HIP_APART_M, SHOULDER_APART_M, SHOULDER_M = 0.085, 0.168, 0.385
STANDING_M = THIGH_M + SHIN_M + ANKLE_M - 0.005
BALL_M, HEEL_M = 0.12, -0.055  # where the shoe touches the ground, ahead of the ankle
SKINS = ("#d9b08c", "#b98a66", "#8a5f42", "#e3c3a4")
HAIRS = ("#2a211d", "#5a4130", "#8d8478")
SIDES = {"left": 1, "right": -1}


@dataclass(frozen=True)
class Foot:
    """A shoe on the ground, measured at its sole under the ankle; a raised heel turns it about its ball."""

    place: FloatArray
    yaw_deg: float
    lift_m: float = 0.0
    pitch_deg: float = 0.0

    @property
    def frame(self) -> FloatArray:
        """4x4 transform of the ankle."""
        pivot = BALL_M if self.pitch_deg > 0 else HEEL_M
        x, y = self.place
        rolled = pose(pivot, 0, 0) @ tilted(self.pitch_deg, 1) @ pose(-pivot, 0, ANKLE_M)
        return pose(x, y, self.lift_m, self.yaw_deg) @ rolled


@dataclass(frozen=True)
class Arm:
    """Degrees: upper arm forward, upper arm out to the side, elbow bent."""

    forward: float = 0.0
    out: float = 6.0
    bend: float = 12.0


@dataclass(frozen=True)
class Posture:
    """Where the hips are and everything that hangs on them."""

    hips: FloatArray
    yaw_deg: float
    feet: dict[str, Foot]
    arms: dict[str, Arm] = field(default_factory=lambda: {"left": Arm(), "right": Arm()})
    lean_deg: float = 0.0
    nod_deg: float = 0.0


class Person:
    """About 1.46 m tall, facing +x; `name` is the torso's part name and the start of all others."""

    def __init__(self, stage: ProcessStage, name: str = "person") -> None:
        self.name = name
        cloth = linear(stage.palette.subject.code)
        jacket = Material(cloth, shine=0.03)
        trousers = Material((cloth[0] * 0.38, cloth[1] * 0.38, cloth[2] * 0.38), shine=0.02)
        skin = Material(linear(stage.palette.choose(stage.rng, SKINS)), shine=0.05)
        dark = Material(linear(stage.palette.choose(stage.rng, HAIRS)), shine=0.08)
        shoe = Material(linear("#33312f"), shine=0.1)
        shapes: dict[str, tuple[Mesh, Material]] = {
            "": (torso(), jacket),
            " hips": (egg(0.082, 0.118, 0.125), trousers),
            " head": (head(), skin),
            " hair": (hair_and_eyes(), dark),
        }
        for side in SIDES:
            shapes[f" {side} upper arm"] = (limb(0.056, 0.044, UPPER_ARM_M), jacket)
            shapes[f" {side} forearm"] = (limb(0.044, 0.036, FOREARM_M), jacket)
            shapes[f" {side} hand"] = (egg(0.034, 0.022, 0.056, 14).at(0.006, 0, -FOREARM_M - 0.07), skin)
            shapes[f" {side} thigh"] = (limb(0.074, 0.06, THIGH_M), trousers)
            shapes[f" {side} shin"] = (limb(0.062, 0.047, SHIN_M), trousers)
            shapes[f" {side} shoe"] = (sneaker(), shoe)
        self.bodies = [Body(Part(name + part, mesh, look), owner=name) for part, (mesh, look) in shapes.items()]

    def poses(self, posture: Posture) -> dict[str, FloatArray]:
        """Transforms of all body parts."""
        x, y, z = posture.hips
        hips = pose(x, y, z, posture.yaw_deg)
        upper = hips @ tilted(posture.lean_deg, 1)
        skull = upper @ pose(0, 0, 0.45) @ tilted(posture.nod_deg, 1)
        poses = {"": upper, " hips": hips, " head": skull, " hair": skull}
        for side, sign in SIDES.items():
            arm = posture.arms[side]
            shoulder = upper @ pose(0, sign * SHOULDER_APART_M, SHOULDER_M)
            upper_arm = shoulder @ tilted(sign * arm.out, 0) @ tilted(-arm.forward, 1)
            forearm = upper_arm @ pose(0, 0, -UPPER_ARM_M) @ tilted(-arm.bend, 1)
            ankle = posture.feet[side].frame
            hip = (hips @ pose(0, sign * HIP_APART_M, 0))[:3, 3]
            thigh, shin = bent(hip, ankle[:3, 3], THIGH_M, SHIN_M, ankle[:3, 0])
            poses |= {
                f" {side} upper arm": upper_arm,
                f" {side} forearm": forearm,
                f" {side} hand": forearm,
                f" {side} thigh": thigh,
                f" {side} shin": shin,
                f" {side} shoe": ankle,
            }
        return {self.name + part: transform for part, transform in poses.items()}


def walking(path: Path, gait: Gait, walked: float) -> Posture:
    """The posture after that distance; both feet together once the gait has come to its stop."""
    body_m = gait.body_m(walked)
    feet = {}
    for side, sign in SIDES.items():
        step = gait.foot(walked, 0.0 if sign > 0 else 0.5)
        place = path.beside(step.along_m, sign * HIP_APART_M)
        feet[side] = Foot(place, path.heading_deg(step.along_m), step.lift_m, step.pitch_deg)
    moving = float(np.clip((gait.last_m - walked) / (0.7 * gait.stride_m), 0, 1))
    turn = 2 * np.pi * gait.phase(walked, 0.0)
    hips_z = STANDING_M - moving * (0.018 + 0.01 * np.cos(2 * turn))
    swing = 24 * moving * np.cos(turn - 0.3)
    arms = {side: Arm(-sign * swing, 7, 14 + 8 * moving) for side, sign in SIDES.items()}
    return Posture(np.array([*path.at(body_m), hips_z]), path.heading_deg(body_m), feet, arms, lean_deg=3 * moving)


def standing(place: FloatArray, yaw_deg: float) -> Posture:
    """Upright, feet side by side."""
    across = pose(0, 0, 0, yaw_deg)[:2, 1]
    feet = {side: Foot(place + sign * HIP_APART_M * across, yaw_deg) for side, sign in SIDES.items()}
    return Posture(np.array([*place, STANDING_M]), yaw_deg, feet)


def bent(
    start: FloatArray, end: FloatArray, upper_m: float, lower_m: float, front: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Transforms of two bones from start to end, their common joint pushed out to the front."""
    away = end - start
    distance = float(np.clip(np.linalg.norm(away), 1e-6, (upper_m + lower_m) * 0.9995))
    down = away / np.linalg.norm(away)
    out = front - down * (front @ down)
    out /= np.linalg.norm(out)
    along = (distance**2 + upper_m**2 - lower_m**2) / (2 * distance)
    joint = start + along * down + np.sqrt(max(upper_m**2 - along**2, 0.0)) * out
    return bone(start, joint, front), bone(joint, end, front)


def bone(start: FloatArray, end: FloatArray, front: FloatArray) -> FloatArray:
    """Transform that hangs a limb from start towards end, its x axis as far to the front as it can be."""
    up = (start - end) / np.linalg.norm(start - end)
    ahead = front - up * (front @ up)
    ahead /= np.linalg.norm(ahead)
    transform = np.eye(4)
    transform[:3, 0], transform[:3, 1], transform[:3, 2] = ahead, np.cross(up, ahead), up
    transform[:3, 3] = start
    return transform


def torso() -> Mesh:
    """A jacket with a hem and a collar, hips at the origin."""
    outline = [(0.15, -0.09), (0.152, -0.06), (0.148, -0.02), (0.134, 0.08), (0.138, 0.18), (0.156, 0.28)]
    outline += [(0.162, 0.35), (0.14, 0.41), (0.085, 0.44), (0.06, 0.455), (0.058, 0.475), (0.045, 0.478)]
    return turned(curve(outline, 3), 28, depth=0.7)


def head() -> Mesh:
    """Skull, nose, ears and neck; the joint to the neck at the origin."""
    neck = limb(0.045, 0.045, 0.06).at(0, 0, 0.05)
    ears = [egg(0.018, 0.012, 0.026, 10).at(0.0, side * 0.086, 0.135) for side in (-1, 1)]
    nose = egg(0.02, 0.013, 0.018, 10).at(0.1, 0, 0.128)
    jaw = egg(0.078, 0.068, 0.08).at(0.018, 0, 0.1)
    return merged([neck, egg(0.1, 0.086, 0.112, 24).at(0, 0, 0.15), jaw, nose, *ears])


def hair_and_eyes() -> Mesh:
    """A short cut that leaves the face free, and two eyes."""
    eyes = [egg(0.008, 0.011, 0.013, 10).at(0.092, side * 0.034, 0.155) for side in (-1, 1)]
    return merged([egg(0.105, 0.095, 0.105, 24).at(-0.022, 0, 0.182), *eyes])


def sneaker() -> Mesh:
    """A low shoe; the ankle at the origin, the sole below it."""
    upper = egg(0.11, 0.047, 0.055).at(0.035, 0, -0.034)
    flat = Mesh(np.maximum(upper.points, (-1.0, -1.0, -ANKLE_M)), upper.normals, upper.uv, upper.faces)
    return merged([flat, limb(0.045, 0.045, 0.03).at(-0.008, 0, 0.01)])
