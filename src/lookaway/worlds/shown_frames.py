"""What each frame of a story shows, in numbers, told while it is filmed. No fault's name gets this far."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from lookaway.geometry.rotations import turn_deg
from lookaway.shown import FrameFacts, ShownFacts, together
from lookaway.truth import VISIBLE_SHARE
from lookaway.worlds.arrays import Bytes, FloatArray, Mask
from lookaway.worlds.reference.conditions import stands
from lookaway.worlds.reference.filming import StoryFrame
from lookaway.worlds.reference.story import NEAR_M, Story
from lookaway.worlds.world import AS_TOLD, Affine, matrix

WORST = 95  # percentile of displacements that counts: a warp spares much of the picture
FLOW_WIDTH = 160  # pixels: displacements are looked for in a picture of this width


class Telling:
    """Collects the facts of a story's frames, in their order."""

    def __init__(self, story: Story) -> None:
        self._story, self._told = story, list[FrameFacts[float]]()
        self._states, self._due_states = list[FloatArray](), list[FloatArray]()
        self._whole = max(1, story.world.subject_pixels(story.world.home, 0.0))

    def add(self, index: int, shot: StoryFrame, plain: Bytes, painted: Bytes, rendered: bool) -> None:
        """One more frame: as it was shot, and its picture before and after it was painted over."""
        second = float(self._story.seconds[index])
        self._states.append(self._state(shot.process_s))
        self._due_states.append(self._state(second))
        seen = int(shot.mask().sum()) if rendered else shot.pixels(shot.subject)
        placed = placed_subject(self._story, shot, second)
        look = PaintedLook() if painted is plain else look_of(plain, painted, shot.mask())
        staged = shot.setting.staging.room
        room = (shot.world.spec.layout, shot.world.spec.seed)
        self._told.append(
            FrameFacts(
                seconds=second,
                process_s=shot.process_s,
                visible=seen / self._whole,
                due_visible=(seen if shot.subject == AS_TOLD else shot.pixels(AS_TOLD)) / self._whole,
                copies=float(self._copies(shot, seen)),
                off_m=placed.off_m,
                off_widths=placed.off_widths,
                aside_m=placed.aside_m,
                lifted_m=placed.lifted_m,
                stretch=placed.stretch,
                look_change=look.subject,
                around_change=look.around,
                around_shift=look.shift,
                other_room=float(staged is not None and staged != room),
                light=shot.cover.light_level,
                covered=0.0 if shot.cover.kind in (None, "lights") else shot.cover.share,
                turn_deg=float(turn_deg(shot.pose)),
                strays_deg=float(turn_deg(shot.pose, self._story.true_poses[index])),
                apart_m=placed.apart_m,
            )
        )

    def shown(self) -> ShownFacts:
        states, due_states = np.array(self._states), np.array(self._due_states)
        return ShownFacts(together(self._told), states, due_states, not stands(self._story.task))

    def _state(self, second: float) -> FloatArray:
        state = self._story.world.state(second)
        return np.array([state[name] for name in sorted(state)])

    def _copies(self, shot: StoryFrame, seen: int) -> int:
        pixels = [seen] if len(shot.subject) < 2 else [shot.pixels((transform,)) for transform in shot.subject]
        return sum(count >= VISIBLE_SHARE * self._whole for count in pixels)


# ---------------------------------------------------------------- where the subject is


@dataclass(frozen=True)
class PlacedSubject:
    """Where the subject is against where it should be; nothing can be said of one that is not there."""

    off_m: float = np.nan
    off_widths: float = np.nan
    aside_m: float = np.nan
    lifted_m: float = np.nan
    stretch: float = np.nan
    apart_m: float = np.nan


AS_IT_SHOULD_BE = PlacedSubject(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def placed_subject(story: Story, shot: StoryFrame, second: float) -> PlacedSubject:
    """The subject of a frame; of several that which is nearest to its place."""
    if shot.subject == AS_TOLD and shot.process_s == second:
        return AS_IT_SHOULD_BE
    told, true = story.world.subject_points(shot.process_s), story.world.subject_points(second)
    if not shot.subject or not len(told) or not len(true):
        return PlacedSubject()
    due = foot(true if story.task.moves else told)
    apart_m = float(np.linalg.norm(told - true, axis=1).mean()) if told.shape == true.shape else np.nan
    return min((_placed(shot, told, due, t, apart_m) for t in shot.subject), key=lambda placed: placed.off_m)


def _placed(shot: StoryFrame, told: FloatArray, due: FloatArray, transform: Affine, apart_m: float) -> PlacedSubject:
    turn = matrix(transform)
    stands_at = foot(told @ turn[:3, :3].T + turn[:3, 3])
    moved = stands_at - foot(told)
    across = in_picture(shot, stands_at) - in_picture(shot, due)
    return PlacedSubject(
        float(np.linalg.norm(stands_at - due)),
        float(np.linalg.norm(across)),
        float(np.linalg.norm(moved[:2])),
        float(moved[2]),
        float(np.abs(np.linalg.svd(turn[:3, :3], compute_uv=False) - 1).max()),
        apart_m,
    )


def foot(points: FloatArray) -> FloatArray:
    """Below the middle, as low as the points reach."""
    middle: FloatArray = (points.min(axis=0) + points.max(axis=0)) / 2
    middle[2] = points[:, 2].min()
    return middle


def in_picture(shot: StoryFrame, point: FloatArray) -> FloatArray:
    """Where a point is seen, in frame widths; not a number behind the camera."""
    local = (point - shot.camera[:3, 3]) @ shot.camera[:3, :3]
    if local[2] < NEAR_M:
        return np.full(2, np.nan)
    image: FloatArray = (shot.world.intrinsics @ (local / local[2]))[:2] / shot.world.size[0]
    return image


# ---------------------------------------------------------------- what was painted over


@dataclass(frozen=True)
class PaintedLook:
    """How much a picture was changed after it was rendered, on the subject and around it."""

    subject: float = 0.0
    around: float = 0.0
    shift: float = 0.0


def look_of(plain: Bytes, painted: Bytes, subject: Mask) -> PaintedLook:
    change = np.abs(plain.astype(np.int16) - painted).mean(axis=2) / 255
    around = float(change[~subject].mean())
    return PaintedLook(
        float(change[subject].mean()) if subject.any() else 0.0, around, displaced(plain, painted, subject)
    )


def displaced(plain: Bytes, painted: Bytes, subject: Mask) -> float:
    """By how much what is not the subject was displaced in the worst places, in frame widths."""
    height, width = subject.shape
    size = FLOW_WIDTH, round(FLOW_WIDTH * height / width)
    before, after = (
        cv2.resize(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), size, interpolation=cv2.INTER_AREA)
        for rgb in (plain, painted)
    )
    flow = cv2.calcOpticalFlowFarneback(before, after, None, 0.5, 2, 15, 2, 5, 1.2, 0)  # type: ignore[call-overload]
    away = cv2.resize(subject.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST) == 0
    return float(np.percentile(np.linalg.norm(flow, axis=2)[away], WORST)) / FLOW_WIDTH
