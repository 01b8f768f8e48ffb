"""A toy train runs round an oval track, out of the first view and back into it, and halts on the far side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.staging import lengthwise
from lookaway.worlds.furniture.tables import table
from lookaway.worlds.furniture.toy_railway import Oval, cottage, engine, oval_track, tree, wagon
from lookaway.worlds.mesh import box, pose
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process

AHEAD_M = 2.3
BELOW_EYE_M = 0.64
BOARD_M, COVER_M = (3.54, 2.0), 0.012
OVAL = Oval(half_straight=0.93, radius=0.78)
RAIL_M = 0.03  # top of the rails above the board
SPACING_M = 0.2  # from one vehicle's middle to the next
AXLES_M = 0.1
SCALE = 0.85
START_M = 0.96  # of the engine's middle, along the near straight
RUN_M, SPEED, BRAKE_M = 4.5, 0.76, 0.5
MEADOWS = ("#8f9a72", "#a3966f", "#9b9a92")
ROOFS = ("#8a4b3c", "#5b6168", "#7a6a4c")
TREES = ("#5f7f4a", "#9a8a52")
TREES_AT_M = ((-0.8, 0.1), (-0.08, -0.22), (0.5, -0.1), (0.75, 0.12))


class Train(Process):
    """Scripted: an even pace, then it brakes evenly."""

    def __init__(self, words: Words, middle: FloatArray, pace: float, props: Props, paint: Material) -> None:
        self.words, self.props = words, props
        self.subject = "train"
        black = Material((0.035, 0.035, 0.04), shine=0.25)
        small = np.diag([SCALE, SCALE, SCALE, 1.0])
        looks = {"train": engine(), "first wagon": wagon(), "second wagon": wagon()}
        self.bodies: Sequence[Body] = [
            Body(Part(name, mesh.moved(small), material), self.subject)
            for vehicle, (body, wheels) in looks.items()
            for name, mesh, material in ((vehicle, body, paint), (f"{vehicle} wheels", wheels, black))
        ]
        self._vehicles = list(looks)
        self._middle, self._pace = middle, pace

    def state(self, process_s: float) -> dict[str, float]:
        """Way along the track (m), speed (m/s)."""
        fast = SPEED * self._pace
        even_s, brake_s = (RUN_M - BRAKE_M) / fast, 2 * BRAKE_M / fast
        even = min(max(process_s, 0.0), even_s)
        braked = min(max(process_s - even_s, 0.0), brake_s)
        left = 1 - braked / brake_s
        return {"travelled_m": fast * even + BRAKE_M * (1 - left**2), "speed": fast * left}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        front = START_M + self.state(process_s)["travelled_m"]
        poses = {}
        for number, vehicle in enumerate(self._vehicles):
            placed = self._middle @ on_track(front - number * SPACING_M)
            poses[vehicle] = poses[f"{vehicle} wheels"] = placed
        return poses


@process("train", Traits("kinematics", moves=True, changes_in_place=False, leaves=True, rests=False))
def train(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    top = stage.room.eye[2] - BELOW_EYE_M
    middle = pose(0, stage.room.eye[1] + AHEAD_M, top)
    words = Words(
        subject=f"a {word} toy train with two wagons",
        setting=f"on the near side of an oval track on a big table, on the {stage.here}",
        action=f"the {word} train drives round the track, first towards the {stage.there}",
        end="the train has come round to the far side of the track",
        is_ended="Is the train on the far side of the track?",
        is_as_before=f"Is the train on the near side of the track on the {stage.here}?",
    )
    palette = stage.palette
    scenery = [
        *moved(cottage(palette.choose(rng, ROOFS)), pose(-0.35, -0.1, 0, 12)),
        *moved(cottage(palette.choose(rng, ROOFS)), pose(0.2, 0.06, 0, -20)),
    ]
    foliage = palette.choose(rng, TREES)
    scenery += [part for x, y in TREES_AT_M for part in moved(tree(foliage), pose(x, y, 0))]
    meadow = box(BOARD_M[0] - 0.06, BOARD_M[1] - 0.06, COVER_M).at(0, 0, -COVER_M)
    laid = [
        Part("meadow", meadow, Material(linear(palette.choose(rng, MEADOWS)))),
        *oval_track(OVAL, lengthwise(rng, "#6b5138")),
        *scenery,
    ]
    stand = moved(table(lengthwise(rng), *BOARD_M, top - COVER_M), pose(0, middle[1, 3], 0))
    paint = Material(linear(palette.subject.code), shine=0.25, gloss=50, glow=0.04)
    return Train(words, middle, rng.uniform(0.85, 1.15), Props([*stand, *moved(laid, middle)]), paint)


def on_track(way: float) -> FloatArray:
    """Transform of a vehicle whose two axles stand on the rails, its middle about that far along the track."""
    rear, fore = (np.array(OVAL.place(way + side * AXLES_M / 2)) for side in (-1, 1))
    x, y = (rear + fore) / 2
    ahead_x, ahead_y = fore - rear
    return pose(float(x), float(y), RAIL_M, float(np.degrees(np.arctan2(ahead_y, ahead_x))))
