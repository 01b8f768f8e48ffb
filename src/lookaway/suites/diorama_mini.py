"""Eight small tasks in eight places: all six categories, each subject side with each turn twice."""

from __future__ import annotations

from lookaway.records import WorldSpec
from lookaway.suites import Draft, suite
from lookaway.suites.known_world import draft, paced, shot
from lookaway.suites.look_aways import Turn

VERSION = 2
TASKS: tuple[tuple[str, int, str, Turn, Turn], ...] = (  # layout, seed, process, subject side, first turn
    ("parlour", 0, "ball", "left", "left"),
    ("workshop", 1, "filling", "right", "right"),
    ("garden", 0, "circling", "left", "right"),
    ("kitchen", 0, "cup", "right", "left"),
    ("street", 0, "dominoes", "left", "left"),
    ("classroom", 0, "pallet", "right", "right"),
    ("bedroom", 0, "balloon", "left", "right"),
    ("beach", 0, "sand", "right", "left"),
)


@suite("diorama-mini", version=VERSION, summary="8 look-away tasks in the known world; the demo", extra="worlds")
def diorama_mini() -> list[Draft]:
    drafts = []
    for layout, seed, process, side, turn in TASKS:
        look = f"yaw-{turn}"
        spec = WorldSpec(layout=layout, process=process, seed=seed, side=side)
        made = shot(paced(spec, look), look, turn)
        drafts.append(draft("diorama-mini", str(VERSION), made, id=f"{layout}{seed}_{process}_{turn}"))
    return drafts
