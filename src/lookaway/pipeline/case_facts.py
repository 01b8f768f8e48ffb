"""What observers saw of one clip, as a page shows it: its own phases, its camera, the frames behind a score."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from lookaway.geometry.asked import asked_poses
from lookaway.geometry.rotations import yaw_pitch_deg
from lookaway.geometry.rounds import look_aways
from lookaway.geometry.visibility import phases_from_visible
from lookaway.observers import Flags, Floats
from lookaway.observers.classical import Classical
from lookaway.observers.replay import Replay
from lookaway.observers.view import HomeView
from lookaway.outcomes import Abstain
from lookaway.readings import Case
from lookaway.readings.camera import believed
from lookaway.readings.sight import sight_phases
from lookaway.readings.track import track_phases
from lookaway.readings.view import away_from_home
from lookaway.records import Interval, Score, Task
from lookaway.reports.exhibits import CameraLines, Span

LOOKERS = ("replay", "subject_track", "view", "classical")  # the first that looked tells the phases
ANGLES = ("yaw, degrees to the right", "pitch, degrees up")
MOST_POINTS = 48  # of a line: more cannot be seen
WHOLE_CLIP = "the whole clip"
SEARCHED = frozenset({"return_count", "return_place", "return_state", "return_identity"})  # read `Replay.found`
CLOCKS = frozenset({"world_clock", "clock_error", "absolute_clock"})  # read `Replay.read`
WHILE_HIDDEN = frozenset({"left_view", "turned_away", "subject_hidden"})
AFTER_RETURN = frozenset(
    {
        *("came_back", "view_returned", "background_same", "object_present", "object_return", "reobservation_support"),
        *("subject_refound", "subject_identity", "subject_doubled", "subject_replaced", "subject_place_shift"),
        *("subject_size_change", "subject_shape_change", "subject_colour_change", "subject_texture_change"),
    }
)
PHASES = ("visible", "hidden", "returned")


@dataclass(frozen=True)
class ClipPhases:
    """When the subject was in sight in this clip, and who says so."""

    phases: tuple[Interval, ...]
    words: str


def clip_phases(case: Case) -> ClipPhases:
    """As measured in this clip, by the best instrument that looked; never those of another clip."""
    if "replay" in case.seen:
        return ClipPhases(sight_phases(case), "as measured in this clip")
    if "subject_track" in case.seen:
        return ClipPhases(track_phases(case), "as measured in this clip, by following the subject")
    if "view" in case.seen:
        away = away_from_home(case)
        if isinstance(away, Abstain):
            return ClipPhases((), f"not measured in this clip: {away.reason}")
        return ClipPhases(
            phases_from_visible(case.saw(HomeView).seconds, ~away), "as measured in this clip, by its camera"
        )
    return ClipPhases((), "not measured in this clip")


# ---------------------------------------------------------------- camera


def camera_lines(case: Case) -> CameraLines | None:
    """The angle that is asked to change most, or changed most, over the seconds of the clip."""
    seconds, rotations, known = _recovered(case)
    asked = _asked(case.task)
    angles = yaw_pitch_deg(rotations) if len(seconds) else np.zeros((0, 2))
    most = asked[1] if asked is not None else angles[known]
    if not len(most):
        return None
    axis = int(np.abs(most).max(axis=0).argmax())
    return CameraLines(
        ANGLES[axis],
        _line(asked[0], asked[1][:, axis]) if asked is not None else (),
        _line(seconds[known], angles[known, axis]) if known.any() else (),
    )


@lru_cache(maxsize=64)
def _asked(task: Task) -> tuple[Floats, Floats] | None:
    """Seconds and angles; the same for all clips of a task."""
    if not task.camera_asked:
        return None
    seconds = np.arange(task.frames) / task.fps
    return seconds, yaw_pitch_deg(asked_poses(task, seconds)[:, :3, :3])


def _recovered(case: Case) -> tuple[Floats, Floats, Flags]:
    if "replay" in case.seen:
        placed = case.saw(Replay)
        return placed.seconds, placed.pose[:, :3, :3], placed.trusted
    if "classical" in case.seen:
        turned = case.saw(Classical)
        return turned.seconds, turned.rotation, believed(turned)
    return np.zeros(0), np.zeros((0, 3, 3)), np.zeros(0, bool)


def _line(seconds: Floats, angles: Floats) -> tuple[tuple[float, float], ...]:
    """Without leaps of a whole turn, and no finer than can be seen."""
    smooth = np.rad2deg(np.unwrap(np.deg2rad(angles)))
    chosen = np.unique(np.linspace(0, len(seconds) - 1, min(len(seconds), MOST_POINTS)).round().astype(int))
    return tuple((round(float(seconds[i]), 2), round(float(smooth[i]), 1)) for i in chosen)


# ---------------------------------------------------------------- the frames behind a score


def score_frames(case: Case, score: Score, phases: Iterable[Interval]) -> tuple[str, tuple[Span, ...]]:
    """Which frames a score was read from, in words and in seconds; `phases` are those that it is about."""
    if score.value is None:
        return WHOLE_CLIP, ()
    if "replay" in case.seen and score.metric in SEARCHED | CLOCKS:
        seen = case.saw(Replay)
        if score.metric in SEARCHED:
            return _single(seen.seconds[seen.found[seen.found_round == score.round].astype(int)], "after the return")
        read = np.isin(seen.read_round, (0, score.round - 1, score.round))
        return _single(seen.seconds[seen.read[read]], "before the look-away and after it")
    kind = _phase_of(score.metric)
    if kind is None:
        return WHOLE_CLIP, ()
    spans = tuple((i.start_s, i.end_s) for i in phases if i.phase == kind)
    return (
        (f"frames while {kind}" if kind != "returned" else "frames after the return", spans)
        if spans
        else (WHOLE_CLIP, ())
    )


def _single(seconds: Floats, where: str) -> tuple[str, tuple[Span, ...]]:
    spans = tuple((round(float(second), 2), round(float(second), 2)) for second in np.sort(seconds))
    return (f"{len(spans)} frame{'s' * (len(spans) != 1)} {where}", spans) if spans else (WHOLE_CLIP, ())


def _phase_of(metric: str) -> str | None:
    if metric in WHILE_HIDDEN:
        return "hidden"
    if metric in AFTER_RETURN:
        return "returned"
    return next((phase for phase in PHASES if metric.endswith(f"_{phase}")), None)


# ---------------------------------------------------------------- moments


def moments(task: Task, phases: tuple[Interval, ...], scores: Iterable[Score]) -> tuple[str, ...]:
    """`Out of sight from 1.1 s to 3.1 s. On return at 3.1 s it looks like 1.31 s of the true process.`"""
    hidden = look_aways(phases)
    lines = [f"Look-away {n}: " * (len(hidden) > 1) + _absence(one, phases) for n, one in enumerate(hidden, 1)]
    asked_about = look_aways(task.yoked) or hidden
    for score in scores:
        if score.metric == "absolute_clock" and score.value is not None and score.round <= len(asked_about):
            back_s = asked_about[score.round - 1].end_s
            lines.append(
                f"On return at {back_s:.1f} s it looks like {score.value * back_s:.2f} s of the true process"
                f"{'' if score.round == 1 else f' (look-away {score.round})'}."
            )
    return tuple(lines)


def _absence(hidden: Interval, phases: tuple[Interval, ...]) -> str:
    back = any(phase.phase == "returned" and phase.start_s >= hidden.end_s - 1e-6 for phase in phases)
    lasted = f"{hidden.end_s - hidden.start_s:.1f} s"
    if not back:
        return f"The subject's place is out of sight from {hidden.start_s:.1f} s on and does not come back."
    return f"The subject's place is out of sight from {hidden.start_s:.1f} s to {hidden.end_s:.1f} s, for {lasted}."
