"""The camera's rotation in every frame, with the interval in which it lies; no learned weights.

A declared field of view is believed. Where the pictures contradict it the one that they tell is written beside it. One
that is not declared is measured where the camera only turns; else all that is plausible stays possible.
"""

from __future__ import annotations

import numpy as np

from lookaway.observers import Floats, Look, observer
from lookaway.observers.focal import FieldOfView, field_of_view
from lookaway.observers.following import CameraTurns, follow
from lookaway.outcomes import Abstain

PLAUSIBLE_DEG = (40.0, 90.0)  # of ordinary lenses, where nothing tells


class Classical(CameraTurns):
    """The camera's turns, and the lens that they were read with."""

    hfov_deg: Floats  # (3,): taken, lowest and highest that is as likely
    contradicting_hfov_deg: float  # that the pictures tell instead of a declared one; NaN where they do not


@observer(version=4, saw=Classical, seconds_per_frame=0.03)
def classical(look: Look) -> Classical | Abstain:
    """Rotation per frame against the first (N, 3, 3), whether it was found, its interval, and the field of view."""
    found = follow(look)
    if isinstance(found, Abstain):
        return found
    read = field_of_view(found)
    hfov_deg = _lens(look, read)
    if hfov_deg[0] != found.hfov_deg:
        found = found.through(float(hfov_deg[0]))
    told = look.task.hfov_declared and read is not None and read.contradicts
    return Classical(
        seconds=look.frames.seconds,
        rotation=found.rotations,
        trusted=found.trusted,
        confidence=found.confidence,
        half_width_deg=found.half_width_deg,
        hfov_deg=hfov_deg,
        contradicting_hfov_deg=read.hfov_deg if read is not None and told else np.nan,
    )


def _lens(look: Look, read: FieldOfView | None) -> Floats:
    """The declared field of view, else the measured one, else the assumed one among all that is plausible."""
    given = look.task.hfov_deg
    if look.task.hfov_declared:
        return np.array([given, given, given])
    if read is not None and read.pure:
        return np.array([read.hfov_deg, read.low, read.high])
    return np.array([given, *PLAUSIBLE_DEG])
