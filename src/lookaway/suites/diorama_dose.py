"""How memory fades: one task per hidden duration x rotation, for several worlds, everything else the same."""

from __future__ import annotations

import itertools

from lookaway.records import WorldSpec
from lookaway.suites import Draft, suite
from lookaway.suites.known_world import draft, shot
from lookaway.suites.look_aways import OTHER_SIDE, Timing, Turn

VERSION = 1
HIDDEN_S = (0.5, 1.0, 2.0, 4.0)
ROTATION_DEG = (60.0, 90.0, 135.0, 180.0)
DEG_PER_S = 180.0
PACE = 0.8  # the longest clip then ends while the process is still going on
WORLDS: tuple[tuple[str, str, int, Turn], ...] = (
    ("parlour", "filling", 0, "left"),
    ("workshop", "sand", 1, "right"),
    ("parlour", "ball", 2, "left"),
    ("workshop", "walker", 3, "right"),
)


@suite(
    "diorama-dose",
    version=VERSION,
    summary="hidden duration x rotation angle in four worlds; exact truth",
    extra="worlds",
)
def diorama_dose() -> list[Draft]:
    drafts = []
    for (layout, process, seed, side), hidden_s, angle in itertools.product(WORLDS, HIDDEN_S, ROTATION_DEG):
        spec = WorldSpec(layout=layout, process=process, seed=seed, side=side, pace=PACE)
        turning_s = angle / DEG_PER_S
        timing = Timing(out_s=turning_s, hidden_s=hidden_s, back_s=turning_s, after_s=1.0)
        turn = OTHER_SIDE[side]  # away from the subject, so that the smallest rotation already hides it
        made = shot(spec, f"yaw-{turn}", turn, timing, angle)
        id = f"{layout}{seed}_{process}_{hidden_s:g}s_{angle:g}deg"
        drafts.append(draft("diorama-dose", str(VERSION), made, id))
    return drafts
