"""Whether two arms were asked for the same videos: the same seeds, and every input the same to the last byte."""

from __future__ import annotations

from collections.abc import Sequence

from lookaway.errors import UsageError
from lookaway.pipeline.arms import JoinedArm
from lookaway.records import Request

ASKED = ("prompt", "first_frame", "prefix", "control", "width", "height", "frames", "fps")


def check_same_inputs(base: JoinedArm, checked: JoinedArm) -> None:
    """Refuse arms that differ in seeds, first frames, prefixes, prompts, controls or sizes."""
    sides = [set().union(*(part.cases for part in arm.parts)) for arm in (base, checked)]
    seeds = [sorted({seed for _, seed in cases}) for cases in sides]
    if seeds[0] != seeds[1]:
        raise UsageError(
            f"--preset serving: {base.name} has seeds {listed(seeds[0])}, {checked.name} {listed(seeds[1])}; run "
            "both with the same --seeds"
        )
    asked = [_requests(arm) for arm in (base, checked)]
    for case in sorted(sides[0] & sides[1]):
        one, other = (requests.get(case) for requests in asked)
        if one is None or other is None:
            name = base.name if one is None else checked.name
            raise UsageError(
                f"--preset serving: nobody knows what {name} was asked for {case[0]}; it was brought, not run"
            )
        differ = [field for field in ASKED if getattr(one, field) != getattr(other, field)]
        if differ:
            raise UsageError(
                f"--preset serving: {case[0]}, seed {case[1]}: both must get the same inputs; these differ: "
                f"{', '.join(differ)}"
            )


def listed(seeds: Sequence[int]) -> str:
    return ", ".join(map(str, seeds)) or "none"


def _requests(arm: JoinedArm) -> dict[tuple[str, int], Request]:
    return {
        (request.case.task, request.case.seed): request
        for part in arm.parts
        for request in part.run.run.latest("requests", Request).values()
        if request.case.system == part.system.label and not request.case.branch
    }
