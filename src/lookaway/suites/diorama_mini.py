"""Eight small tasks in eight places: all six categories, each subject side with each turn twice, four hidden times."""

from __future__ import annotations

from lookaway.records import WorldSpec
from lookaway.suites import Draft, suite
from lookaway.suites.known_world import draft, paced, shot
from lookaway.suites.look_aways import Timing, Turn

VERSION = 3
SEEN_S = 3.0  # hidden and seen again, together; but at least AFTER_S seen again
AFTER_S = 1.0
TASKS: tuple[tuple[str, int, str, Turn, Turn, float], ...] = (  # layout, seed, process, side, first turn, hidden_s
    ("parlour", 0, "ball", "left", "left", 1.25),
    ("workshop", 1, "filling", "right", "right", 1.75),
    ("garden", 0, "circling", "left", "right", 0.75),
    ("kitchen", 0, "cup", "right", "left", 1.25),
    ("street", 0, "dominoes", "left", "left", 1.75),
    ("classroom", 0, "pallet", "right", "right", 0.75),
    ("bedroom", 0, "balloon", "left", "right", 2.25),
    ("beach", 0, "sand", "right", "left", 2.25),
)


@suite("diorama-mini", version=VERSION, summary="8 look-away tasks in the known world; the demo", extra="worlds")
def diorama_mini() -> list[Draft]:
    drafts = []
    for layout, seed, process, side, turn, hidden_s in TASKS:
        look = f"yaw-{turn}"
        spec = WorldSpec(layout=layout, process=process, seed=seed, side=side)
        timing = Timing(hidden_s=hidden_s, after_s=max(AFTER_S, SEEN_S - hidden_s))
        made = shot(paced(spec, look), look, turn, timing)
        drafts.append(draft("diorama-mini", str(VERSION), made, id=f"{layout}{seed}_{process}_{turn}"))
    return drafts
