"""Stress: variations that are not wrong, but harder than a metric is promised to bear. Alarms are published."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lookaway.worlds.arrays import Bytes
from lookaway.worlds.reference import variation
from lookaway.worlds.reference.harmless import always, blur, display
from lookaway.worlds.reference.story import PaintableFrame, Story

BLUR_PX = 2.5
SHIFT_M = 0.1
LOW_LIGHT, LOW_LIGHT_NOISE = 0.35, 6.0


@variation("heavy-compression", kind="stress")
def heavy_compression(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth, compressed until it shows (crf 42)."""
    return replace(story, crf=42)


@variation("strong-blur", kind="stress")
def strong_blur(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth, well out of focus."""
    return story.with_paint(always(story), blur(BLUR_PX))


@variation("shifted-view", kind="stress")
def shifted_view(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth from 10 cm aside."""
    shift = np.eye(4)
    shift[0, 3] = SHIFT_M if rng.random() < 0.5 else -SHIFT_M
    return story.with_poses(shift @ story.poses)


@variation("low-light", kind="stress")
def low_light(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth in a third of the light, with the noise of it."""
    seed = int(rng.integers(1 << 31))

    def paint(shown: PaintableFrame) -> Bytes:
        grain = np.random.default_rng([seed, shown.index]).normal(0, LOW_LIGHT_NOISE, shown.rgb.shape)
        return display(LOW_LIGHT * shown.rgb + grain)

    return story.with_paint(always(story), paint)
