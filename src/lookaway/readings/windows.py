"""Windows: the part of a clip that an ask is about, found by an observer or by what a judge said before.

`returned@replay` is all that the observer `replay` found to be back after a look-away; `returned@judgeable` the same by
the rows of the ask `judgeable`. `whole@judgeable` finds the same, but shows all of the clip and only tells the seconds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lookaway.errors import UnknownName, UsageError
from lookaway.geometry.rounds import Phases
from lookaway.geometry.visibility import phases_from_visible
from lookaway.outcomes import Abstain
from lookaway.readings import Case
from lookaway.readings.judged_support import JudgedSupport, paper_support, sound_support
from lookaway.readings.sight import sight_phases
from lookaway.readings.subject import subject_phases
from lookaway.readings.told.wrbench import Judgeable
from lookaway.readings.track import track_phases

Spans = tuple[tuple[float, float], ...]  # from a second up to but not including another

PHASES = ("visible", "hidden", "returned")
WHOLE = "whole"  # told of the return, and shown everything
OBSERVED: dict[str, Callable[[Case], Phases]] = {
    "replay": sight_phases,
    "subject": subject_phases,
    "subject_track": track_phases,
}


def parted(text: str) -> tuple[str, str]:
    """Phase and source of a window such as `returned@replay`."""
    phase, _, source = text.partition("@")
    if phase not in (*PHASES, WHOLE):
        raise UnknownName("phase of a window", phase, (*PHASES, WHOLE))
    if not source:
        raise UsageError(f"window '{text}': say who finds it, such as {phase}@replay or {phase}@ASK")
    return phase, source


def window(case: Case, text: str) -> Spans | Abstain:
    """The spans of a clip that a window means."""
    named, source = parted(text)
    phase = "returned" if named == WHOLE else named
    phases = OBSERVED[source](case) if source in OBSERVED else judged_phases(case, source)
    if isinstance(phases, Abstain):
        return phases
    spans = tuple((i.start_s, i.end_s) for i in phases if i.phase == phase)
    return spans or Abstain(f"{source} finds no time in which the subject is {phase}")


JUDGED: dict[str, Callable[[Case], JudgedSupport | Abstain]] = {
    "judgeable:paper": paper_support,
    "judgeable:sound": sound_support,
}


def judged_phases(case: Case, ask: str) -> Phases | Abstain:
    """Phases by the rows of an answer about single frames: visible where the subject can be made out.

    Those of a gate judge are as support has them.
    """
    if ask in JUDGED:
        support = JUDGED[ask](case)
        return support if isinstance(support, Abstain) else support.phases
    told = case.told(ask, Judgeable)
    if isinstance(told, Abstain):
        return told
    seconds = np.array([frame.seconds for frame in told.frames])
    return phases_from_visible(seconds, np.array([frame.identifiable for frame in told.frames], bool))
