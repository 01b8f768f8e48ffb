"""A video beside renderings of the true process: where the camera was, when the subject's place was in sight, and which
moment, place and looks the subject has in each view.

Needs a task of the known world. The video may have another size, rate, coding or renderer, and its camera may err.
"""

from __future__ import annotations

from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.cover import parse_cover
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.rounds import Phases, frames_back, look_aways, round_count
from lookaway.geometry.visibility import camera_hides, phases_from_visible
from lookaway.observers import Arrays, Flags, Floats, Indices, Look, ObservedArrays, observer
from lookaway.observers.features import shrunk
from lookaway.observers.replaying.clock import Clock, read_clock
from lookaway.observers.replaying.finding import Find, find_subject, shown_share
from lookaway.observers.replaying.landmarks import FAR_DEG_PER_M, Placed, apart_m
from lookaway.observers.replaying.reading import StandView, openness, stand_view, unlikeness
from lookaway.observers.replaying.scene import scene_of
from lookaway.observers.replaying.stands import Stand, near
from lookaway.observers.replaying.strangers import strange_area
from lookaway.observers.replaying.structure import correlation, structure
from lookaway.observers.replaying.tones import Curves, Picture, fitted, tone_curves, toned
from lookaway.outcomes import Abstain
from lookaway.truth import Truth
from lookaway.video import nearest_index, resize

OUT_OF_VIEW = 0.02  # of the subject: less in view is out of view
WHOLE = 0.98  # of the subject in view: enough to compare
COVERED = 0.5  # openness below it: something is in between
OPEN = 0.6  # openness above it: nothing is
DARK = 0.25  # of the first frame's brightness
READ_EACH = 11  # frames before the first look-away and after each that are read
SEARCHED, SHOWN = 4, 2  # frames after each and before the first in which the subject is searched
LEAST_SHARED = 0.2  # of the frame
COMPARE_EVERY = 3  # frames
COMPARE_WITHIN_DEG, COMPARE_WITHIN_M = 6.0, 0.2
LATE_S = 0.25  # after it was due, a subject that leaves by itself counts as missing


class Replay(ObservedArrays):
    """Rows are frames (N), frames that were read (R), or frames in which the subject was searched (K)."""

    seconds: Floats  # (N,)
    pose: Floats  # (N, 4, 4), seen from the first true camera
    trusted: Flags  # (N,) could the camera be placed?
    brightness: Floats  # (N,) over that of the first true frame
    in_view: Floats  # (N,) share of the true subject inside the view
    due_in_view: Floats  # (N,) the same of the true camera
    unobstructed: Floats  # (N,) 1 nothing is in between, 0 a cover is
    visible: Flags  # (N,) is the subject's place in sight?
    stranger: Floats  # (N,) what looks like the subject while it is out of sight, in areas of its first sight
    likeness: Floats  # (N,) correlation of structure with the true view from nearest to the camera
    step: Floats  # (N,) change since the frame before, in grey levels
    due_step: Floats  # (N,) the same in the true clip
    moments: Floats  # (M,) seconds of the process that frames were compared with
    read: Indices  # (R,) frames
    read_round: Indices  # (R,) 0 before the first look-away, k after the k-th
    late: Flags  # (R,) after any
    curves: NDArray[np.float32]  # (R, M) unlikeness to each moment
    shown: Floats  # how well the true looks explain some frames before the first look-away
    found_round: Indices  # (K,)
    found: Floats  # (K,) frames
    due: Floats  # (K,) and the next seven: see replaying/finding.py
    explained: Floats
    place_x: Floats
    place_y: Floats
    due_x: Floats
    due_y: Floats
    due_explained: Floats
    extra: Floats
    background: Floats  # correlation with the true view where the process changes nothing; where there is any structure
    background_round: Indices


@observer(version=2, saw=Replay, seconds_per_frame=0.015)
def replay(look: Look) -> Replay | Abstain:
    """Per frame camera and sight of the subject's place, per read frame unlikeness to every moment of the process, per
    searched frame where the subject was found and how well its true looks explain it.

    Frames are read and searched after every look-away. An observed twin has none, and is read around those of its task.
    """
    if look.task.world is None or look.truth is None or look.truth.world is None:
        return Abstain("not a task of the known world, so there is nothing to render for comparison")
    if len(look.frames) < 2:
        return Abstain("a single frame shows no time passing")
    return _Comparison(look, look.truth).replay()


class _Comparison:
    """One clip beside the true one."""

    def __init__(self, look: Look, truth: Truth) -> None:
        assert truth.world is not None
        self._task, self._truth, self._world = look.task, truth, truth.world
        self._scene = scene_of(truth, look.task)
        height, width = self._world.masks.shape[1:]
        self._seconds = look.frames.seconds
        self._frames = np.stack([resize(rgb, (width, height)) for rgb in look.frames.rgb])
        self._beside = [nearest_index(truth.seconds, float(s)) for s in self._seconds]
        self._placed: Placed = self._scene.landmarks.placed(self._frames, self._world.camera_to_world[self._beside])

    def replay(self) -> Replay:
        brightness = self._frames.mean(axis=(1, 2, 3)) / self._scene.brightness
        in_view = np.array([self._in_view(i) for i in range(len(self._frames))])
        unobstructed = self._unobstructed(brightness)
        visible = (in_view >= OUT_OF_VIEW) & (unobstructed >= COVERED)
        if self._leaves_by_itself:
            visible = self._subject_in_sight()
        phases = self._task.yoked or phases_from_visible(self._seconds, visible)
        strangers, likeness = self._against_truth(visible)
        return Replay(
            seconds=self._seconds,
            pose=np.linalg.inv(self._scene.landmarks.home) @ self._placed.poses,
            trusted=self._placed.trusted,
            brightness=brightness,
            in_view=in_view,
            due_in_view=np.array([self._share_in_view(j, self._world.camera_to_world[j]) for j in self._beside]),
            unobstructed=unobstructed,
            visible=visible,
            stranger=strangers,
            likeness=likeness,
            step=_steps(self._frames),
            due_step=_steps(self._truth.frames().rgb[self._beside]),
            **self._readings(phases, (in_view >= WHOLE) & (unobstructed >= OPEN)),
        )

    @property
    def _leaves_by_itself(self) -> bool:
        return not self._task.cover and not camera_hides(self._task)

    def _in_view(self, i: int) -> float:
        """Share of the true subject inside this frame's view; 0 where the camera could not be placed."""
        if not self._placed.trusted[i] and not self._task.cover:
            return 0.0
        return self._share_in_view(self._beside[i], self._placed.poses[i])

    def _share_in_view(self, true: int, pose: Floats) -> float:
        intrinsics = self._scene.landmarks.intrinsics
        points = (self._scene.points[true] - pose[:3, 3]) @ pose[:3, :3]
        if not len(points):
            return 0.0
        z = np.maximum(points[:, 2], 1e-6)
        across, down = (intrinsics[k, k] * points[:, k] / z / intrinsics[k, 2] for k in (0, 1))
        return float(((points[:, 2] > 0.05) & (np.abs(across) <= 1) & (np.abs(down) <= 1)).mean())

    def _stand(self, i: int) -> Stand | None:
        pose = self._placed.poses[i]
        stands = sorted(
            self._scene.stands, key=lambda s: turn_deg(pose, s.pose) + FAR_DEG_PER_M * apart_m(pose, s.pose)
        )
        return stands[0] if near(stands[0], pose) else None

    def _sight(self, i: int) -> StandView | None:
        stand = self._stand(i)
        if stand is None:
            return None
        return stand_view(stand, self._frames[i], self._placed.poses[i], stand.at(float(self._seconds[i])))

    def _unobstructed(self, brightness: Floats) -> Floats:
        """How freely the subject's place can be seen: 1 unless a cover was asked for."""
        if not self._task.cover:
            return np.ones(len(brightness))
        free = np.where(brightness >= DARK, 1.0, 0.0)
        if parse_cover(self._task.cover).kind == "lights":
            return free
        for i in np.flatnonzero(free):
            seen = self._sight(int(i))
            free[i] = 0.0 if seen is None else openness(seen, seen.stand.at(float(self._seconds[i])))
        return free

    def _subject_in_sight(self) -> Flags:
        """For a subject that leaves by itself: is it in the moment that a frame looks like? After it was due, yes."""
        due = [i.start_s for i in self._task.phases if i.phase == "returned"]
        visible = np.ones(len(self._frames), bool)
        for i in range(len(self._frames)):
            seen = self._sight(i)
            if seen is not None and not (due and self._seconds[i] >= due[0] + LATE_S):
                best = int(unlikeness(seen).argmin())
                visible[i] = seen.stand.masks[best].sum() >= OUT_OF_VIEW * self._scene.first_area
        return visible

    def _against_truth(self, visible: Flags) -> tuple[Floats, Floats]:
        """Per frame, beside the true frame taken from nearest to its camera: the area of what looks like the subject
        while it is out of sight, in areas of the first one; and the correlation of structure."""
        strangers, likeness = np.zeros(len(visible)), np.zeros(len(visible))
        truth = self._truth.frames().rgb
        for i in np.flatnonzero(self._placed.trusted | bool(self._task.cover)):
            if i % COMPARE_EVERY:  # neighbours hardly differ
                strangers[i], likeness[i] = strangers[i - 1], likeness[i - 1]
                continue
            j = self._beside[i] if self._task.cover else self._nearest_true(int(i))
            if j is None:
                continue
            true, shared = self._turned(truth[j], self._world.camera_to_world[j], self._placed.poses[i])
            likeness[i] = self._likeness(int(i), true, shared)
            if not visible[i] and self._world.visible[j] < OUT_OF_VIEW:
                mine = self._toned(int(i), true, shared)
                strangers[i] = strange_area(mine, true, shared, self._scene.colours) / self._scene.first_area
        return strangers, likeness

    def _toned(self, i: int, true: NDArray[np.uint8], shared: Flags) -> Picture:
        """A frame in the tones of a true picture; behind covers that may differ too much to fit, as the first frame."""
        frame = self._frames[i].astype(np.float32)
        return toned(frame, self._first_tones) if self._task.cover else fitted(frame, true, shared)

    @cached_property
    def _first_tones(self) -> Curves:
        first = self._truth.frames().rgb[0]
        return tone_curves(self._frames[0].astype(np.float32), first, np.ones(first.shape[:2], bool))

    def _likeness(self, i: int, true: NDArray[np.uint8], shared: Flags) -> float:
        """Correlation of structure with a true picture, where they share enough of the view."""
        if shared.mean() < LEAST_SHARED:
            return 0.0
        return correlation(structure(self._frames[i])[shared], structure(true)[shared])

    def _nearest_true(self, i: int) -> int | None:
        poses, pose = self._world.camera_to_world, self._placed.poses[i]
        angle, apart = turn_deg(poses, pose), apart_m(poses, pose)
        late = np.abs(self._truth.seconds - self._seconds[i])
        j = int((angle + FAR_DEG_PER_M * apart + 0.2 * late).argmin())  # of equal views the one nearest in time
        return j if angle[j] <= COMPARE_WITHIN_DEG and apart[j] <= COMPARE_WITHIN_M else None

    def _turned(self, rgb: NDArray[np.uint8], from_pose: Floats, to_pose: Floats) -> tuple[NDArray[np.uint8], Flags]:
        """A far picture as the turned camera would see it, and where it can."""
        height, width = rgb.shape[:2]
        intrinsics = self._scene.landmarks.intrinsics
        turn = intrinsics @ to_pose[:3, :3].T @ from_pose[:3, :3] @ np.linalg.inv(intrinsics)
        turned = cv2.warpPerspective(rgb, turn, (width, height), flags=cv2.INTER_LINEAR)
        shared = cv2.warpPerspective(np.ones((height, width), np.uint8), turn, (width, height)).astype(bool)
        return np.asarray(turned, np.uint8), shared

    def _readings(self, phases: Phases, whole: Flags) -> Arrays:
        """Unlikeness curves before the first look-away and after each, and the subject found again after each.

        Rows of `read` belong to the stretch in `read_round`: 0 is before the first look-away, k after the k-th.
        """
        moments, usable = self._scene.stands[0].moments, whole & (self._placed.trusted | bool(self._task.cover))
        chosen = [
            (number, int(i))
            for number, stretch in enumerate(self._stretches(phases))
            for i in _spread(np.flatnonzero(usable & stretch), READ_EACH)
        ]
        sights = {i: seen for _, i in chosen if (seen := self._sight(i)) is not None}
        read = np.array(list(sights), np.int64)
        rounds = np.array([number for number, i in chosen if i in sights], np.int64)
        curves = np.array([unlikeness(seen) for seen in sights.values()], np.float32).reshape(-1, len(moments))
        first = rounds <= 1
        ticking = {0, 1} <= set(rounds.tolist())
        clock = read_clock(moments, self._seconds[read[first]], curves[first], rounds[first]) if ticking else None
        before = np.array([i for number, i in chosen if number == 0], np.int64)
        return {
            "moments": moments,
            "read": read,
            "read_round": rounds,
            "late": rounds > 0,
            "curves": curves,
            "shown": np.array([shown_share(sights[i]) for i in _spread(before, SHOWN).tolist() if i in sights]),
            **self._finds(self._searched(phases, usable), sights, clock),
        }

    def _stretches(self, phases: Phases) -> list[Flags]:
        """Frames before the first look-away, and between each one that is asked about and the next."""
        hidden = look_aways(phases)
        ends = [*(interval.start_s for interval in hidden), np.inf]
        starts = [-np.inf, *(interval.end_s for interval in hidden)]
        rounds = zip(starts, ends, strict=True)
        return [(self._seconds >= s) & (self._seconds < e) for s, e in rounds][: round_count(self._task) + 1]

    def _searched(self, phases: Phases, usable: Flags) -> list[tuple[int, int]]:
        """Round and frame of each search."""
        count = round_count(self._task)
        return [
            (number, int(i))
            for number in range(1, count + 1)
            for i in _spread(np.flatnonzero(usable & frames_back(self._seconds, phases, number, count)), SEARCHED)
        ]

    def _finds(self, frames: list[tuple[int, int]], sights: dict[int, StandView], clock: Clock | None) -> Arrays:
        """What is due is told by the clip's clock around its first look-away."""
        rows = []
        for number, i in frames:
            seen = sights.get(i) or self._sight(i)
            if seen is None:
                continue
            second = float(self._seconds[i])
            due = seen.stand.at(clock.expected(second) if clock is not None and clock.ticks else second)
            rows.append([number, i, *find_subject(seen, due)])
        columns = ("found_round", "found", *Find._fields)
        table = np.array(rows, np.float64).reshape(-1, len(columns))
        found: Arrays = {name: table[:, k] for k, name in enumerate(columns)}
        same = np.isfinite(found["background"])
        found["found_round"] = found["found_round"].astype(np.int64)
        return found | {"background": found["background"][same], "background_round": found["found_round"][same]}


def _steps(frames: NDArray[np.uint8]) -> Floats:
    """Mean change from one frame to the next, in grey levels; the first has none."""
    small = np.stack([shrunk(rgb) for rgb in frames])
    return np.concatenate([[0.0], np.abs(np.diff(small, axis=0)).mean(axis=(1, 2))]).astype(np.float64)


def _spread(indices: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """At most that many, evenly spread, both ends kept."""
    if len(indices) <= most:
        return indices
    return np.asarray(indices[np.unique(np.linspace(0, len(indices) - 1, most).round().astype(int))])
