"""Long look-aways: six worlds, hidden for 8, 16, 32 and 64 s, each process slowed so that it still goes on."""

from __future__ import annotations

from lookaway.suites import Draft, suite
from lookaway.suites.diorama_dose import LADDER_PACE, LADDER_WORLDS, LONGEST_S, ladder_draft

VERSION = 1
HIDDEN_S = (8.0, 16.0, 32.0, 64.0)
WORLDS = LADDER_WORLDS[:6]


@suite(
    "diorama-long",
    version=VERSION,
    summary="hidden for 8, 16, 32 and 64 s in six worlds; exact truth",
    extra="worlds",
)
def diorama_long() -> list[Draft]:
    """The longer the wait, the slower the process, so that each is about as far when the view returns."""
    return [
        ladder_draft("diorama-long", str(VERSION), placed, hidden_s, round(LADDER_PACE * LONGEST_S / hidden_s, 4))
        for placed in WORLDS
        for hidden_s in HIDDEN_S
    ]
