"""Eight small tasks: two layouts, two rooms of each, one moving and one in-place process in every room."""

from __future__ import annotations

from lookaway.records import WorldSpec
from lookaway.suites import Draft, suite
from lookaway.suites.known_world import draft

LOOK_LEFT = "hold@0.75s, yaw:left:75@0.5s, hold@1s, yaw:right:75@0.5s, hold@1s"
LOOK_RIGHT = "hold@0.75s, yaw:right:75@0.5s, hold@1s, yaw:left:75@0.5s, hold@1s"


@suite("diorama-mini", version=1, summary="8 small look-away tasks in the known world; the demo", extra="worlds")
def diorama_mini() -> list[Draft]:
    """Look left and look right are balanced over layouts and processes."""
    drafts = []
    for number, layout in enumerate(("parlour", "workshop")):
        for seed in (0, 1):
            for other, process in enumerate(("ball", "filling")):
                camera = LOOK_LEFT if (number + seed + other) % 2 == 0 else LOOK_RIGHT
                spec = WorldSpec(layout=layout, process=process, seed=seed)
                drafts.append(draft("diorama-mini", "1", spec, camera))
    return drafts
