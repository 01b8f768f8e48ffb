"""A person on a round walks out of the first view and comes back."""

from __future__ import annotations

from collections.abc import Mapping

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.figures import Person, walking
from lookaway.worlds.gait import Gait, Path
from lookaway.worlds.process import Process, ProcessStage, process

ROUND = (  # metres to the right of and ahead of the eye
    (-0.78, 3.05),
    (-1.08, 2.45),
    (-1.16, 1.85),
    (-1.19, 1.44),
    (-1.35, 1.27),
    (-1.5, 1.47),
    (-1.51, 1.93),
    (-1.3, 2.4),
    (-1.0, 2.8),
    (-0.6, 3.0),
    (0.1, 3.05),
    (0.75, 3.0),
    (1.0, 3.2),
    (0.7, 3.45),
    (0.0, 3.45),
    (-0.5, 3.35),
)
SPEED = 0.82
STRIDE_M, LIFT_M = 0.78, 0.06


class Patrol(Process):
    """Scripted: the body goes on evenly round a closed way, the feet follow the gait."""

    def __init__(self, words: Words, person: Person, path: Path, speed: float) -> None:
        self.words = words
        self.subject, self.bodies = person.name, person.bodies
        self._person, self._path, self._speed = person, path, speed
        self._gait = Gait(STRIDE_M, LIFT_M)

    def state(self, process_s: float) -> dict[str, float]:
        """Way covered (m) and rounds walked, both without bound."""
        walked = self._walked(process_s)
        return {"travelled_m": walked, "rounds": walked / self._path.length}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        return self._person.poses(walking(self._path, self._gait, self._walked(process_s)))

    def _walked(self, process_s: float) -> float:
        return max(process_s, 0.0) * self._speed


@process("patrol", Traits("expected behaviour", moves=True, changes_in_place=False, leaves=True, rests=False))
def patrol(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    words = Words(
        subject=f"a person in {word} clothes",
        setting=f"on the {stage.here}",
        action=f"the person in {word} clothes walks on and on at an even pace along a closed round "
        f"that leads past the {stage.here} edge of the picture",
        end=f"the person has come back and walks towards the {stage.there}",
        is_ended=f"Is the person walking towards the {stage.there}?",
        is_as_before=f"Is the person walking towards the {stage.here} edge of the picture?",
    )
    path = Path([(x, stage.room.eye[1] + ahead) for x, ahead in ROUND], closed=True)
    return Patrol(words, Person(stage), path, SPEED * rng.uniform(0.85, 1.15))
