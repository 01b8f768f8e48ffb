"""StEvo-Bench's verdicts and successes without a judge: `exact` in the known world, `followed` on any video."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lookaway.metrics import WORLD, Case, Outcome, metric
from lookaway.outcomes import NotApplicable
from lookaway.readings import followed_verdicts as followed
from lookaway.readings import known_verdicts as known
from lookaway.readings.verdicts import Verdict, every_verdict

CONTROLS = ("observation_control", "action_control")
EVOLUTION = ("state_progress", "physical_plausibility", "coherence")
SUCCESSES = {
    "control_success": (CONTROLS, "1 when both controls hold"),
    "evolution_success": (EVOLUTION, "1 when progress, physics and coherence hold"),
    "task_success": ((*CONTROLS, *EVOLUTION), "1 when all five verdicts hold"),
}

Judged = Callable[[Case], Verdict | NotApplicable]


class UnaskedVerdict(NamedTuple):
    """How a verdict comes about without a judge."""

    told: Judged
    doc: str
    gates: tuple[str, ...] = ()
    needs: tuple[str, ...] = ("replay",)


TRACK = ("subject_track",)
SIGHT_GATES = ("left_view", "came_back")  # a verdict is about the whole clip, not about each round
BACK_GATES = ("subject_left", "stands_out", "subject_due")
EXACT: Mapping[str, UnaskedVerdict] = {
    "observation_control": UnaskedVerdict(
        known.hidden_exactly, "1 when its place was out of sight for half a second, beside the true world."
    ),
    "action_control": UnaskedVerdict(
        known.started_exactly, "1 when a frame looks as only after what starts the process, or nothing was to be done."
    ),
    "state_progress": UnaskedVerdict(
        known.progressed_exactly,
        "1 when it is about as far as was due, by the clip's own clock; a standstill is 0, and so is a rush.",
        SIGHT_GATES,
    ),
    "physical_plausibility": UnaskedVerdict(
        known.plausible_exactly,
        "1 when the same thing is back, on its ground, in the same room; 0 where it floats, has sunk or is another.",
        SIGHT_GATES,
    ),
    "coherence": UnaskedVerdict(
        known.coherent_exactly,
        "1 when one subject is back, where it is due and no earlier than it was, in the same room.",
        SIGHT_GATES,
    ),
}
FOLLOWED: Mapping[str, UnaskedVerdict] = {
    "observation_control": UnaskedVerdict(
        followed.hidden_as_followed,
        "1 when the subject, followed from its box, is out of sight for half a second, or nothing was to hide it.",
        ("stands_out",),
        TRACK,
    ),
    "action_control": UnaskedVerdict(
        followed.started_as_followed,
        "1 when nothing was to be done, 0 when the picture never changes; else no instrument can tell.",
        (),
        ("signals",),
    ),
    "state_progress": UnaskedVerdict(
        followed.progressed_as_followed,
        "1 when it went on along its way at least half as far as at its pace before, 0 when it stood or went back.",
        BACK_GATES,
        TRACK,
    ),
    "physical_plausibility": UnaskedVerdict(
        followed.plausible_as_followed,
        "1 when the same thing comes back in a room that is not replaced; what floats or has sunk is not noticed.",
        BACK_GATES,
        ("subject_track", "signals"),
    ),
    "coherence": UnaskedVerdict(
        followed.coherent_as_followed,
        "1 when it is one take of one place, and the subject comes back once, neither gone nor replaced.",
        ("stands_out",),
        ("subject_track", "signals", "same_place"),
    ),
}


def _register(variant: str, verdicts: Mapping[str, UnaskedVerdict], **facts: Any) -> None:
    shared = {"unit": "rate", "better": "higher", "range": (0, 1), "variant": variant, "version": 1, **facts}
    shared["phase_source"] = "measured"
    observers = tuple(dict.fromkeys(need for one in verdicts.values() for need in one.needs))
    for name, one in verdicts.items():
        metric(name=name, gates=one.gates, needs=one.needs, **shared)(_documented(one.told, one.doc))
    for name, (parts, doc) in SUCCESSES.items():
        told = _together([verdicts[part].told for part in parts])
        metric(name=name, needs=observers, **shared)(_documented(told, f"{doc}, each as `{variant}` has it."))


def _documented(told: Judged, doc: str) -> Callable[[Case], Outcome]:
    def outcome(case: Case) -> Outcome:
        return told(case)

    outcome.__doc__ = doc
    return outcome


def _together(parts: list[Judged]) -> Judged:
    def together(case: Case) -> Verdict | NotApplicable:
        found = [part(case) for part in parts]
        none = [each for each in found if isinstance(each, NotApplicable)]
        return none[0] if none else every_verdict(each for each in found if not isinstance(each, NotApplicable))

    return together


_register("exact", EXACT, needs_truth=WORLD)
_register("followed", FOLLOWED)


@metric(
    unit="likeness",
    better="lower",
    margin=0.1,
    range=(-1, 1),
    name="recalls_start",
    variant="exact",
    needs=["replay"],
    gates=SIGHT_GATES,
    needs_truth=WORLD,
    phase_source="measured",
    version=1,
)
def recalls_start(case: Case) -> Outcome:
    """How much more the returned view is like the first frame's moment than like the one due: above 0, it recalls it.

    1 looks exactly as at the start and -1 exactly as due; abstains where the two look alike.
    """
    return known.nearer_the_start(case)


@metric(
    unit="likeness",
    better="lower",
    margin=0.1,
    range=(-1, 1),
    name="recalls_start",
    variant="followed",
    needs=["subject_track"],
    gates=BACK_GATES,
    phase_source="measured",
    version=1,
)
def where_at_first(case: Case) -> Outcome:
    """1 where the subject comes back at the place it had at first, -1 at the one it was last seen at.

    Near -1 it stood still, near 0 it is at neither; abstains where it had hardly moved when it was hidden.
    """
    return followed.nearer_its_first_place(case)
