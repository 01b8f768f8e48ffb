"""Faults of the clock: the process stands still, goes back, leaps ahead, runs slowly or never begins; short memory."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.reference import fault, variation
from lookaway.worlds.reference.conditions import ends, goes_on, happens, hides, room_to_skip, waits, way_out_is_free
from lookaway.worlds.reference.story import Story

KEEPS = ("turn_share", "left_view", "came_back", "return_count", "background_same", "cut")
LATER_ROUND = "what comes round again may look right a round later; what has ended looks the same ever after"
SHORT_MEMORY_S = (2.0, 1.0, 0.5)
NEARLY = (0.9, 1.0)  # of the way there is, so that seeds differ where it is short


@variation("truth", kind="truth")
def truth(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The known world itself."""
    return story


@fault(
    "frozen",
    ladder=(0.4, 0.7, 1.0),
    plain=1.0,
    unit="share of the hidden time during which the process stands still",
    fails=("clock_error", "world_clock"),
    keeps=KEEPS,
    unobservable=LATER_ROUND,
    where=(hides, happens, waits),
)
def frozen(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """Its world stops while nobody looks and goes on afterwards."""
    process_s = story.process_s.copy()
    for away in story.hidden_times:
        process_s -= np.clip(story.seconds - away.start_s, 0.0, severity * (away.end_s - away.start_s))
    return story.with_process(process_s)


@fault(
    "reset",
    ladder=(0.4, 0.7, 1.0),
    unit="share of the way back to the start",
    fails=("clock_error", "world_clock"),
    keeps=KEEPS,
    unobservable=LATER_ROUND,
    where=(hides, happens, ends, waits),
)
def reset(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """On return the process has been set back towards its start."""
    process_s = story.process_s.copy()
    for away in story.hidden_times:
        later = story.changed & (story.seconds >= (away.start_s + away.end_s) / 2)
        shown_s = float(np.interp(away.end_s, story.seconds, process_s))
        process_s[later] -= severity * shown_s
    return story.with_process(process_s)


@fault(
    "undone",
    ladder=(0.25, 0.5, 1.0),
    unit="speed at which it runs backwards while hidden",
    fails=("clock_error", "world_clock"),
    keeps=KEEPS,
    unobservable=LATER_ROUND,
    where=(hides, happens, ends, waits),
)
def undone(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """Its world runs backwards while nobody looks."""
    back_s = np.zeros_like(story.seconds)
    for away in story.hidden_times:
        lasts = away.end_s - away.start_s
        reached = away.start_s - float(np.interp(away.start_s, story.seconds, back_s))
        undoing = (1 + severity) * lasts
        back_s += np.clip((1 + severity) * (story.seconds - away.start_s), 0.0, min(undoing, reached + lasts))
    return story.with_process(story.process_s - back_s)


@fault(
    "skipped-ahead",
    ladder=(0.5, 1.0, 2.0),
    unit="hidden durations too far ahead, at most",
    fails=("clock_error", "world_clock"),
    keeps=KEEPS,
    unobservable=LATER_ROUND,
    where=(hides, happens, ends, waits, goes_on),
)
def skipped_ahead(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """Its world runs on too fast while nobody looks, never so far that it has ended when the view returns."""
    process_s = story.process_s.copy()
    ahead = min(severity, room_to_skip(story.task) * rng.uniform(*NEARLY))
    for away in story.hidden_times:
        process_s += ahead * np.clip(story.seconds - away.start_s, 0.0, away.end_s - away.start_s)
    return story.with_process(process_s)


@fault(
    "never-triggered",
    ladder=(0.5, 0.75, 1.0),
    unit="share of the clip before anything begins",
    fails=("absolute_clock",),
    keeps=("turn_share", "return_count", "background_same", "cut"),
    unobservable=LATER_ROUND,
    where=(hides, happens, ends, waits, way_out_is_free),
)
def never_triggered(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """What should start the process comes late or never."""
    return story.with_process(story.process_s - severity * story.task.seconds)


@fault(
    "slowed",
    ladder=(0.75, 0.5, 0.25),
    unit="speed of the process, seen and unseen, against the true one",
    fails=("absolute_clock",),
    keeps=KEEPS,
    unobservable=LATER_ROUND,
    where=(hides, happens, ends, waits, way_out_is_free),
)
def slowed(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """Its world runs slowly from the first frame on, and keeps its own slow time."""
    return story.with_process(severity * story.process_s)


@fault(
    "short-memory",
    ladder=SHORT_MEMORY_S,
    unit="seconds after which what is out of view is forgotten",
    fails=("return_count",),
    keeps=("turn_share", "left_view", "background_same"),
    unobservable="what was hidden for a shorter time is remembered",
    where=(hides,),
    context=True,
)
def short_memory(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """What stays out of view for too long is gone."""
    gone = np.zeros(len(story.seconds), bool)
    for away in story.hidden_times:
        if away.end_s - away.start_s > severity:
            gone |= story.seconds >= away.start_s + severity
    return story.with_subject(gone & story.changed, lambda index: ())
