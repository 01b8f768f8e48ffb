"""Is what comes back what was there at first, by the patches that resemble it most (MemoBench)?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lookaway.metrics import WORLD, Case, Outcome, metric
from lookaway.observers.returned_patches import ReturnedPatches, ReturnedPatchesReleased
from lookaway.observers.subject_patches import SubjectPatches
from lookaway.observers.target_patches import TargetPatches
from lookaway.outcomes import Abstain

TOP_SHARE = 0.4
TYPICAL = 0.7  # weight of the typical patch; the rest is that of the weakest
TOP_SHARES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8)  # of the paper's sweep

Cosines = NDArray[np.float32]


@metric(
    unit="cosine",
    better="higher",
    range=(-1, 1),
    variant="paper",
    needs=["returned_patches"],
    phase_source="mapped",
    version=1,
)
def object_identity(case: Case) -> Outcome:
    """0.7 of the mean and 0.3 of the lowest cosine among the top 40 % of patches of returned frames; 1 is the same.

    Each patch is compared with the one at its place in the clip's own first frame: that reading of the paper is
    inferred. A camera that never moves scores high: read it beside `camera_inactivity`.
    """
    return identity(case.saw(ReturnedPatches).same_place)


@metric(
    name="object_identity",
    unit="cosine",
    better="higher",
    range=(-1, 1),
    variant="released",
    needs=["returned_patches_released"],
    phase_source="mapped",
    version=1,
)
def released(case: Case) -> Outcome:
    """The same of the middle of the picture, phases by the release's rule; a camera that never moves scores high."""
    return identity(case.saw(ReturnedPatchesReleased).same_place)


@metric(
    name="object_identity",
    unit="cosine",
    better="higher",
    range=(-1, 1),
    variant="sound",
    needs=["subject_track", "subject_patches"],
    gates=["subject_left", "stands_out", "subject_due"],
    phase_source="measured",
    version=1,
)
def sound(case: Case) -> Outcome:
    """The same of the patches that show the subject after its return, each beside its likest in the first frame.

    Only of clips in which it really left: one whose camera never moves is not measured.
    """
    return _of_the_subject(case.saw(SubjectPatches))


@metric(
    name="object_identity",
    unit="cosine",
    better="higher",
    range=(-1, 1),
    variant="exact",
    needs=["replay", "target_patches"],
    gates=["opportunity", "ever_hidden", "came_back"],
    needs_truth=WORLD,
    phase_source="mapped",
    version=1,
)
def exact(case: Case) -> Outcome:
    """The same of the patches inside the known world's mask: of whatever stands where the subject must be.

    What is gone or elsewhere is compared too and scores low, where `sound` says that it was not found.
    """
    return _of_the_subject(case.saw(TargetPatches))


def _of_the_subject(seen: SubjectPatches) -> float | Abstain:
    return identity([cosines[shown] for cosines, shown in zip(seen.best_match, seen.shows_it, strict=True)])


def identity(frames: Sequence[Cosines] | Cosines, top_share: float = TOP_SHARE) -> float | Abstain:
    """Of the cosines of each frame's patches.

    >>> round(identity([np.array([1.0, 0.5, 0.1, 0.0, 0.0])]), 3)  # the top two: mean 0.75, lowest 0.5
    0.675
    """
    tops = [top_cosines(frame, top_share) for frame in frames if len(frame)]
    if not tops:
        return Abstain("no patch of a returned frame shows it")
    typical, weakest = np.mean([top.mean() for top in tops]), min(top.min() for top in tops)
    return float(TYPICAL * typical + (1 - TYPICAL) * weakest)


def top_cosines(cosines: Cosines, share: float) -> NDArray[np.float64]:
    """The highest ones, that share of all, one at least: 40 % of 256 are 102."""
    count = max(1, int(share * len(cosines)))
    return np.sort(cosines.astype(np.float64))[-count:]
