"""A clip as its changes need it: frames, where the camera looked, where the subject is, and when it looked away."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.rotations import turn_deg
from lookaway.observers import Flags, Floats
from lookaway.observers.revisit import LEFT_DEG
from lookaway.observers.subject_track import NO_BOX, SubjectTrack
from lookaway.observers.view import HomeView
from lookaway.readings import Case
from lookaway.readings.track import IN_SIGHT, NOT_OUT, STANDS_OUT, Absence, absences, aside_deg
from lookaway.records import Box
from lookaway.video import SharedFrames

HALF_WAY = 0.5  # of the largest turn: beyond it the first view is away
NOT_BACK = "the subject does not come back in it"
NEVER_BACK = "the camera turned away and never came back"
NEAR_FRAMES = 6  # before it is noticed and after it is lost, the subject is where it was, but for the camera's turn

Image = NDArray[np.uint8]


class AwaySpan(NamedTuple):
    """Frames: the first that is away, the one farthest from the first view, and the first that is back."""

    start: int
    turn: int
    end: int


@dataclass(frozen=True, eq=False)
class SeenClip:
    rgb: Image  # (N, height, width, 3)
    fps: float
    hfov_deg: float  # that the turns are read with
    rotations: Floats  # (N, 3, 3): each camera's rays to the first one's
    trusted: Flags
    box: Box | None  # of the subject in the first frame
    masks: Flags  # (N, rows, columns) of the subject; smaller than the pictures, and empty where nobody followed it
    away: AwaySpan | None
    why_not_away: str  # empty where it looks away
    why_no_subject: str  # empty where the subject is followed, hidden and found again
    goes_deg: float = 0.0  # how far to a side the subject goes while it is hidden, or was about to

    def __len__(self) -> int:
        return len(self.rgb)

    @property
    def size(self) -> tuple[int, int]:
        return self.rgb.shape[2], self.rgb.shape[1]

    @property
    def looks_away(self) -> AwaySpan:
        """For changes that apply only where it does."""
        assert self.away is not None, self.why_not_away
        return self.away


def seen_clip(frames: SharedFrames, case: Case) -> SeenClip | str:
    """The clip with what was seen in it, or why it cannot be changed at all."""
    if "view" not in case.seen:
        return "its camera cannot be followed"
    view, subject = case.saw(HomeView), case.task.subject
    if len(view.seconds) != len(frames):
        return "its frames are not those that were looked at"
    masks = _masks(case, len(frames))
    clip = SeenClip(
        rgb=frames.rgb,
        fps=frames.info.fps,
        hfov_deg=case.task.hfov_deg,
        rotations=view.rotation,
        trusted=view.trusted,
        box=None if subject is None else subject.box,
        masks=masks,
        away=None,
        why_not_away="",
        why_no_subject=_why_no_subject(case),
    )
    if clip.why_no_subject:
        away = camera_away(view)
        return replace(clip, why_not_away=away) if isinstance(away, str) else replace(clip, away=away)
    gone = next(absence for absence in absences(case) if absence.refound)
    return replace(clip, away=subject_away(gone, view), goes_deg=aside_deg(case.saw(SubjectTrack), gone))


def _masks(case: Case, count: int) -> Flags:
    if "subject_track" not in case.seen:
        return np.zeros((count, 1, 1), bool)
    seen = case.saw(SubjectTrack)
    return seen.unpacked(np.arange(len(seen.seconds)))


def _why_no_subject(case: Case) -> str:
    if case.task.subject is None:
        return NO_BOX
    if "subject_track" not in case.seen:
        return "the subject cannot be followed"
    if case.saw(SubjectTrack).precision < STANDS_OUT:
        return NOT_OUT
    gone = absences(case)
    if not gone:
        return IN_SIGHT
    return "" if any(absence.refound for absence in gone) else NOT_BACK


def subject_away(gone: Absence, view: HomeView) -> AwaySpan:
    """The frames of a look-away."""
    start, end = np.searchsorted(view.seconds, [gone.hidden.start_s - 1e-6, gone.hidden.end_s - 1e-6])
    return _with_turn(view, int(start), int(end))


def camera_away(view: HomeView) -> AwaySpan | str:
    """When the camera had turned by more than half of its largest turn, or why it never looked away and back."""
    turned = np.where(view.trusted, turn_deg(view.rotation), 0.0)
    peak = int(turned.argmax())
    if turned[peak] < LEFT_DEG:
        return f"the camera never turned {LEFT_DEG:g} degrees away"
    back = np.flatnonzero((turned[peak:] <= HALF_WAY * turned[peak]) & view.trusted[peak:])
    if not len(back):
        return NEVER_BACK
    start = int(np.argmax(turned > HALF_WAY * turned[peak]))
    return AwaySpan(start, peak, peak + int(back[0]))


def _with_turn(view: HomeView, start: int, end: int) -> AwaySpan:
    """The turning point: in the middle where the camera holds still, or looks equally far for a while."""
    turned = np.where(view.trusted, turn_deg(view.rotation), 0.0)[start:end]
    farthest = np.flatnonzero(turned >= turned.max() - 1.0)
    return AwaySpan(start, start + int(np.median(farthest)), end)
