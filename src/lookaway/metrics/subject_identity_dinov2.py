"""Is the one that came back the one that was hidden, to a learned eye?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.subject_features import SubjectFeatures
from lookaway.readings.features import least_learned_identity


@metric(
    unit="likeness",
    better="higher",
    margin=0.2,
    range=(-1, 1),
    needs=["subject_track", "subject_features"],
    gates=["subject_left", "stands_out", "subject_due"],
    phase_source="measured",
    version=1,
)
def subject_identity_dinov2(case: Case) -> Outcome:
    """Cosine of DINOv2 features of it after a look-away and its likest before, the least over them; 1 is the same.

    Where the same ends and another begins depends on the weights, so there is no verdict.
    """
    return least_learned_identity(case, case.saw(SubjectFeatures))
