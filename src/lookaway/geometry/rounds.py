"""Rounds: a task may hide its subject several times, and each look-away is asked about on its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.trajectory import Floats
from lookaway.geometry.visibility import frames_in
from lookaway.records import Interval, Task

Phases = tuple[Interval, ...]


def asked_phases(task: Task) -> Phases:
    """The phases that a task asks about; an observed twin asks about those of the task that hides."""
    return task.yoked or task.phases


def look_aways(phases: Phases) -> list[Interval]:
    return [interval for interval in phases if interval.phase == "hidden"]


def round_count(task: Task) -> int:
    """How often the subject is hidden in what the task asks about; 1 where it never is."""
    return max(1, len(look_aways(asked_phases(task))))


def round_span(phases: Phases, number: int, count: int) -> tuple[float, float]:
    """From when to when a round lasts: until the next look-away begins. The first and the last have open ends."""
    hidden = look_aways(phases)
    start_s = -np.inf if number == 1 else hidden[number - 1].start_s
    return start_s, np.inf if number >= min(count, len(hidden)) else hidden[number].start_s


def frames_back(seconds: Floats, phases: Phases, number: int, count: int) -> NDArray[np.bool_]:
    """Frames that are back from that look-away, up to the next one; after the last of all, every frame that is back."""
    if len(look_aways(phases)) < number:
        return np.zeros(len(seconds), bool)
    start_s, end_s = round_span(phases, number, count)
    return np.asarray(frames_in(seconds, phases, "returned") & (seconds >= start_s) & (seconds < end_s))
