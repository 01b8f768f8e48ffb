"""What happened in one video, in plain words: the camera, the subject, the place, the film. A number says its doubt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

import numpy as np

from lookaway.geometry.rotations import yaw_pitch_deg
from lookaway.geometry.visibility import MIN_HIDDEN_S, longest_s
from lookaway.metrics import METRICS
from lookaway.observers import Floats
from lookaway.observers.classical import Classical
from lookaway.observers.same_place import SamePlace
from lookaway.observers.signals import Signals
from lookaway.observers.subject_track import SubjectTrack
from lookaway.pipeline.plans import installed, planned_observers
from lookaway.pipeline.sheets import case_of, readable, sheets
from lookaway.readings import Case
from lookaway.readings.film import (
    GREW,
    WALKED_DEG,
    is_still,
    is_undone,
    never_twice,
    place_word,
    slowly_replaced,
    walked_deg,
)
from lookaway.readings.track import (
    NOT_OUT,
    STANDS_OUT,
    Absence,
    absences,
    another_share,
    dragged_share,
    identity,
    is_replaced,
    moved_deg,
)
from lookaway.records import CaseId, Plan
from lookaway.store import Run

TOLD_BY = frozenset({"classical", "signals", "same_place"})  # observers; of the subject only where one is named
NOTABLE_DEG = 3.0  # a smaller turn is none
HOME_SHARE = 0.25  # of the largest turn: nearer to the first view is back
SAME_LOOK, OTHER_LOOK = 0.75, 0.5  # of identity: above the same, below another


def paragraphs(run: Run, plan: Plan, tasks: Collection[str]) -> Iterator[tuple[CaseId, str]]:
    """A paragraph for every clip of these tasks that counts; none where no metric of the plan needs such observers."""
    lookers = planned_observers(installed(plan))
    if not TOLD_BY.issubset(lookers):
        return
    for sheet in sheets(run, plan, lookers, of_tasks=tasks):
        if sheet.clip.video is None:
            yield sheet.clip.case, f"cannot be looked at: {sheet.clip.reason}"
            continue
        known = readable(run, sheet)
        silent = {name: seen.reason for name, seen in known.observations.items() if seen.arrays is None}
        yield sheet.clip.case, paragraph(case_of(run, known), silent)


def paragraph(case: Case, silent: Mapping[str, str]) -> str:
    """All sentences about a case; `silent` are observers that saw nothing, and why."""
    parts = [
        _camera(case) if "classical" in case.seen else f"The camera cannot be told: {_why(silent, 'classical')}.",
        _subject(case, silent),
        _place(case) if "same_place" in case.seen else "",
        _film(case) if "signals" in case.seen else "",
    ]
    return " ".join(filter(None, parts))


def _why(silent: Mapping[str, str], observer: str) -> str:
    return silent.get(observer) or f"{observer} has not looked"


# ---------------------------------------------------------------- camera


def _camera(case: Case) -> str:
    seen = case.saw(Classical)
    told = seen.trusted
    if not told.any():
        return "The camera cannot be placed."
    angles, wide = yaw_pitch_deg(seen.rotation), seen.half_width_deg
    axis = int(np.abs(np.where(told[:, None], angles, 0.0)).max(axis=0).argmax())
    turned, doubt = np.where(told, angles[:, axis], 0.0), wide[:, axis]
    peak, end = int(np.abs(turned).argmax()), int(np.flatnonzero(told)[-1])
    lost = longest_s(seen.seconds, ~told)
    note = f", and cannot be placed for {lost:.1f} s" if lost >= MIN_HIDDEN_S else ""
    if abs(turned[peak]) < NOTABLE_DEG:
        return f"The camera does not turn{note}."
    side = (("right", "left"), ("up", "down"))[axis][int(turned[peak] < 0)]
    out = f"The camera turns {side} {_degrees(turned, doubt, peak)}"
    home = abs(turned[end]) <= HOME_SHARE * abs(turned[peak])
    back = f"and back to {_degrees(turned, doubt, end)}" if home else f"and ends at {_degrees(turned, doubt, end)}"
    away = "" if home else ", away from the first view"
    return f"{out} {back}{away}{note}.{_lens(case, seen)}"


def _degrees(turned: Floats, doubt: Floats, at: int) -> str:
    """`33° [25, 42]`, positive towards the side of the largest turn."""
    sign = np.sign(turned[np.abs(turned).argmax()])
    value, ends = sign * turned[at], sorted(sign * (turned[at] + side * doubt[at]) for side in (-1, 1))
    middle, low, high = (round(float(degrees)) for degrees in (value, *ends))
    return f"{middle}° [{low}, {high}]"


def _lens(case: Case, seen: Classical) -> str:
    if not case.task.hfov_declared:
        return f" (Sizes are read through a lens of {seen.hfov_deg[0]:.0f}°, which nobody declared.)"
    if not np.isnan(seen.contradicting_hfov_deg):
        other = seen.contradicting_hfov_deg
        return f" (The lens was declared as {case.task.hfov_deg:.0f}°; the pictures themselves say {other:.0f}°.)"
    return ""


# ---------------------------------------------------------------- subject


def _subject(case: Case, silent: Mapping[str, str]) -> str:
    if case.task.subject is None:
        return ""
    name = _upper(case.task.subject.name)
    if "subject_track" not in case.seen:
        return f"{name} cannot be followed: {_why(silent, 'subject_track')}."
    seen, gone = case.saw(SubjectTrack), absences(case)
    if not gone:
        doubt = "" if seen.precision >= STANDS_OUT else f", if that is what was followed: {NOT_OUT}"
        return f"{name} {_throughout(seen)}{doubt}."
    if seen.precision < STANDS_OUT:
        return f"{name}: {NOT_OUT}, so whether it came back cannot be told."
    told = [_absence(seen, absence) for absence in gone]
    another = another_share(case)
    doubled = isinstance(another, float) and another > METRICS.get("subject_doubled:sound").margin
    more = "; another one like it is there as well" if doubled else ""
    instead = "; something else of its size is in its place" if is_replaced(case) else ""
    return f"{name} {'; '.join(told)}{more}{instead}."


def _throughout(seen: SubjectTrack) -> str:
    """Of a subject that was never lost."""
    dragged = dragged_share(seen)
    if isinstance(dragged, float) and dragged > METRICS.get("subject_dragged:sound").margin:
        return "stays in the picture while the camera turns away: it is dragged along, or walks along"
    return "is in the picture throughout"


def _absence(seen: SubjectTrack, absence: Absence) -> str:
    left = f"is gone from {absence.hidden.start_s:.1f} s"
    if not absence.refound:
        return f"{left} and is not found again"
    last, first = moved_deg(seen, absence)
    place = f"{first:.0f}° from where it was at first" + (
        f" and {last:.0f}° from where it was last" if last > 3 else ""
    )
    alike = identity(seen, absence)
    word = "looks the same" if alike >= SAME_LOOK else "looks like another" if alike < OTHER_LOOK else "looks changed"
    return f"{left}, is back at {absence.hidden.end_s:.1f} s, {place}, {word} ({alike:.2f})"


def _upper(words: str) -> str:
    return words[:1].upper() + words[1:]


# ---------------------------------------------------------------- place and film


def _place(case: Case) -> str:
    seen = case.saw(SamePlace)
    if why := never_twice(seen):
        return f"{_upper(why)}, so nothing tells whether the place is kept."
    words = Counter(place_word(t, a) for t, a in zip(seen.tied, seen.likeness, strict=True))
    commonest = max(words, key=lambda word: words[word])
    return f"Views shown twice show {_PLACES[commonest]} ({words[commonest]} of {len(seen.tied)} pairs)."


_PLACES = {
    "the same": "the same place",
    "the same, much changed": "the same place, much changed",
    "changed or made up anew": "a place that changed or was made up anew",
    "another": "another place",
    "too plain to tell": "too little to tell whether it is the same place",
}


def _film(case: Case) -> str:
    seen = case.saw(Signals)
    if is_still(seen):
        return "It is a still picture: nothing changes in it."
    told = []
    if seen.cut.any():
        told.append(f"it is cut at {_moments(seen.seconds[seen.cut])}")
    if seen.jump.any():
        told.append(f"the camera jumps at {_moments(seen.seconds[seen.jump])}")
    if slowly_replaced(seen).any():
        told.append("what is in view is replaced bit by bit")
    if seen.covered.any():
        told.append(f"it is dark, hazy or covered for {seen.covered.mean():.0%} of the time")
    if is_undone(seen) is True:
        told.append("its second half is its first half backwards, or nothing in it moves but the camera")
    if (shifted := walked_deg(seen)) > WALKED_DEG:
        grown = float(np.abs(seen.growth).max())
        size = f", and change their size by a factor of {np.exp(grown):.1f}" if grown > GREW else ""
        told.append(f"the camera travels: things shift by {shifted:.1f}° against each other{size}")
    return f"{_upper(', '.join(told))}." if told else "No cut, nothing undone."


def _moments(seconds: Floats) -> str:
    return ", ".join(f"{second:.1f} s" for second in seconds)
