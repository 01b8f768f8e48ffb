"""Clips with keyframes, and what every learned observer of a phase is shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from lookaway.observers import OBSERVERS, Look, ObservedArrays
from lookaway.observers.elsewhere import seen_with
from lookaway.outcomes import Abstain
from lookaway.records import Interval, Reference, Setting
from lookaway.truth import Truth
from lookaway.video import encode
from tests.observers.panorama import FPS, PLACE, RED, Disc, away_and_back, filmed, look_at

GONE, BACK = 19, 51  # of 64 frames; the disc is out of the picture in between


def stays(i: int) -> list[Disc]:
    return [(*PLACE, RED)]


def looked_away(peak_deg: float = 50.0, folder: Path | None = None) -> Look:
    """A camera that turns away from a disc and back, and a truth that knows when; with its true clip in a folder."""
    return with_truth(look_at(filmed(away_and_back(peak_deg), stays)), folder)


def with_truth(look: Look, folder: Path | None = None) -> Look:
    seconds = np.arange(64) / FPS
    last = float(seconds[-1] + 1 / FPS)
    spans = (("visible", 0.0, GONE / FPS), ("hidden", GONE / FPS, BACK / FPS), ("returned", BACK / FPS, last))
    phases = tuple(Interval(phase=phase, start_s=start, end_s=end) for phase, start, end in spans)
    video = None
    if folder is not None:
        video = folder / "true.mp4"
        encode(list(filmed(away_and_back(), stays)), video, FPS)
    known = Truth(Reference(task=look.task.id, instance="a", phases=phases), video, seconds, None)
    return replace(look, truth=known)


def seen(name: str, look: Look, **settings: Setting) -> ObservedArrays | Abstain:
    return seen_with(OBSERVERS.get(name), replace(look, settings=settings))
