"""What is true of a process: traits known before anything is built, and words once it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lookaway.records import Event, event_of

Side = Literal["left", "right"]
Place = Literal["indoor", "outdoor"]
Category = Literal[
    "continuous process",
    "kinematics",
    "relational change",
    "causal change",
    "state transformation",
    "expected behaviour",
]

ANYWHERE: frozenset[Place] = frozenset({"indoor", "outdoor"})


@dataclass(frozen=True)
class Traits:
    """What a suite must know to plan with a process."""

    category: Category
    moves: bool
    changes_in_place: bool
    places: frozenset[Place] = ANYWHERE
    opposite: bool = False  # has a twin with the opposite action and end
    glows: bool = False  # shines by itself: darkness cannot hide it
    leaves: bool = False  # goes out of the first view and comes back by its own motion
    rests: bool = True  # can stay as it begins without looking impossible; what hangs in the air cannot

    @property
    def event(self) -> Event:
        return event_of(self.moves, self.changes_in_place)

    @property
    def can_wait(self) -> bool:
        """Something sets it off, and it can rest until then."""
        return self.category == "causal change" and self.rests


@dataclass(frozen=True)
class Words:
    """What may be said of a process; only `end` and `is_ended` speak of the end state.

    `subject`, `action` and `end` are clauses without a full stop; the questions are whole sentences.
    """

    subject: str  # "a red ball"
    setting: str  # where it is: "on the floor on the left"
    action: str  # what goes on: "the red ball rolls across the floor towards the right"
    end: str  # "the ball has rolled to the right part of the floor"
    is_ended: str  # yes at the end and no at the start: "Is the ball in the right part of the picture?"
    is_as_before: str  # no at the end and yes at the start: "Is the ball in the left part of the picture?"
    trigger: str = "none"  # who or what starts it: "a hand flips the switch"; "none" when it runs by itself


@dataclass(frozen=True)
class Facts:
    """What is true of one world and may be written into a task; the prompt never speaks of the end."""

    traits: Traits
    words: Words
    side: Side
    scene: str
    prompt: str
    end: str
