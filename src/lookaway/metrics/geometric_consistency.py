"""Does the depth of the scene stay alike before the look-away and after it (MemoBench)?"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers import Floats, Indices
from lookaway.observers.mapped_phases import spread
from lookaway.observers.phase_depths import SAMPLES, DepthCosines, PhaseDepths
from lookaway.observers.phase_depths_released import PhaseDepthsReleased
from lookaway.outcomes import Abstain

TYPICAL = 0.7  # weight of the typical step; the rest is that of the worst
SAMPLE_COUNTS = (2, 3, 5, 7)  # of the paper's sweep


@metric(
    unit="cosine",
    better="higher",
    range=(0, 1),
    variant="paper",
    needs=["phase_depths"],
    phase_source="mapped",
    version=1,
)
def geometric_consistency(case: Case) -> Outcome:
    """0.7 of the mean and 0.3 of the lowest cosine of depth maps of neighbouring frames in a phase; 1 is unchanged.

    A camera that never moves scores high: read it beside `camera_inactivity`.
    """
    return consistency(case.saw(PhaseDepths))


@metric(
    name="geometric_consistency",
    unit="cosine",
    better="higher",
    range=(0, 1),
    variant="released",
    needs=["phase_depths_released"],
    phase_source="mapped",
    version=1,
)
def released(case: Case) -> Outcome:
    """The same by the Small model, phases by the release's rule; a camera that never moves scores high."""
    return consistency(case.saw(PhaseDepthsReleased))


def consistency(seen: DepthCosines, samples: int = SAMPLES) -> float | Abstain:
    """From that many frames of each phase, which must have been looked at."""
    chosen = {"visible": spread(seen.visible, samples), "returned": spread(seen.returned, samples)}
    if not np.isin(np.concatenate(list(chosen.values())), seen.frames).all():
        return Abstain(f"not {samples} frames of a phase were looked at; --set {seen.observer}.samples=2,3,5,7")
    steps = {name: _steps(seen, frames) for name, frames in chosen.items()}
    for name, found in steps.items():
        if not len(found):
            return Abstain(f"fewer than two frames are in the {name} phase")
    typical = np.mean([found.mean() for found in steps.values()])
    return float(np.clip(TYPICAL * typical + (1 - TYPICAL) * min(found.min() for found in steps.values()), 0, 1))


def _steps(seen: DepthCosines, frames: Indices) -> Floats:
    """The cosine of each frame's depth map and the next one's."""
    rows = np.searchsorted(seen.frames, frames)
    return np.array([seen.cosine[here, there] for here, there in pairwise(rows)], np.float64)
