"""Faults of identity and state: another colour, shape or size, half transparent, or in a state it cannot be in yet."""

from __future__ import annotations

import cv2
import numpy as np

from lookaway.worlds.arrays import Bytes, FloatArray
from lookaway.worlds.reference import fault
from lookaway.worlds.reference.conditions import changes, ends, happens, hides
from lookaway.worlds.reference.story import PaintableFrame, Story, scaled, shifted

KEEPS = ("turn_share", "left_view", "came_back", "background_same")
GREYISH, GREY_TO_DEG, SATURATION = 0.25, 200, 0.85
ENDED_S = 6.4  # on the process's own clock, see suites/known_world.py


@fault(
    "wrong-colour",
    ladder=(0.2, 0.5, 1.0),
    unit="share of the way round to the opposite hue",
    fails=("return_identity",),
    keeps=(*KEEPS, "return_place"),
    where=(hides,),
)
def wrong_colour(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """On return the subject has another colour."""
    first = story.world.render(story.world.home, 0.0)
    own = first.rgb[story.world.subject_mask(first.instances)].reshape(1, -1, 3)
    grey = float(cv2.cvtColor(own, cv2.COLOR_RGB2HSV)[..., 1].mean()) / 255 < GREYISH

    def paint(shown: PaintableFrame) -> Bytes:
        alpha = soft(shown.subject().astype(np.float64))[..., None]
        mixed = (1 - alpha) * shown.rgb + alpha * recoloured(shown.rgb, severity, grey)
        return np.asarray(np.round(mixed), np.uint8)

    return story.with_paint(story.changed & ~story.hidden, paint)


def recoloured(rgb: Bytes, severity: float, grey: bool) -> Bytes:
    """Every hue turned by that share of half a circle; what is grey becomes colourful by that share instead."""
    hsv = cv2.cvtColor(rgb, cv2.COLOR_RGB2HSV)
    if grey:
        hsv[..., 0] = GREY_TO_DEG // 2
        hsv[..., 1] = np.maximum(hsv[..., 1], round(255 * SATURATION * severity))
    else:
        hsv[..., 0] = (hsv[..., 0] + round(90 * severity)) % 180  # OpenCV counts hues by two degrees
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB), np.uint8)


def soft(mask: FloatArray) -> FloatArray:
    """A mask that takes half of the pixels around it, where the outline is smoothed."""
    around = cv2.dilate(mask, np.ones((3, 3), np.uint8))
    return np.asarray(np.maximum(mask, 0.5 * around))


@fault(
    "wrong-shape",
    ladder=(0.25, 0.5, 1.0),
    unit="how much taller, and as much thinner",
    fails=("return_identity",),
    keeps=KEEPS,
    where=(hides,),
)
def wrong_shape(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """On return the subject is stretched upwards and thinner."""
    factors = np.array([1 / (1 + severity), 1 / (1 + severity), 1 + severity])
    return resized(story, factors)


@fault(
    "wrong-size",
    ladder=(1.25, 1.5, 2.0),
    unit="times its true size",
    fails=("return_identity",),
    keeps=KEEPS,
    where=(hides,),
)
def wrong_size(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """On return the subject is larger."""
    return resized(story, np.full(3, severity))


def resized(story: Story, factors: FloatArray) -> Story:
    """The subject scaled about its foot."""

    def larger(index: int) -> tuple[FloatArray, ...]:
        return (scaled(factors, story.foot(index)) if len(story.points(index)) else np.eye(4),)

    return story.with_subject(story.changed, larger)


@fault(
    "ghost",
    ladder=(0.3, 0.6, 0.8),
    unit="share of what is behind it that shows through",
    fails=("return_identity",),
    keeps=(*KEEPS, "return_place"),
    where=(hides,),
)
def ghost(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """On return one sees through the subject."""

    def paint(shown: PaintableFrame) -> Bytes:
        mixed = (1 - severity) * shown.rgb + severity * shown.empty()
        return np.round(mixed).astype(np.uint8)

    return story.with_paint(story.changed & ~story.hidden, paint)


@fault(
    "wrong-state",
    ladder=(0.4, 0.7, 1.0),
    unit="share of the way to its first or last state, whichever is farther",
    fails=("return_state",),
    keeps=("turn_share", "left_view", "came_back", "return_count", "background_same"),
    where=(hides, happens, changes, ends),
)
def wrong_state(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """On return the subject is where it should be, in a state that it cannot be in yet or any more."""
    spec = story.world.spec
    last_s = max(spec.start_s + ENDED_S / spec.pace, story.task.seconds)
    now_s = float(story.seconds[story.back])
    far_s = 0.0 if now_s > last_s - now_s else last_s
    told = np.where(story.changed, story.seconds + severity * (far_s - story.seconds), story.seconds)
    other = story.with_process(told)
    if not story.task.moves:
        return other

    def kept_in_place(index: int) -> tuple[FloatArray, ...]:
        if not len(story.points(index)) or not len(other.points(index)):
            return (np.eye(4),)
        return (shifted(story.foot(index) - other.foot(index)),)

    return other.with_subject(story.changed, kept_in_place)
