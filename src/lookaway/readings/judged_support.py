"""Re-observation support as a judge of single frames has it (WRBench): seen, hidden, back, and there to be judged.

Pure: from a row of judgements to intervals and, per axis, whether the return can be judged or why it cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from lookaway.geometry.rounds import Phases
from lookaway.geometry.trajectory import Floats
from lookaway.geometry.visibility import MIN_HIDDEN_S, frames_in, phases_from_visible
from lookaway.observers import Flags
from lookaway.outcomes import Abstain, Gated
from lookaway.readings import Case
from lookaway.readings.told.wrbench import Explained, ExplainedFrame, Judgeable, Supported
from lookaway.records import GateKind, Phase

Axis = Literal["place", "state"]
AXES: tuple[Axis, ...] = get_args(Axis)
TINY_S = 1e-6
MIN_RETURNED_S = 0.5  # as long as hiding takes: a single wrong sight of one that is gone is no return
NoSupport = Literal["no_initial_judgeable", "never_hidden", "never_returned", "unidentifiable"]

_WHY: dict[NoSupport, tuple[GateKind, str]] = {
    "no_initial_judgeable": ("not_judgeable", "the subject can be made out in no frame"),
    "never_hidden": ("avoided", "the subject can be made out all the time, or is lost only for a moment"),
    "never_returned": ("avoided", "the subject goes out of sight and is not seen again"),
    "unidentifiable": ("not_judgeable", "something comes back, but nobody can tell whether it is the subject"),
}


@dataclass(frozen=True)
class JudgedSample:
    """What a judge makes out in one frame.

    `in_view`: something is to be seen that may be the subject; `away`: the subject is out of the picture. Of one that
    is covered neither holds.
    """

    seconds: float
    in_view: bool
    away: bool
    identifiable: bool
    place: bool
    state: bool

    @classmethod
    def of_one_flag(cls, seconds: float, judgeable: bool) -> JudgedSample:
        """Where one flag stands for all of it."""
        return cls(seconds, judgeable, not judgeable, judgeable, judgeable, judgeable)

    def shows(self, axis: Axis) -> bool:
        return self.identifiable and (self.place if axis == "place" else self.state)


@dataclass(frozen=True)
class JudgedSupport:
    """What a row of judgements comes to.

    H: `hidden` has an interval. U: a sample after its start shows the subject, or what may be it. J of an axis: a
    sample of `returned` tells that axis. An axis has support where all three hold; else `missing` says what does not.
    """

    phases: Phases
    missing: dict[Axis, NoSupport]  # axes without support, and why
    out_of_view_s: float  # nothing of the subject is in the picture
    unjudgeable_s: float  # it may be, and cannot be made out: covered, dark, blurred

    @property
    def hidden(self) -> tuple[tuple[float, float], ...]:
        return self._spans("hidden")

    @property
    def returned(self) -> tuple[tuple[float, float], ...]:
        return self._spans("returned")

    @property
    def holds(self) -> bool:
        """On both axes, as the release's one flag demands."""
        return not self.missing

    def closed(self, axis: Axis) -> Gated | None:
        """Why nothing can be said of an axis after the return; None where it can."""
        if axis not in self.missing:
            return None
        reason = self.missing[axis]
        kind, words = _WHY[reason]
        if reason == "unidentifiable" and self.returned:
            words = f"the subject is back, but its {axis} cannot be told"
        return Gated(kind, f"{reason}: {words}")

    def _spans(self, phase: Phase) -> tuple[tuple[float, float], ...]:
        return tuple((part.start_s, part.end_s) for part in self.phases if part.phase == phase)


def support_of(
    samples: Sequence[JudgedSample], min_hidden_s: float = MIN_HIDDEN_S, min_returned_s: float = 0.0
) -> JudgedSupport:
    """Intervals and support of samples in order; at 0 a single sample hides the subject, or brings it back.

    At four a second, `y` where it can be made out: `yyynnyy` is hidden from 0.75 to 1.25 s and supported, `yynyyyy` is
    never hidden, since one sample lasts for a quarter of a second only. `yynnynn` comes back only where a return may be
    as short as that.
    """
    seconds = np.array([sample.seconds for sample in samples])
    known = np.array([sample.identifiable for sample in samples], bool)
    phases = lasting_phases(seconds, known, min_hidden_s, min_returned_s)
    back = frames_in(seconds, phases, "returned")
    missing = {axis: why for axis in AXES if (why := _missing(axis, samples, phases, back.tolist())) is not None}
    lasts = _durations(seconds)
    away = np.array([sample.away for sample in samples], bool)
    return JudgedSupport(phases, missing, float(lasts[~known & away].sum()), float(lasts[~known & ~away].sum()))


def lasting_phases(seconds: Floats, known: Flags, min_hidden_s: float, min_returned_s: float) -> Phases:
    """Phases whose hidden parts last that long, and whose returns show the subject for that long without a gap."""
    phases = phases_from_visible(seconds, known, min_hidden_s)
    for part in [part for part in phases if part.phase == "returned"]:
        back = frames_in(seconds, (part,), "returned")
        if _longest_s(seconds, known & back) < min_returned_s - TINY_S:
            known = known & ~back
    return phases_from_visible(seconds, known, min_hidden_s)


def _missing(axis: Axis, samples: Sequence[JudgedSample], phases: Phases, back: list[bool]) -> NoSupport | None:
    hidden = [part for part in phases if part.phase == "hidden"]
    if not phases:
        return "no_initial_judgeable"
    if not hidden:
        return "never_hidden"
    if any(sample.shows(axis) for sample, returned in zip(samples, back, strict=True) if returned):
        return None
    after = [sample.in_view or sample.identifiable for sample in samples if sample.seconds >= hidden[0].start_s]
    return "unidentifiable" if all(after) or any(after[after.index(False) :]) else "never_returned"


def _longest_s(seconds: Floats, flags: Flags) -> float:
    """The longest time for which `flags` holds."""
    runs = np.split(np.where(flags, _durations(seconds), 0.0), np.flatnonzero(np.diff(flags)) + 1)
    return max(float(run.sum()) for run in runs)


def _durations(seconds: Floats) -> Floats:
    """How long each sample stands: up to the next one, the last as long as most do."""
    if len(seconds) < 2:
        return np.zeros(len(seconds))
    steps = np.diff(seconds)
    return np.append(steps, np.median(steps))


# ---------------------------------------------------------------- from what the gate judge told


def paper_support(case: Case) -> JudgedSupport | Abstain:
    """By rows of three flags; nothing is said of why a subject cannot be made out, so it counts as out of view."""
    told = case.told("judgeable:paper", Judgeable)
    if isinstance(told, Abstain):
        return told
    return support_of(
        [
            JudgedSample(row.seconds, row.identifiable, not row.identifiable, row.identifiable, row.place, row.state)
            for row in told.frames
        ]
    )


def sound_support(case: Case) -> JudgedSupport | Abstain:
    """By rows that also say what keeps the subject from being made out; what is unclear may be the subject.

    A return lasts half a second, as hiding does.
    """
    told = case.told("judgeable:sound", Explained)
    if isinstance(told, Abstain):
        return told
    return support_of([_explained(row) for row in told.frames], min_returned_s=MIN_RETURNED_S)


def _explained(row: ExplainedFrame) -> JudgedSample:
    in_view, away = row.seen in ("in view", "unclear"), row.seen == "out of the picture"
    return JudgedSample(row.seconds, in_view, away, row.identifiable, row.place, row.state)


def released_support(case: Case) -> JudgedSupport | Abstain:
    """By one flag a second, of the first look or the second; a single second hides the subject."""
    first, second = (case.told(ask, Supported) for ask in ("judgeable:released", "judgeable_rescue:released"))
    if isinstance(first, Abstain):
        return first
    if isinstance(second, Abstain):
        return second
    rows = zip(first.frames, second.frames, strict=True)
    return support_of([JudgedSample.of_one_flag(a.seconds, a.judgeable or b.judgeable) for a, b in rows], 0.0)
