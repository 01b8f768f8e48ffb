"""Did the object come back (MemoBench's object reappearance score)?"""

from __future__ import annotations

import numpy as np

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.subject_track import SubjectTrack
from lookaway.observers.text_masks import TextMasks
from lookaway.outcomes import Abstain
from lookaway.readings.phase_frames import mapped_frames
from lookaway.readings.text_masks import (
    FALLBACK,
    PUBLISHED,
    anchored_reappearance,
    published_reappearance,
)
from lookaway.readings.track import DUE_SHARE


@metric(
    unit="confidence",
    better="higher",
    margin=0.1,
    range=(0, 1),
    name="object_reappearance",
    variant="paper",
    needs=["text_masks"],
    needs_truth=("clip",),
    phase_source="mapped",
    version=1,
)
def paper(case: Case) -> Outcome:
    """Mean confidence of the surest mask of what the subject is called, over frames in which it should be back.

    0 is never found, 1 always and surely. Whatever looks like the words counts, and a still camera scores best.
    """
    return published_reappearance(case, TextMasks, "paper", PUBLISHED, FALLBACK)


@metric(
    unit="confidence",
    better="higher",
    margin=0.1,
    range=(0, 1),
    name="object_reappearance",
    variant="released",
    needs=["text_masks"],
    needs_truth=("clip",),
    phase_source="mapped",
    version=1,
)
def released(case: Case) -> Outcome:
    """The same over the frames that the release takes for the return."""
    return published_reappearance(case, TextMasks, "released", PUBLISHED, FALLBACK)


@metric(
    unit="confidence",
    better="higher",
    margin=0.1,
    range=(0, 1),
    name="object_reappearance",
    needs=["text_masks"],
    gates=["target_left"],
    needs_truth=("clip",),
    phase_source="mapped",
    version=1,
)
def sound(case: Case) -> Outcome:
    """How surely it is found again, against how surely it was found at first; of its size, and only if it left."""
    return anchored_reappearance(case)


@metric(
    unit="of the frames",
    better="higher",
    margin=0.1,
    range=(0, 1),
    name="object_reappearance",
    variant="plain",
    needs=["subject_track"],
    gates=["subject_left", "stands_out", "subject_due"],
    needs_truth=("clip",),
    phase_source="mapped",
    version=1,
)
def plain(case: Case) -> Outcome:
    """The same by its colours, without weights: the share of frames that show it again, of those in which it is due.

    Not to be compared with what words find.
    """
    seen = case.saw(SubjectTrack)
    phases = mapped_frames(case, len(seen.seconds))
    if isinstance(phases, Abstain):
        return phases
    due = seen.visible | (seen.trusted & (seen.home_in_view >= DUE_SHARE))
    frames = phases.returned[due[phases.returned]]
    if not len(frames):
        return Abstain("its first place is out of view in every frame in which it should be back")
    return float(np.mean(seen.visible[frames]))
