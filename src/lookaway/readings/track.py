"""What became of the subject, from where it was seen: every look-away, and how it was found after it. No truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lookaway.geometry.rounds import Phases, look_aways
from lookaway.geometry.visibility import phases_from_visible
from lookaway.observers import Flags, Floats, Indices
from lookaway.observers.subject_track import SubjectTrack, Thumbnails
from lookaway.outcomes import Abstain
from lookaway.readings import Case
from lookaway.readings.finds import NOTHING_FOUND
from lookaway.records import Interval

STANDS_OUT = 0.15  # of the pixels with its colours in the first frame are the subject's: below it, colours do not tell
BACK_FRAMES = 4  # a shorter sight is no return
SEEN_SHARE = 0.2  # of its first area: less may be a sliver at the edge, or noise
AWAY_SHARE = 0.03  # of its first place in view: below it, the place is out of view
DUE_SHARE = 0.5  # of its first place in view: from there on it is due
SETTLED = 0.6  # of the time until the next look-away: by then, what hid it is gone
NEW_SHARES = (0.45, 6.0)  # first areas of a new thing that may stand for the subject
BEFORE, AFTER = 6, 10  # sights that tell its look on either side
PLACED = 6  # sights that tell where it is
PATH = 16  # sights that tell where it was going
FIRST = 3  # sights of the beginning that are compared as well
LEAST_EXAMINED = 3  # frames after a look-away, to tell whether there is another one
TINY = 1e-6

NOT_OUT = "its colours do not stand out"
IN_SIGHT = "the subject was in sight all the time"
NEVER_AWAY = "the camera never turned the subject's first place out of view"


@dataclass(frozen=True)
class Absence:
    """One look-away: when the subject was hidden, and where it is seen whole before and after; nowhere if not found."""

    hidden: Interval
    before: Indices
    after: Indices

    @property
    def refound(self) -> bool:
        return len(self.after) > 0


def track_phases(case: Case) -> Phases:
    """Visible, hidden and returned, as measured in the video itself."""
    seen = case.saw(SubjectTrack)
    return phases_from_visible(seen.seconds, seen.visible)


def absences(case: Case) -> list[Absence]:
    """Every look-away, in order."""
    seen = case.saw(SubjectTrack)
    hidden = look_aways(track_phases(case))
    ends = [-np.inf, *(h.end_s for h in hidden)]
    starts = [*(h.start_s for h in hidden), np.inf]
    spans = [_sights(seen, end, start) for end, start in zip(ends, starts, strict=True)]
    return [Absence(h, spans[k], _found(seen, spans[k + 1])) for k, h in enumerate(hidden)]


def _sights(seen: SubjectTrack, start_s: float, end_s: float) -> Indices:
    """Frames of a span that show the subject."""
    inside = (seen.seconds > start_s - TINY) & (seen.seconds < end_s - TINY)
    return np.flatnonzero(inside & seen.visible)


def _found(seen: SubjectTrack, sights: Indices) -> Indices:
    runs = np.split(sights, np.flatnonzero(np.diff(sights) > 1) + 1)
    return sights if max(map(len, runs)) >= BACK_FRAMES else sights[:0]


def whole(seen: SubjectTrack, sights: Indices) -> Indices:
    """Those that touch no border of the picture and are not much smaller than the rest, or all if all do."""
    inner = sights[~seen.touches_border[sights]]
    inner = inner if len(inner) else sights
    return inner[seen.share[inner] > 0.5 * np.median(seen.share[inner])]


# ---------------------------------------------------------------- over all look-aways


def worst(case: Case, change: Callable[[SubjectTrack, Absence], float]) -> float | Abstain:
    """The largest change over the look-aways after which it was found again."""
    changes = [change(case.saw(SubjectTrack), absence) for absence in absences(case) if absence.refound]
    return max(changes) if changes else Abstain(NOTHING_FOUND)


def refound_share(case: Case) -> float | Abstain:
    """Of the look-aways, the share after which it was found again."""
    gone = absences(case)
    return float(np.mean([absence.refound for absence in gone])) if gone else Abstain(IN_SIGHT)


def dragged_share(seen: SubjectTrack) -> float | Abstain:
    """Of the frames whose camera looks away from the subject's first place, the share that shows the subject."""
    away = place_out_of_view(seen)
    return float((seen.visible & (seen.share > SEEN_SHARE))[away].mean()) if away.any() else Abstain(NEVER_AWAY)


def place_out_of_view(seen: SubjectTrack) -> Flags:
    return np.asarray(seen.trusted & (seen.home_in_view < AWAY_SHARE))


def was_due(case: Case) -> bool:
    """After it was first hidden, was it seen again, or was its first place in view? One never hidden is there."""
    seen, gone = case.saw(SubjectTrack), absences(case)
    since = seen.seconds >= (gone[0].hidden.start_s if gone else 0.0) - TINY
    due = seen.trusted & (seen.home_in_view >= DUE_SHARE)
    return bool(seen.visible[since].any() or due[since].sum() >= BACK_FRAMES)


def another_share(case: Case) -> float | Abstain:
    """Of the examined frames that show the subject after a look-away, the share that shows another one as well.

    The largest over the look-aways: one that comes in the last round is not diluted by the rounds before.
    """
    return worst(case, _another_share)


def _another_share(seen: SubjectTrack, absence: Absence) -> float:
    after = np.isin(seen.examined, absence.after)
    return float((seen.another_share[after] > 0).mean()) if after.sum() >= LEAST_EXAMINED else 0.0


def something_new(seen: SubjectTrack, absence: Absence, until_s: float) -> float:
    """Area of the new thing in its place after a look-away, in its first areas; 0 where there is none."""
    at, last_s = seen.seconds[seen.examined], min(until_s, float(seen.seconds[-1]))
    settled_s = absence.hidden.start_s + SETTLED * (last_s - absence.hidden.start_s)
    rows = (at >= settled_s) & (at <= last_s) & ~seen.visible[seen.examined]
    return float(np.median(seen.new_share[rows])) if rows.any() else 0.0


def is_replaced(case: Case) -> bool:
    """After some look-away it was not found, but something new of about its size was there."""
    seen, gone = case.saw(SubjectTrack), absences(case)
    ends = [*(a.hidden.start_s for a in gone), np.inf][1:]
    new = [something_new(seen, a, end) for a, end in zip(gone, ends, strict=True) if not a.refound]
    return any(NEW_SHARES[0] <= share <= NEW_SHARES[1] for share in new)


# ---------------------------------------------------------------- one look-away


def places(seen: SubjectTrack, sights: Indices) -> Floats:
    """Azimuth and elevation in degrees (K, 2), azimuths such that they do not jump at the back."""
    azimuth = np.rad2deg(np.unwrap(np.deg2rad(np.append(seen.azimuth_deg[0], seen.azimuth_deg[sights]))))[1:]
    return np.column_stack([azimuth, seen.elevation_deg[sights]])


def moved_deg(seen: SubjectTrack, absence: Absence) -> tuple[float, float]:
    """How far it is from where it was last seen before a look-away, and from where it was at first."""
    sights = np.append(whole(seen, absence.before)[-1:], whole(seen, absence.after)[:PLACED])
    spots = places(seen, np.append(0, sights))
    now = np.median(spots[2:], axis=0)
    return _apart(now, spots[1]), _apart(now, spots[0])


def off_path_deg(seen: SubjectTrack, absence: Absence) -> float:
    """How far it is from everywhere between where it was last seen and where it would be had it gone on as before."""
    last, going, now = way_deg(seen, absence)
    along = float(np.clip((now - last) @ going / max(TINY, float(going @ going)), 0, 1))
    return _apart(now, last + along * going)


def aside_deg(seen: SubjectTrack, absence: Absence) -> float:
    """How far to a side it went while it was hidden, or would have gone on as before: the larger of both."""
    last, going, now = way_deg(seen, absence)
    return float(max(abs(now[0] - last[0]), abs(going[0])))


def way_deg(seen: SubjectTrack, absence: Absence) -> tuple[Floats, Floats, Floats]:
    """Where it was last seen, how far it would have gone on as before, and where it is: azimuth and elevation."""
    before, after = whole(seen, absence.before)[-PATH:], whole(seen, absence.after)[:PLACED]
    spots = places(seen, np.append(before, after))
    path, now = spots[: len(before)], np.median(spots[len(before) :], axis=0)
    seconds = seen.seconds[before]
    going = np.zeros(2)
    if len(before) > 4:
        going = np.polyfit(seconds, path, 1)[0] * (np.median(seen.seconds[after]) - seconds[-1])
    return path[-1], going, now


def _apart(one: Floats, other: Floats) -> float:
    across = (one[0] - other[0] + 180) % 360 - 180
    return float(np.hypot(across * np.cos(np.deg2rad(one[1])), one[1] - other[1]))


def on_both_sides(seen: SubjectTrack, absence: Absence, value: Callable[[Indices], Floats]) -> tuple[Floats, Floats]:
    """The median of something over its last whole sights before a look-away and over its first ones after it."""
    before, after = whole(seen, absence.before)[-BEFORE:], whole(seen, absence.after)[:AFTER]
    return np.median(value(before), axis=0), np.median(value(after), axis=0)


def texture_likeness(seen: SubjectTrack, absence: Absence) -> float:
    """Correlation of its likest pictures before and after: 1 the same, 0 or less nothing in common.

    Its first sights count as well: who comes back as at the beginning is the same.
    """
    before = whole(seen, absence.before)
    before = np.unique(np.append(before[:FIRST], before[-BEFORE:]))
    one, other = (_standard(seen.thumbnails[k]) for k in (before, whole(seen, absence.after)[:AFTER]))
    return float((one @ other.T).max())


def _standard(thumbnails: Thumbnails) -> Floats:
    """Grey pictures as rows of length 1 and mean 0; a plain one is all 0."""
    grey = thumbnails.mean(axis=3).reshape(len(thumbnails), -1)
    grey = grey - grey.mean(axis=1, keepdims=True)
    return np.asarray(grey / np.maximum(np.linalg.norm(grey, axis=1, keepdims=True), TINY))


def identity(seen: SubjectTrack, absence: Absence) -> float:
    """Likeness of the one found again to the one that was hidden, by colours and picture alone: 1 the same, 0 another.

    The geometric mean of how much of its likeness of colours it kept, and of how well its likest pictures agree.
    """
    before, after = on_both_sides(seen, absence, lambda k: seen.likeness[k])
    colours = float(np.clip(after / max(TINY, float(before)), 0, 1))
    return float(np.sqrt(colours * np.clip((1 + texture_likeness(seen, absence)) / 2, 0, 1)))
