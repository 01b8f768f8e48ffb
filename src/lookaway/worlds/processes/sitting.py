"""A person sits down on a bench: slowly from standing in front of it, or after walking up to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.figures import STANDING_M, Arm, Person, Posture, standing, walking
from lookaway.worlds.furniture.benches import bench
from lookaway.worlds.furniture.staging import lengthwise
from lookaway.worlds.gait import Gait, Path
from lookaway.worlds.mesh import pose
from lookaway.worlds.parts import moved
from lookaway.worlds.process import Process, ProcessStage, Props, process

SEAT_M, BENCH_LENGTH_M, BENCH_DEPTH_M = 0.42, 0.8, 0.36
BACK_M = 0.36  # from the ankles back to the seated hips
SEATED_HIPS_M = SEAT_M + 0.1
BOW_DEG = 38.0
START_SHARE = 0.03
SIT_S = 5.2
STRIDE_M, LIFT_M, SPEED = 0.74, 0.06, 0.62
WALK_AHEAD_M, WALK_M, TURN_M = 3.15, 1.45, 0.13
SIT_AFTER_WALK_S = 2.0


class Sitting(Process):
    """Scripted: the hips sink evenly on to the seat while the feet stay."""

    def __init__(self, words: Words, person: Person, props: Props, upright: Posture, rate: float) -> None:
        self.words, self.props = words, props
        self.subject, self.bodies = person.name, person.bodies
        self._person, self._upright, self._rate = person, upright, rate

    def state(self, process_s: float) -> dict[str, float]:
        """Share of the way from standing to sitting."""
        return {"seated": self._seated(process_s)}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        return self._person.poses(lowered(self._upright, self._seated(process_s)))

    def _seated(self, process_s: float) -> float:
        return min(START_SHARE + (1 - START_SHARE) * max(process_s, 0.0) * self._rate, 1.0)


class WalkAndSit(Process):
    """Scripted: a walk that ends with the back to the bench, then sitting down."""

    def __init__(self, words: Words, person: Person, props: Props, path: Path, pace: float) -> None:
        self.words, self.props = words, props
        self.subject, self.bodies = person.name, person.bodies
        self._person, self._path, self._pace = person, path, pace
        self._gait = Gait(STRIDE_M, LIFT_M, stop_m=path.length)

    def state(self, process_s: float) -> dict[str, float]:
        """Way covered (m), then the share of the way from standing to sitting."""
        walked, seated = self._progress(process_s)
        return {"travelled_m": self._gait.body_m(walked), "seated": seated}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        walked, seated = self._progress(process_s)
        return self._person.poses(lowered(walking(self._path, self._gait, walked), seated))

    def _progress(self, process_s: float) -> tuple[float, float]:
        clock = max(process_s, 0.0) * self._pace
        walk_s = self._gait.last_m / SPEED
        walked = min(clock * SPEED, self._gait.last_m)
        return walked, float(np.clip((clock - walk_s) / SIT_AFTER_WALK_S, 0, 1))


def lowered(upright: Posture, seated: float) -> Posture:
    """The posture that share of the way down: the hips go back and down, the back bows and straightens again."""
    backward = -pose(0, 0, 0, upright.yaw_deg)[:3, 0]
    drop = np.array([0.0, 0.0, SEATED_HIPS_M - STANDING_M])
    bow = BOW_DEG * np.sin(np.pi * seated) ** 1.3
    arms = {side: Arm(arm.forward + 24 * seated, arm.out, arm.bend + 34 * seated) for side, arm in upright.arms.items()}
    hips = upright.hips + seated * (BACK_M * backward + drop)
    return replace(upright, hips=hips, arms=arms, lean_deg=upright.lean_deg + bow, nod_deg=-0.4 * bow)


@process("sitting", Traits("expected behaviour", moves=False, changes_in_place=True))
def sitting(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    words = Words(
        subject=f"a person in {word} clothes",
        setting=f"standing in front of a wooden bench on the {stage.here}",
        action=f"the person in {word} clothes slowly bends the knees and sinks towards the bench",
        end="the person sits on the bench",
        is_ended="Is the person sitting on the bench?",
        is_as_before="Is the person standing upright?",
    )
    place = np.array([rng.uniform(-0.62, -0.5), stage.room.eye[1] + rng.uniform(2.95, 3.05)])
    yaw_deg = rng.uniform(-42, -28)
    return Sitting(
        words,
        Person(stage),
        bench_behind(stage, place, yaw_deg),
        standing(place, yaw_deg),
        rng.uniform(0.85, 1.15) / SIT_S,
    )


@process("walk_and_sit", Traits("expected behaviour", moves=True, changes_in_place=True, rests=False))
def walk_and_sit(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    words = Words(
        subject=f"a person in {word} clothes",
        setting=f"on the {stage.here}, with a wooden bench on the {stage.there}",
        action=f"the person in {word} clothes walks towards the bench to take a seat",
        end=f"the person sits on the bench on the {stage.there}",
        is_ended="Is the person sitting on the bench?",
        is_as_before=f"Is the person upright on the far {stage.here} of the picture?",
    )
    y, x = stage.room.eye[1] + WALK_AHEAD_M, rng.uniform(0.3, 0.42)
    turns = np.deg2rad(np.arange(90, -1, -15))
    turn = [(x - TURN_M + TURN_M * np.cos(at), y - TURN_M + TURN_M * np.sin(at)) for at in turns]
    path = Path([(x - WALK_M, y), (x - WALK_M / 2, y), (x - 2 * TURN_M, y), *turn])
    props = bench_behind(stage, path.at(path.length), path.heading_deg(path.length))
    return WalkAndSit(words, Person(stage), props, path, rng.uniform(0.9, 1.1))


def bench_behind(stage: ProcessStage, place: FloatArray, yaw_deg: float) -> Props:
    """A bench whose seat is where someone standing there will sit."""
    behind = pose(float(place[0]), float(place[1]), 0, yaw_deg) @ pose(-BACK_M - 0.05, 0, 0)
    wooden = lengthwise(stage.rng, stage.palette.choose(stage.rng, ("#a97b4c", "#8c8479")))
    return Props(moved(bench(wooden, BENCH_LENGTH_M, BENCH_DEPTH_M, SEAT_M), behind))
