"""A true clip of which only its phases are known."""

from __future__ import annotations

import numpy as np

from lookaway.records import Interval, Reference
from lookaway.truth import Truth


def with_phases(frames: int, fps: float, gone: int, back: int) -> Truth:
    """Of so many frames, in which the subject is gone from one frame on and back from another."""
    bounds = (("visible", 0, gone), ("hidden", gone, back), ("returned", back, frames))
    phases = [Interval.model_validate({"phase": p, "start_s": a / fps, "end_s": b / fps}) for p, a, b in bounds]
    record = Reference(task="a_task", instance="", phases=tuple(phases))
    return Truth(record, None, np.arange(frames) / fps, None)
