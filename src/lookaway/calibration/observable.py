"""Can anyone see this fault? A rule declared beforehand that no metric has a part in.

A fault may leave no trace: skipping ahead after the process ended, a step along the view ray. Its clip counts as
unobservable when no two frames in a row differ from the truth in as many pixels as 5 % of the subject's first sight.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookaway.errors import BlobError
from lookaway.observers.difference import PixelDifference
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.instruments import observer_instrument
from lookaway.pipeline.observe import observation_key
from lookaway.records import CaseId, Observation, Plan
from lookaway.store import Run

OBSERVER = PixelDifference.observer
UNOBSERVABLE_BELOW = 0.05


def unobservable_cases(run: Run, plan: Plan) -> set[CaseId]:
    """Cases whose clip was compared with the truth and hardly differs from it."""
    compared = _compared(run, plan).items()
    return {
        case for case, areas in compared if not isinstance(areas, BlobError) and lasting(areas) < UNOBSERVABLE_BELOW
    }


def unknown_cases(run: Run, plan: Plan) -> dict[CaseId, str]:
    """Cases whose comparison with the truth is gone or damaged, and why; they count as observable."""
    return {case: str(areas) for case, areas in _compared(run, plan).items() if isinstance(areas, BlobError)}


def _compared(run: Run, plan: Plan) -> dict[CaseId, NDArray[np.float64] | BlobError]:
    observations = run.latest("observations", Observation)
    looker = observer_instrument(plan, OBSERVER)
    found: dict[CaseId, NDArray[np.float64] | BlobError] = {}
    for clip in current_clips(run, plan):
        seen = observations.get(observation_key(clip.video or "", clip.task_instance, looker))
        if seen is not None and seen.arrays is not None:
            found[clip.case] = _areas(run, seen.arrays)
    return found


def _areas(run: Run, blob: str) -> NDArray[np.float64] | BlobError:
    try:
        with np.load(run.blobs.path(blob)) as arrays:
            return PixelDifference.from_arrays(arrays).areas
    except BlobError as error:
        return error


def lasting(areas: NDArray[np.float64]) -> float:
    """The largest difference that two frames in a row both reach."""
    return float(np.minimum(areas[:-1], areas[1:]).max()) if len(areas) > 1 else 0.0
