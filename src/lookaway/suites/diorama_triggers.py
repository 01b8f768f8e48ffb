"""Starts midway: causal processes of the known world that are set off while they are hidden, or before that in sight.

Every causal process that can rest before it is set off, under a turn to either side, two covers and darkness, with
twins. What happened unseen is told by its effect after the return alone; what was seen must persist (`_seen`).
"""

from __future__ import annotations

import itertools
from dataclasses import replace

from lookaway.records import WorldSpec
from lookaway.suites import Draft, suite
from lookaway.suites.diorama import SIDES, with_twins
from lookaway.suites.known_world import ENDED_S, Shot, shot
from lookaway.suites.look_aways import OTHER_SIDE, PLAIN, Turn
from lookaway.worlds import LAYOUTS, PROCESSES

NAME, VERSION = "diorama-triggers", 1
START_S = 2.0  # hidden by every look, and early enough for the effect to show on return
SEEN_S = 0.5  # in sight, and early enough for the effect to show before it is hidden
SEEN_LOOKS = ("yaw-left", "yaw-right")
LOOKS = ("yaw-left", "yaw-right", "cardboard", "curtain", "lights-off")
TURN_DEG = 90.0  # what sets it off stands beside the subject and is out of sight as well


def waiting() -> list[str]:
    """Processes that can be set off later."""
    return [name for name in PROCESSES.names() if PROCESSES.find(name).traits.can_wait]


def shots() -> list[Shot]:
    """Every task without its twins; places and sides take turns."""
    made = []
    for number, (process, look) in enumerate(itertools.product(waiting(), LOOKS)):
        traits = PROCESSES.find(process).traits
        if traits.glows and look == "lights-off":
            continue
        places = [name for name in LAYOUTS.names() if LAYOUTS.find(name).place in traits.places]
        side: Turn = SIDES[number % 2]
        turn: Turn = {"yaw-left": SIDES[0], "yaw-right": SIDES[1]}.get(look, OTHER_SIDE[side])
        spec = WorldSpec(layout=places[number % len(places)], process=process, seed=number % 4, side=side)
        angle = TURN_DEG if look.startswith("yaw") else None
        made.append(shot(starting(spec, START_S), look, turn, PLAIN, angle))
    return made


def starting(spec: WorldSpec, second: float) -> WorldSpec:
    """The world whose process is set off then, so fast that it shows its end state at the end of the clip."""
    return spec.model_copy(update={"pace": round(ENDED_S / (PLAIN.total_s - second), 4), "start_s": second})


def seen_shots() -> list[Shot]:
    """The same worlds, set off in sight."""
    turns = [made for made in shots() if made.look in SEEN_LOOKS]
    return [replace(made, world=starting(made.world, SEEN_S)) for made in turns]


@suite(
    NAME,
    version=VERSION,
    summary="causal processes of the known world that are set off midway, most while hidden; exact truth",
    extra="worlds",
)
def diorama_triggers() -> list[Draft]:
    posed = [*((made, "") for made in shots()), *((made, "_seen") for made in seen_shots())]
    return [twin for made, ending in posed for twin in with_twins(NAME, str(VERSION), made, ending)]
