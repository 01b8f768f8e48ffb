"""A blanket on a bed is folded in three: wire bails carry its outer thirds over the middle, one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray, Floats
from lookaway.worlds.colours import linear, srgb
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.staging import lengthwise, rounded_block
from lookaway.worlds.mesh import Mesh, box, cylinder, merged, pose, rectangle, tilted
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.patterns.canvas import light, noise, pixels, tinted
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process
from lookaway.worlds.rendering.atlas import SIDE

AHEAD_M, BED_M = 2.95, 0.36
BED_LONG_M, BED_DEEP_M, MATTRESS_M = 2.3, 1.16, 0.15
THIRD_M, DEEP_M = 0.42, 1.05
LYING_M = 0.006  # height of the cloth over the mattress
HINGES_M = {"first": 0.018, "second": 0.032}  # height of each fold's axis: the second lands on the first
SAG_M = 0.045
TASSELS, TASSEL_M = 22, 0.06
CHECK_M = THIRD_M / 2
SIDE_M = THIRD_M - TASSEL_M  # from a fold to the hem: its tassels reach as far as the other fold
BESIDE_M = DEEP_M / 2 + 0.012
START_DEG, FOLD_S = 6.0, 5.2
PALE = "#e8e0d0"


class Blanket(Process):
    """Scripted: each third turns evenly about its fold, hanging a little between the fold and the bail."""

    def __init__(self, words: Words, props: Props, bodies: Sequence[Body], middle: FloatArray, rate: float) -> None:
        self.words, self.props, self.bodies = words, props, bodies
        self.subject = "blanket"
        self._middle, self._rate = middle, rate

    def state(self, process_s: float) -> dict[str, float]:
        """Share of the folding that is done: a half when the first third lies on the middle, 1 at the end."""
        start = START_DEG / 360
        return {"folded": min(start + (1 - start) * max(process_s, 0.0) * self._rate, 1.0)}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        turned = 360 * self.state(process_s)["folded"]
        poses = {"middle third": self._middle}
        for fold, degrees, yaw_deg in (("first", min(turned, 180), 0), ("second", max(turned - 180, 0), 180)):
            axis = self._middle @ pose(0, 0, 0, yaw_deg) @ pose(THIRD_M / 2, 0, HINGES_M[fold])
            swung = axis @ tilted(-degrees, 1)
            poses |= {f"{fold} third": swung @ hanging(fold, degrees), f"{fold} bail": swung}
            poses[f"{fold} crease"] = axis @ rounding(fold, degrees)
        return poses


@process("sheet", Traits("state transformation", moves=False, changes_in_place=True))
def sheet(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    words = Words(
        subject=f"a {word} blanket",
        setting=f"spread out on a low bed with a pillow on the {stage.here}",
        action=f"wire bows at its edges turn slowly and carry one side of the {word} blanket over, then the other",
        end="the blanket is folded into a narrow strip of three layers",
        is_ended="Is the blanket folded into a narrow strip?",
        is_as_before="Is the blanket spread out flat, or nearly so?",
    )
    bed_pose = pose(-0.14, stage.room.eye[1] + AHEAD_M, 0)
    middle = bed_pose @ pose(rng.uniform(-0.42, -0.38), 0, BED_M)
    wool = Material(texture=check(rng, stage.palette.subject.code), tile_m=CHECK_M)
    wire = Material(linear("#b9babb"), shine=0.3)
    bodies = [Body(Part("middle third", middle_third(), wool), "blanket")]
    for fold, height in HINGES_M.items():
        bodies += [
            Body(Part(f"{fold} third", outer_third(), wool), "blanket"),
            Body(Part(f"{fold} crease", crease(height - LYING_M), wool), "blanket"),
            Body(Part(f"{fold} bail", bail(), wire), "bails"),
        ]
    bearing = box(0.02, 0.012, 0.024)
    bearings = [bearing.at(side * THIRD_M / 2, end * BESIDE_M, 0) for side in (-1, 1) for end in (-1, 1)]
    solid = [*moved(bed(lengthwise(rng)), bed_pose), Part("bearings", merged(bearings).moved(middle), wire)]
    return Blanket(words, Props(solid), bodies, middle, rng.uniform(0.85, 1.15) / FOLD_S)


def bed(frame: Material) -> list[Part]:
    """A low bed along x with a pillow and a headboard at its right; its mattress is as high as BED_M."""
    half = BED_LONG_M / 2
    boards = [box(BED_LONG_M, BED_DEEP_M, 0.1).at(0, 0, BED_M - MATTRESS_M - 0.1)]
    boards += [box(0.07, 0.07, 0.1).at(x, y, 0) for x in (-half + 0.08, half - 0.08) for y in (-0.5, 0.5)]
    boards.append(box(0.05, BED_DEEP_M, 0.72).at(half + 0.025, 0, 0))
    mattress = box(BED_LONG_M - 0.03, BED_DEEP_M - 0.04, MATTRESS_M, cut_m=0.06).at(0, 0, BED_M - MATTRESS_M)
    pillow = rounded_block(0.36, 0.66, 0.15, sharpness=2.8).at(half - 0.24, 0, BED_M - 0.01)
    linen = Material(linear("#c2bcb0"))
    return [Part("bed", merged(boards), frame), Part("bed", mattress, linen), Part("pillow", pillow, linen)]


def hanging(fold: str, degrees: float) -> FloatArray:
    """Transform of a third that sags under its weight, and lies flat at both ends of its turn."""
    sag = -SAG_M * np.sin(np.deg2rad(2 * degrees))
    return pose(0, 0, LYING_M - HINGES_M[fold]) @ np.diag([1, 1, np.copysign(max(abs(sag), 1e-4), sag), 1])


def rounding(fold: str, degrees: float) -> FloatArray:
    """Transform of a crease: flat on the mattress at first, round once the cloth stands upright."""
    share = max(float(np.sin(np.deg2rad(min(degrees, 90)))), 1e-3)
    radius = HINGES_M[fold] - LYING_M
    return pose(0, 0, -radius) @ np.diag([share, 1, share, 1]) @ pose(0, 0, radius)


def outer_third() -> Mesh:
    """One side of the cloth, from the fold at x = 0 outwards to its tassels; z tells the shape of its sag."""
    cloth = rectangle((0, -DEEP_M / 2, 0), (SIDE_M, 0, 0), (0, DEEP_M, 0), cut_m=0.03)
    step = DEEP_M / TASSELS
    tassels = [
        rectangle((SIDE_M, (number + 0.25) * step - DEEP_M / 2, 0), (TASSEL_M, 0, 0), (0, 0.5 * step, 0))
        for number in range(TASSELS)
    ]
    flat = merged([cloth, *tassels])
    share = np.minimum(flat.points[:, 0] / SIDE_M, 1)
    points = flat.points + np.stack([0 * share, 0 * share, 4 * share * (1 - share)], axis=1)
    normals = np.stack([-4 * (1 - 2 * share) / SIDE_M, 0 * share, np.ones_like(share)], axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Mesh(points, normals, flat.uv, flat.faces)


def middle_third() -> Mesh:
    """The part of the cloth that stays on the mattress."""
    return rectangle((-THIRD_M / 2, -DEEP_M / 2, LYING_M), (THIRD_M, 0, 0), (0, DEEP_M, 0), cut_m=0.03)


def crease(radius: float) -> Mesh:
    """The rounded back of a fold."""
    return cylinder(radius, DEEP_M, around=16).moved(pose(0, DEEP_M / 2, 0) @ tilted(90, 0))


def bail() -> Mesh:
    """A wire bow whose bar holds the hem and whose arms turn beside the cloth."""
    bar = cylinder(0.004, 2 * BESIDE_M, around=8).moved(pose(SIDE_M, BESIDE_M, 0) @ tilted(90, 0))
    arms = [cylinder(0.004, SIDE_M, around=8).moved(pose(0, side * BESIDE_M, 0) @ tilted(90, 1)) for side in (-1, 1)]
    return merged([bar, *arms])


def check(rng: np.random.Generator, code: str) -> Floats:
    """A woven check: broad darker bands both ways with a thin pale line between them, alike from all four sides."""
    bands = [np.abs(place - SIDE / 2) < 0.2 * SIDE for place in pixels()]
    lines = [np.minimum(place, SIDE - place) < 0.02 * SIDE for place in pixels()]
    brightness = (1 - 0.34 * bands[0]) * (1 - 0.34 * bands[1]) * (0.92 + 0.16 * noise(rng, 0.6))
    dyed = tinted(srgb(code), brightness)
    return light(np.where((lines[0] | lines[1])[..., None], srgb(PALE), dyed))
