"""The camera's rotation in every frame from features alone, with how sure that is; no learned weights.

Where the task's field of view is declared it is taken; else it is estimated from the turn itself.
"""

from __future__ import annotations

import numpy as np

from lookaway.observers import Floats, Look, observer
from lookaway.observers.focal import FieldOfView, field_of_view
from lookaway.observers.turning import CameraTurns, Turns, followed
from lookaway.observers.view import turns
from lookaway.outcomes import Abstain
from lookaway.video import resize

PLAUSIBLE_DEG = (40.0, 90.0)  # of ordinary lenses, where nothing tells


class Classical(CameraTurns):
    """The camera's turns, and the lens that they were read with."""

    hfov_deg: Floats  # (3,): taken, lowest and highest that is as likely


@observer(version=2, saw=Classical, seconds_per_frame=0.012)
def classical(look: Look) -> Classical | Abstain:
    """Rotation per frame against the first (N, 3, 3), whether it was found, its confidence, and the field of view."""
    found = turns(look)
    if isinstance(found, Abstain):
        return found
    lens = _lens(look, found)
    if lens.hfov_deg != look.task.hfov_deg:
        height, width = look.frames.rgb.shape[1:3]
        found = followed(look.frames.rgb, resize(look.first_frame, (width, height)), lens.hfov_deg)
    return Classical(
        seconds=look.frames.seconds,
        rotation=found.rotations,
        trusted=found.trusted,
        confidence=found.confidence,
        hfov_deg=np.array([lens.hfov_deg, lens.low, lens.high]),
    )


def _lens(look: Look, turns: Turns) -> FieldOfView:
    """The declared field of view, else the measured one, else the assumed one among all that is plausible."""
    given = look.task.hfov_deg
    if look.task.hfov_declared:
        return FieldOfView(given, given, given)
    return field_of_view(look.frames.rgb, turns) or FieldOfView(given, *PLAUSIBLE_DEG)
