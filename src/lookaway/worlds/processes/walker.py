"""A person walks across the view and comes to a stand."""

from __future__ import annotations

from collections.abc import Mapping

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.figures import Person, walking
from lookaway.worlds.gait import Gait, Path
from lookaway.worlds.process import Process, ProcessStage, process

AHEAD_M = 3.05
START_M, STOP_M = -1.2, 1.15
SPEED = 0.42
STRIDE_M, LIFT_M = 0.68, 0.06


class Walker(Process):
    """Scripted: the body goes on evenly, the feet follow the gait."""

    def __init__(self, words: Words, person: Person, path: Path, gait: Gait, speed: float) -> None:
        self.words = words
        self.subject, self.bodies = person.name, person.bodies
        self._person, self._path, self._gait, self._speed = person, path, gait, speed

    def state(self, process_s: float) -> dict[str, float]:
        """Way covered (m), and the share of the stride since the left foot was set down."""
        walked = self._walked(process_s)
        return {"travelled_m": self._gait.body_m(walked), "stride_phase": self._gait.phase(walked, 0.0)}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        return self._person.poses(walking(self._path, self._gait, self._walked(process_s)))

    def _walked(self, process_s: float) -> float:
        return min(max(process_s, 0.0) * self._speed, self._gait.last_m)


@process("walker", Traits("expected behaviour", moves=True, changes_in_place=False, rests=False))
def walker(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    words = Words(
        subject=f"a person in {word} clothes",
        setting=f"on the {stage.here}",
        action=f"the person in {word} clothes walks at an even pace towards the {stage.there}",
        end=f"the person has walked across to the {stage.there}",
        is_ended=f"Is the person in the {stage.there} half of the picture?",
        is_as_before=f"Is the person still on the far {stage.here} of the picture?",
    )
    y = stage.room.eye[1] + AHEAD_M + rng.uniform(-0.1, 0.1)
    path = Path([(START_M, y), (0.0, y + rng.uniform(-0.05, 0.05)), (STOP_M, y)])
    gait = Gait(STRIDE_M, LIFT_M, stop_m=path.length)
    return Walker(words, Person(stage), path, gait, SPEED * rng.uniform(0.85, 1.15))
