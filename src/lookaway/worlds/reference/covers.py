"""Faults of covers: lights that never go out, a cover that leaves the subject in view."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

import numpy as np

from lookaway.worlds.covers import Cover
from lookaway.worlds.reference import fault
from lookaway.worlds.reference.conditions import hides, lights_go_out, something_covers
from lookaway.worlds.reference.story import Story

KEEPS = ("came_back", "return_count", "return_place", "background_same")
SHARES = np.linspace(0.95, 0.0, 951)
MOMENTS = 3
NEARLY = (0.95, 1.0)  # of the way to where it would begin to hide more, so that seeds differ


@fault(
    "dim-lights",
    ladder=(0.1, 0.25, 0.5),
    unit="share of the light that stays on",
    fails=("left_view",),
    keeps=KEEPS,
    where=(hides, lights_go_out),
)
def dim_lights(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The lights never go out all the way."""
    return story.with_covers(closed_at_most(story, 1 - severity))


@fault(
    "gaping-cover",
    ladder=(0.25, 0.5, 1.0),
    unit="share of the subject that stays in view all the time",
    fails=("left_view",),
    keeps=KEEPS,
    where=(hides, something_covers),
)
def gaping_cover(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The cover stops too early and leaves the subject in view."""
    away = story.hidden_times[0]
    moments = np.linspace(away.start_s, away.end_s, MOMENTS)
    kind = next(cover.kind for cover in story.covers if cover.kind)
    open_view = [pixels(story, second, Cover()) for second in moments]

    def gapes(share: float) -> bool:
        cover = Cover(kind, share)
        return all(pixels(story, s, cover) >= severity * seen for s, seen in zip(moments, open_view, strict=True))

    widest = bisect_left(SHARES, True, key=gapes)
    share = SHARES[min(widest, len(SHARES) - 1)] * rng.uniform(*NEARLY)
    return story.with_covers(closed_at_most(story, float(share)))


def closed_at_most(story: Story, share: float) -> list[Cover]:
    closed = [replace(cover, share=min(cover.share, share)) for cover in story.covers]
    return [cover if cover.share > 0 else Cover() for cover in closed]


def pixels(story: Story, second: float, cover: Cover) -> int:
    """Subject pixels in the first camera's view."""
    world = story.world
    return int(world.subject_mask(world.glance(world.home, float(second), cover), cover).sum())
