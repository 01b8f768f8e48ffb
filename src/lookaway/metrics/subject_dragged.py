"""Does the subject go along with the camera instead of staying in its world?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.subject_track import SubjectTrack
from lookaway.readings.track import dragged_share


@metric(
    unit="of the frames turned away",
    better="lower",
    margin=0.3,
    range=(0, 1),
    needs=["subject_track"],
    gates=["place_left"],
    phase_source="measured",
    version=1,
)
def subject_dragged(case: Case) -> Outcome:
    """Share of the frames turned away from the subject's first place that show it all the same; 1 it is dragged along.

    A subject that walks along with the camera by itself is seen there too, and cannot be told apart without a
    reference.
    """
    return dragged_share(case.saw(SubjectTrack))
