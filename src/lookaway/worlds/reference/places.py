"""Faults of place and number: the subject is elsewhere, in the air, in the ground, twice there, or not at all."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.reference import fault
from lookaway.worlds.reference.conditions import hides, stands
from lookaway.worlds.reference.story import Story, scaled, shifted

CAMERA = ("turn_share", "left_view", "came_back")
ALONG_THE_RAY = "a shift along the line of sight hardly moves it in the picture"
UP = np.array([0.0, 0.0, 1.0])
FREE_AHEAD_M = 3.6  # the floor is kept free as far as this
GAP = 0.03  # of the frame's width, between a subject and its double
SAMPLES = 7


def sight(story: Story) -> list[int]:
    """Some frames after the return, all along."""
    seen = np.flatnonzero(story.returned)
    return [int(index) for index in seen[np.linspace(0, len(seen) - 1, SAMPLES).astype(int)]]


def shown_share(story: Story, by: FloatArray) -> float:
    """How much of the subject is in the picture after the return, if it is shifted by that."""
    return float(np.mean([story.in_frame(index, story.points(index) + by).mean() for index in sight(story)]))


def roomier(story: Story, by: FloatArray, other: FloatArray) -> FloatArray:
    """The shift that leaves more of the subject in the picture."""
    return by if shown_share(story, by) >= shown_share(story, other) else other


def level(direction: FloatArray) -> FloatArray:
    """The direction along the floor."""
    flat = direction * (1.0, 1.0, 0.0)
    along: FloatArray = flat / np.linalg.norm(flat)
    return along


def aside(story: Story, share: float) -> FloatArray:
    """A shift by that share of the frame's width, to the side where there is more room."""
    by = share * story.frame_width_m(story.back) * story.camera(story.back)[:3, 0]
    return roomier(story, by, -by)


@fault(
    "teleported",
    ladder=(0.05, 0.1, 0.2, 0.3, 0.4),
    unit="share of the frame's width",
    fails=("return_place",),
    keeps=(*CAMERA, "return_count"),
    unobservable="near the edge of the picture a large shift takes part of it out of view",
    where=(hides,),
)
def teleported(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """On return the subject is aside of where it should be."""
    by = shifted(aside(story, severity))
    return story.with_subject(story.changed, lambda index: (by,))


@fault(
    "wrong-place",
    ladder=(0.1, 0.2, 0.3),
    unit="share of the frame's width, sideways and as far in depth",
    fails=("return_place",),
    keeps=(*CAMERA, "return_count"),
    unobservable=ALONG_THE_RAY,
    where=(hides,),
)
def wrong_place(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """On return the subject is elsewhere on the floor, aside and nearer or farther."""
    camera, centre = story.camera(story.back), story.centre(story.back)
    by = aside(story, severity)
    deep = float(np.linalg.norm(by)) * level(camera[:3, 2])
    away = float((centre + deep - camera[:3, 3]) @ level(camera[:3, 2]))
    by = shifted(by + (deep if away < FREE_AHEAD_M else -deep / 2))
    return story.with_subject(story.changed, lambda index: (by,))


@fault(
    "floating",
    ladder=(0.08, 0.16, 0.3),
    unit="share of the frame's height",
    fails=("return_place",),
    keeps=(*CAMERA, "return_count"),
    where=(hides,),
)
def floating(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """On return the subject hangs in the air above its place."""
    height_m = story.frame_width_m(story.back) * float(story.world.intrinsics[1, 2] / story.world.intrinsics[0, 2])
    by = shifted(severity * height_m * UP)
    return story.with_subject(story.changed, lambda index: (by,))


@fault(
    "sunk",
    ladder=(0.3, 0.6, 0.9),
    unit="share of the subject's own height",
    fails=("return_state", "return_place"),
    keeps=CAMERA,
    unobservable="what lies flat hardly sinks by a share of its height",
    where=(hides, stands),
)
def sunk(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """On return the subject has passed into what it stands on."""

    def lower(index: int) -> tuple[FloatArray, ...]:
        points = story.points(index)
        if not len(points):
            return (np.eye(4),)
        return (shifted(-severity * float(np.ptp(points[:, 2])) * UP),)

    return story.with_subject(story.changed, lower)


@fault(
    "duplicated",
    ladder=(0.5, 0.75, 1.0),
    unit="size of the double against the subject",
    fails=("return_count",),
    keeps=CAMERA,
    unobservable="a double that the picture has no room for is only partly shown",
    where=(hides,),
)
def duplicated(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """On return a double of the subject stands beside it, or hangs above it where the picture has no room aside."""
    wide = max(float(np.ptp(story.places(index, story.points(index))[:, 0])) for index in sight(story))
    tall_m = max(float(np.ptp(story.points(index)[:, 2])) for index in sight(story))
    clear = 0.5 + severity / 2
    above = (clear * tall_m + GAP * story.frame_width_m(story.back)) * UP
    beside = shifted(roomier(story, aside(story, clear * wide + GAP), above))
    double = [
        beside @ scaled(np.full(3, severity), story.foot(index)) if len(story.points(index)) else np.eye(4)
        for index in range(len(story.seconds))
    ]
    return story.with_subject(story.changed, lambda index: (np.eye(4), double[index]))


@fault(
    "vanished",
    ladder=(0.33, 0.67, 1.0),
    plain=1.0,
    unit="share of the time after the return during which it is gone",
    fails=("return_count",),
    keeps=("turn_share", "left_view", "background_same"),
    where=(hides,),
)
def vanished(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """What goes out of view is gone, for a while or for good."""
    gone = story.changed.copy()
    for interval in story.task.phases:
        if interval.phase == "returned":
            until_s = interval.start_s + severity * (interval.end_s - interval.start_s)
            gone &= ~((story.seconds >= until_s) & (story.seconds < interval.end_s))
    return story.with_subject(gone, lambda index: ())
