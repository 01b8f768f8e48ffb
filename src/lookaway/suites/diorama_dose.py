"""How memory fades: hidden time crossed with rotation in four worlds, and a fine ladder of hidden times in eight.

Everything else is the same within each of the two. On the ladder every world has its own hidden times, a little off
those of the others, so that together they leave no wide gap in which a memory could end unnoticed.
"""

from __future__ import annotations

import itertools

from lookaway.records import WorldSpec
from lookaway.suites import Draft, suite
from lookaway.suites.known_world import FPS, draft, shot
from lookaway.suites.look_aways import OTHER_SIDE, Timing, Turn

VERSION = 2
PlacedWorld = tuple[str, str, int, Turn]  # layout, process, seed, side

HIDDEN_S = (0.5, 1.0, 2.0, 4.0)
ROTATION_DEG = (60.0, 90.0, 135.0, 180.0)
DEG_PER_S = 180.0
PACE = 0.8  # the longest clip then ends while the process is still going on
WORLDS: tuple[PlacedWorld, ...] = (
    ("parlour", "filling", 0, "left"),
    ("workshop", "sand", 1, "right"),
    ("parlour", "ball", 2, "left"),
    ("workshop", "walker", 3, "right"),
)

RUNGS, SHORTEST_S, LONGEST_S = 12, 0.5, 8.0
LADDER_DEG, LADDER_TURN_S = 60.0, 0.25
LADDER_PACE = 0.45  # likewise, though the longest clip is half as long again
UNSEEN_TURN_S = 0.25  # of both turns together, the subject is out of view already or still
LADDER_WORLDS: tuple[PlacedWorld, ...] = (
    ("workshop", "hatch", 1, "right"),
    ("bedroom", "yarn", 0, "left"),
    ("beach", "seesaw", 1, "right"),
    ("kitchen", "conveyor", 0, "left"),
    ("classroom", "sliding", 1, "right"),
    ("parlour", "ice", 0, "left"),
    ("street", "walker", 1, "right"),
    ("garden", "ball", 0, "left"),
)


def ladder_s(rung: int, world: int) -> float:
    """Seconds for which a world hides its subject: log-spaced, each world a share of a rung on; in whole frames."""
    shift = (world + 0.5) / len(LADDER_WORLDS) - 0.5
    longer: float = (LONGEST_S / SHORTEST_S) ** ((rung + shift) / (RUNGS - 1))
    return round(SHORTEST_S * longer * FPS) / FPS


def ladder_draft(name: str, version: str, placed: PlacedWorld, hidden_s: float, pace: float) -> Draft:
    """One world, hidden for so long by one quick turn away from its subject."""
    layout, process, seed, side = placed
    spec = WorldSpec(layout=layout, process=process, seed=seed, side=side, pace=pace)
    timing = Timing(out_s=LADDER_TURN_S, hidden_s=hidden_s - UNSEEN_TURN_S, back_s=LADDER_TURN_S, after_s=1.0)
    turn = OTHER_SIDE[side]
    made = shot(spec, f"yaw-{turn}", turn, timing, LADDER_DEG)
    return draft(name, version, made, f"{layout}{seed}_{process}_{hidden_s:g}s")


def crossed() -> list[Draft]:
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


def ladder() -> list[Draft]:
    return [
        ladder_draft("diorama-dose", str(VERSION), placed, ladder_s(rung, world), LADDER_PACE)
        for world, placed in enumerate(LADDER_WORLDS)
        for rung in range(RUNGS)
    ]


@suite(
    "diorama-dose",
    version=VERSION,
    summary="hidden duration x rotation angle in four worlds, twelve hidden times in eight; exact truth",
    extra="worlds",
)
def diorama_dose() -> list[Draft]:
    return [*crossed(), *ladder()]
