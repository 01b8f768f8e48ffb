"""A parasol on a stand opens like a flower."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.figures import bone
from lookaway.worlds.mesh import Mesh, cylinder, grid_faces, merged, pose, sphere
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.surfaces import wood
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process
from lookaway.worlds.rounded import curve, limb, turned

AHEAD_M, TOP_M = 3.05, 1.68
PANELS, RIB_M = 8, 0.74
DOME, SCALLOP = 0.16, 0.1
CLOSED_DEG, OPEN_DEG = 9.0, 70.0
START_SHARE, OPEN_S = 0.05, 5.2
CUTS = 8


class Umbrella(Process):
    """Scripted: the ribs swing out evenly; the cloth between two ribs is stretched with them."""

    def __init__(self, words: Words, props: Props, cloth: Material, top: FloatArray, rate: float) -> None:
        self.words, self.props = words, props
        self.subject = "parasol"
        self._top, self._rate = top, rate
        dim = Material((0.3, 0.3, 0.29), shine=0.2)
        tip = Part(
            "parasol tip", merged([sphere(0.028, 16), cylinder(0.05, 0.03, 0.03, around=20).at(0, 0, -0.04)]), cloth
        )
        panels = [Part(f"parasol panel {number}", panel(), cloth) for number in range(PANELS)]
        struts = [Part(f"parasol strut {number}", limb(0.006, 0.006, 1.0, around=6), dim) for number in range(PANELS)]
        self.bodies = [Body(part, "parasol") for part in (tip, *panels, *struts)]

    def state(self, process_s: float) -> dict[str, float]:
        """Share of the way from closed to open."""
        return {"opening": min(START_SHARE + (1 - START_SHARE) * max(process_s, 0.0) * self._rate, 1.0)}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        lean = np.deg2rad(CLOSED_DEG + (OPEN_DEG - CLOSED_DEG) * self.state(process_s)["opening"])
        turns = np.deg2rad(np.arange(PANELS + 1) * 360 / PANELS + 10)
        ribs = RIB_M * np.stack(
            [np.sin(lean) * np.cos(turns), np.sin(lean) * np.sin(turns), -np.cos(lean) + 0 * turns], 1
        )
        rise = np.array([0.0, 0.0, RIB_M * np.sin(lean)])
        runner = np.array([0.0, 0.0, -2 * RIB_M * 0.45 * np.cos(lean)])
        poses = {"parasol tip": pose(*self._top)}
        for number in range(PANELS):
            poses[f"parasol panel {number}"] = spanned(ribs[number], ribs[number + 1], rise, self._top)
            held = 0.45 * ribs[number] + 0.45 * 0.55 * 4 * DOME * rise
            strut = bone(self._top + held, self._top + runner, np.array([0.3, 1.0, 0.2]))
            poses[f"parasol strut {number}"] = strut @ np.diag([1, 1, float(np.linalg.norm(held - runner)), 1])
        return poses


@process("umbrella", Traits("state transformation", moves=False, changes_in_place=True))
def umbrella(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    words = Words(
        subject=f"a {word} parasol on a stand",
        setting=f"on the {stage.here}",
        action=f"the ribs of the {word} parasol swing outwards slowly and evenly and stretch its cloth",
        end="the parasol is fully open like a roof",
        is_ended="Is the parasol wide open?",
        is_as_before="Is the parasol closed or nearly closed?",
    )
    x, y = rng.uniform(-0.72, -0.6), stage.room.eye[1] + AHEAD_M
    timber = Material(texture=wood(rng, stage.palette.choose(rng, ("#b08a5c", "#8b8378"))), tile_m=0.6)
    cloth = Material(linear(stage.palette.subject.code), shine=0.03)
    props = Props(stand(timber, x, y))
    return Umbrella(words, props, cloth, np.array([x, y, TOP_M]), rng.uniform(0.85, 1.15) / OPEN_S)


def panel() -> Mesh:
    """Cloth between two ribs in their own measure: x and y along the ribs, z the dome's rise."""
    points = []
    for down in np.linspace(0, 1, CUTS + 1):
        for across in np.linspace(0, 1, CUTS + 1):
            reach = down * (1 - SCALLOP * down * np.sin(np.pi * across))
            points.append((reach * (1 - across), reach * across, 4 * DOME * reach * (1 - reach)))
    flat = np.array(points)
    normals = np.stack([4 * DOME * (2 * (flat[:, 0] + flat[:, 1]) - 1)] * 2 + [np.ones(len(flat))], axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Mesh(flat, normals, flat[:, :2], grid_faces(CUTS, CUTS))


def spanned(first: FloatArray, second: FloatArray, rise: FloatArray, top: FloatArray) -> FloatArray:
    """Transform that stretches a panel between two ribs."""
    transform = np.eye(4)
    transform[:3, 0], transform[:3, 1], transform[:3, 2], transform[:3, 3] = first, second, rise, top
    return transform


def stand(timber: Material, x: float, y: float) -> list[Part]:
    """A pole in a heavy round foot."""
    foot = turned(curve([(0.21, 0), (0.21, 0.05), (0.17, 0.075), (0.05, 0.09), (0.04, 0.2), (0.028, 0.21)], 4), 40)
    stone = Material(linear("#8e8c86"), shine=0.05)
    pole = cylinder(0.02, TOP_M, around=20)
    return [Part("parasol stand", foot.at(x, y, 0), stone), Part("parasol stand", pole.at(x, y, 0), timber)]
