"""How far are the phases that are mapped from the true clip from those that the clip really has (MemoBench)?"""

from __future__ import annotations

from lookaway.metrics import WORLD, Case, Outcome, metric
from lookaway.observers import Indices
from lookaway.outcomes import Abstain
from lookaway.readings.phase_frames import mapped_frames, measured_frames, measured_seconds

FOLLOWED = ("subject_left", "stands_out")
BESIDE_THE_WORLD = ("opportunity", "ever_hidden")
MARGIN_S = 0.25


def _departure_gap(case: Case) -> Outcome:
    """Seconds between when the subject is completely gone and when the mapped phases have it gone; 0 is the same."""
    mapped = mapped_frames(case, len(measured_seconds(case)))
    return mapped if isinstance(mapped, Abstain) else _apart(case, mapped.hidden, measured_frames(case).hidden)


def _return_gap(case: Case) -> Outcome:
    """Seconds between when the subject is fully back and when the mapped phases have it back; 0 is the same."""
    mapped = mapped_frames(case, len(measured_seconds(case)))
    return mapped if isinstance(mapped, Abstain) else _apart(case, mapped.returned, measured_frames(case).returned)


def _apart(case: Case, mapped: Indices, measured: Indices) -> Outcome:
    if not len(mapped):
        return Abstain("the clip has too few frames for that phase of the true clip")
    if not len(measured):
        return Abstain("the subject was never completely gone and then fully back")
    seconds = measured_seconds(case)
    return abs(float(seconds[measured[0]] - seconds[mapped[0]]))


for _name, _gap in (("departure_gap", _departure_gap), ("return_gap", _return_gap)):
    metric(
        name=_name,
        unit="s",
        better="lower",
        margin=MARGIN_S,
        needs=["subject_track"],
        gates=FOLLOWED,
        needs_truth=("clip",),
        phase_source="measured",
        version=1,
    )(_gap)
    metric(
        name=_name,
        variant="exact",
        unit="s",
        better="lower",
        margin=MARGIN_S,
        needs=["replay"],
        gates=BESIDE_THE_WORLD,
        needs_truth=WORLD,
        phase_source="measured",
        version=1,
    )(_gap)
