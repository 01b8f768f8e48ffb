"""Faults of the surroundings: another room on return, or a room that melts."""

from __future__ import annotations

import cv2
import numpy as np

from lookaway.worlds.arrays import Bytes
from lookaway.worlds.reference import fault
from lookaway.worlds.reference.conditions import hides
from lookaway.worlds.reference.story import PaintableFrame, Setting, Story
from lookaway.worlds.room import LAYOUTS
from lookaway.worlds.world import Staging

KEEPS = ("turn_share", "left_view", "return_count")
BUMPS = 5  # of the melting across the picture's width
SPARED = 0.06  # of the frame's width around the subject, where the warp grows from nothing


@fault(
    "other-room",
    ladder=(1.0, 2.0, 3.0),
    unit="1: same layout, other seed; 2: other layout; 3: outdoors for indoors or the reverse",
    fails=("background_same",),
    keeps=KEEPS,
    where=(hides,),
)
def other_room(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """On return the subject is in another room."""
    spec = story.world.spec
    place = LAYOUTS.find(spec.layout).place
    others = [name for name in LAYOUTS.names() if name != spec.layout]
    alike = [name for name in others if LAYOUTS.find(name).place == place]
    unlike = [name for name in others if LAYOUTS.find(name).place != place]
    choice = [spec.layout] if severity < 2 else alike if severity < 3 else unlike
    room = choice[int(rng.integers(len(choice)))], spec.seed + 1
    return story.with_setting(story.since_return, Setting(Staging(room=room)))


@fault(
    "background-melt",
    ladder=(0.01, 0.03, 0.06),
    unit="share of the frame's width by which the background is displaced at most",
    fails=("background_same",),
    keeps=(*KEEPS, "came_back", "return_place"),
    where=(hides,),
)
def background_melt(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """On return everything but the subject is bent out of shape."""
    coarse = rng.uniform(-1, 1, (2, BUMPS, BUMPS + 3)).astype(np.float32)

    def paint(shown: PaintableFrame) -> Bytes:
        height, width = shown.rgb.shape[:2]
        x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
        bend = np.stack([cv2.resize(field, (width, height), interpolation=cv2.INTER_CUBIC) for field in coarse])
        bend *= severity * width / np.abs(bend).max()
        away = cv2.distanceTransform((~shown.subject()).astype(np.uint8), cv2.DIST_L2, 5)
        bend *= np.clip(away / (SPARED * width), 0, 1)
        bent = cv2.remap(shown.rgb, x + bend[0], y + bend[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
        return np.asarray(bent, np.uint8)

    return story.with_paint(story.since_return & ~story.hidden, paint)
