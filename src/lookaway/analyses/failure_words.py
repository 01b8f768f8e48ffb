"""The vocabulary of failures: names, what they mean, and the rules over scores by which a clip gets them."""

from __future__ import annotations

from typing import NamedTuple

WRONG = 0.5  # of a judged score from 0 to 1: below, more speaks against the clip than for it, as in the ledgers
TURNED = 0.5  # of a camera's alignment, as in the ledgers
CLEAN = 0.7  # of integrity; ours, the paper prints no bound
MOSTLY = 0.5  # of frames
MISPLACED = 0.1  # of the frame's width: half of the shift that a person would notice
UNDONE = -0.1  # hidden durations: time ran back, not just stood still; and process time that is before its start
ANOTHER_ROOM = 0.57  # of a place's likeness, as in the ledger of `real`
OFF_PATH_DEG = 15.0  # RMS: what a camera is off by that makes two thirds of a turn by 75 degrees


class Sign(NamedTuple):
    """What is seen in a score: a number beyond a bound, a number that is an alarm, or a reason that begins so."""

    metrics: tuple[str, ...]  # the first of these that the protocol has
    below: float | None = None
    from_: float | None = None
    reason: str = ""  # with none of these three: further from its best value than the metric's margin
    gate: bool = False  # where it is not seen nothing is told, instead of no

    def __str__(self) -> str:
        """`reobserved_state below 0.5`"""
        if self.below is not None:
            tells = f"below {self.below:g}"
        elif self.from_ is not None:
            tells = f"from {self.from_:g} on"
        else:
            tells = f"says {self.reason}" if self.reason else "beyond its margin"
        return f"{'given ' if self.gate else ''}{' or '.join(self.metrics)} {tells}"


class FailureWord(NamedTuple):
    name: str
    about: str
    rules: tuple[tuple[Sign, ...], ...] = ()  # the first whose metrics the protocol has; all its signs must be seen

    @property
    def rule_text(self) -> str:
        """All rules in words; empty where no metric tells it."""
        return "; else ".join(" and ".join(map(str, rule)) for rule in self.rules)


PLACE_WRONG, STATE_WRONG = Sign(("reobserved_spatial",), below=WRONG), Sign(("reobserved_state",), below=WRONG)
PLACE_RIGHT, STATE_RIGHT = Sign(("reobserved_spatial",), from_=WRONG), Sign(("reobserved_state",), from_=WRONG)
AS_ASKED = Sign(("prompt_camera_alignment",), from_=TURNED)


def _alarm(name: str, about: str, metric: str) -> FailureWord:
    return FailureWord(name, about, ((Sign((metric,)),),))


FAILURE_WORDS = (
    FailureWord(
        "no test",
        "the clip never hid its subject and brought it back",
        ((Sign(("judged_support", "reobservation_support"), below=1.0),),),
    ),
    _alarm("camera at rest", "the camera left out the turn that was asked of it", "camera_inactivity"),
    _alarm("frozen", "the picture never changes", "still_picture"),
    _alarm("camera drag", "the subject goes along with the camera", "subject_dragged"),
    FailureWord(
        "vanished",
        "the subject is not there when the camera is back",
        (
            (Sign(("object_present",), below=MOSTLY),),
            (Sign(("subject_refound",)),),
            (AS_ASKED, Sign(("reobserved_state",), reason="never_returned")),
        ),
    ),
    FailureWord(
        "melted",
        "what came back can no longer be made out",
        ((Sign(("reobserved_state",), reason="unidentifiable"),),),
    ),
    _alarm("replaced", "something else stands in its place", "subject_replaced"),
    _alarm("duplicated", "there is a second one", "subject_doubled"),
    FailureWord("displaced", "it came back in its state and in a wrong place", ((PLACE_WRONG, STATE_RIGHT),)),
    FailureWord("wrong state", "it came back in its place and in a wrong state", ((STATE_WRONG, PLACE_RIGHT),)),
    FailureWord("wrong place and state", "it came back and neither is right", ((PLACE_WRONG, STATE_WRONG),)),
    FailureWord(
        "reset",
        "time runs back: it returns as if nothing had happened",
        ((Sign(("absolute_clock",), below=0.1),), (Sign(("time_undone",)),)),
    ),
    FailureWord(
        "three successes, wrong return",
        "the picture is clean, the camera turned as asked, the return can be judged, and the state is wrong",
        ((Sign(("visual_integrity",), from_=CLEAN), AS_ASKED, STATE_WRONG),),
    ),
    _alarm("cut", "the film begins anew somewhere", "cut_count"),
    FailureWord(
        "other place",
        "another place fills in where the first one was",
        ((Sign(("slow_replacement",), from_=MOSTLY),),),
    ),
    FailureWord("merged structure", "things grow together, or walls appear that were not there"),
    FailureWord("first-frame ghosting", "the first frame shows through for a moment"),
    FailureWord("degraded beyond the cache", "the picture gets worse where the camera had not been"),
)


BACK = Sign(("view_returned",), from_=1.0, gate=True)
# The kinds of MemoBench's Table S10. A clip may be of several; of each the first rule that tells something counts: what
# the known world knows, then what is seen without it.
FAILURE_TYPES = (
    FailureWord(
        "object vanish",
        "the subject is not there when the camera is back",
        (
            (Sign(("return_count",), from_=MOSTLY),),
            (Sign(("object_present",), below=MOSTLY),),
            (BACK, Sign(("subject_refound",))),
        ),
    ),
    FailureWord(
        "identity drift",
        "what came back looks otherwise, or is something else",
        (
            (Sign(("return_identity",), below=WRONG),),
            (Sign(("subject_identity",), below=WRONG),),
            (BACK, Sign(("subject_replaced",))),
        ),
    ),
    FailureWord(
        "state reset",
        "the process was set back while nobody looked",
        (
            (Sign(("world_clock",), below=UNDONE), Sign(("absolute_clock",), from_=UNDONE)),
            (BACK, Sign(("time_undone",))),
        ),
    ),
    FailureWord(
        "teleport",
        "the subject came back in a wrong place",
        ((Sign(("return_place",), from_=MISPLACED),), (BACK, Sign(("subject_place_shift",)))),
    ),
    FailureWord(
        "background hallucination",
        "the surroundings are others than before",
        (
            (Sign(("background_same",), below=WRONG),),
            (Sign(("place_likeness",), below=ANOTHER_ROOM),),
            (Sign(("cut_count",)),),
        ),
    ),
    FailureWord(
        "camera drift",
        "the camera leaves the asked path",
        ((Sign(("camera_rotation_error",), from_=OFF_PATH_DEG),),),
    ),
)
