"""Faults of memory: what was out of view comes back coarser with its age, or as the picture that was kept of it."""

from __future__ import annotations

import cv2
import numpy as np

from lookaway.worlds.arrays import Bytes
from lookaway.worlds.reference import fault
from lookaway.worlds.reference.conditions import happens, hides, waits
from lookaway.worlds.reference.looks import soft
from lookaway.worlds.reference.story import Paint, PaintableFrame, Story
from lookaway.worlds.reference.timing import LATER_ROUND

CELLS_WIDE = 320  # of a fresh memory: as many cells as the known world's clips have pixels
FEWEST_CELLS = 4
AT_HOME = 1e-6


@fault(
    "faded-memory",
    ladder=(1.0, 0.5, 0.25),
    unit="seconds out of view in which the cells of what is remembered double",
    fails=("return_identity",),
    keeps=("turn_share", "left_view"),
    unobservable="what was out of view for a short time is hardly coarser than it was",
    where=(hides,),
)
def faded_memory(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """What was out of view comes back the coarser, the longer it was away; the place around it stays."""
    for away, back in zip(story.hidden_times, [*story.hidden_times[1:], None], strict=True):
        later = (story.seconds >= away.start_s) & (story.seconds < (np.inf if back is None else back.start_s))
        cells = CELLS_WIDE / 2 ** ((away.end_s - away.start_s) / severity)
        story = story.with_paint(story.changed & ~story.hidden & later, _coarsening(cells))
    return story


def _coarsening(cells: float) -> Paint:
    def paint(shown: PaintableFrame) -> Bytes:
        alpha = soft(shown.subject().astype(np.float64))[..., None]
        return np.asarray(np.round((1 - alpha) * shown.rgb + alpha * coarsened(shown.rgb, cells)), np.uint8)

    return paint


def coarsened(rgb: Bytes, cells: float) -> Bytes:
    """The picture brought down to that many cells across, at least four, and smoothly up again."""
    height, width = rgb.shape[:2]
    across = min(width, max(FEWEST_CELLS, round(cells * width / CELLS_WIDE)))
    down = max(2, round(across * height / width))
    small = cv2.resize(rgb, (across, down), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)


@fault(
    "retrieval-memory",
    fails=("clock_error", "world_clock"),
    keeps=("turn_share", "left_view", "came_back", "return_count", "background_same", "cut"),
    unobservable=LATER_ROUND,
    where=(hides, happens, waits),
)
def retrieval_memory(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The last whole view before a look-away is pasted back after it, and goes on from there."""
    process_s = story.process_s.copy()
    for away in story.hidden_times:
        kept_s = process_s[_last_rest(story, away.start_s)]
        later = story.seconds >= away.start_s
        process_s[later] = kept_s + np.maximum(story.seconds[later] - away.end_s, 0.0)
    return story.with_process(process_s)


def _last_rest(story: Story, until_s: float) -> int:
    """The last frame before that second with the first frame's view, nothing in between."""
    at_home = np.abs(story.true_poses - story.true_poses[0]).max(axis=(1, 2)) < AT_HOME
    is_open = np.array([cover == story.true_covers[0] for cover in story.true_covers])
    return int(np.flatnonzero(at_home & is_open & (story.seconds < until_s))[-1])
