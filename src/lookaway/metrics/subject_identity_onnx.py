"""Is the one that came back the one that was hidden, to an eye that the user brings?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.subject_features_onnx import OnnxSights
from lookaway.readings.features import least_learned_identity


@metric(
    unit="likeness",
    better="higher",
    margin=0.2,
    range=(-1, 1),
    needs=["subject_track", "subject_features_onnx"],
    gates=["subject_left", "stands_out", "subject_due"],
    phase_source="measured",
    version=1,
)
def subject_identity_onnx(case: Case) -> Outcome:
    """Cosine of a user's descriptor of it after a look-away and its likest before, the least over them; 1 is the same.

    Where the same ends and another begins depends on the descriptor, so there is no verdict.
    """
    return least_learned_identity(case, case.saw(OnnxSights))
