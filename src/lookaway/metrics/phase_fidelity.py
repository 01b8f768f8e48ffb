"""PSNR and SSIM against the true clip, per phase, and the drop from visible to returned (MemoBench)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from lookaway.geometry.visibility import frames_in
from lookaway.metrics import MEMORY_GATES, Case, Outcome, metric
from lookaway.observers.fidelity import Fidelity
from lookaway.outcomes import Abstain
from lookaway.records import Phase

Measure = Literal["psnr", "ssim"]


def phase_mean(case: Case, measure: Measure, phase: Phase | None) -> float | Abstain:
    """Mean over the frames whose true counterpart lies in the phase; None means every frame."""
    assert case.truth is not None  # needs_truth
    seen = case.saw(Fidelity)
    values = seen.psnr if measure == "psnr" else seen.ssim
    if phase is not None:
        values = values[frames_in(seen.true_seconds, case.truth.phases, phase)]
    return float(np.mean(values)) if len(values) else Abstain(f"the true clip has no {phase} phase")


def _mean_in(measure: Measure, phase: Phase | None) -> Callable[[Case], Outcome]:
    def mean(case: Case) -> Outcome:
        return phase_mean(case, measure, phase)

    mean.__doc__ = f"Mean {measure.upper()} against the true clip over {phase or 'all'} frames."
    return mean


def _drop(measure: Measure) -> Callable[[Case], Outcome]:
    def drop(case: Case) -> Outcome:
        before, after = phase_mean(case, measure, "visible"), phase_mean(case, measure, "returned")
        if isinstance(before, Abstain):
            return before
        return after if isinstance(after, Abstain) else before - after

    drop.__doc__ = f"{measure.upper()} over visible frames minus {measure.upper()} over returned ones; 0 lost nothing."
    return drop


UNITS: dict[Measure, str] = {"psnr": "dB", "ssim": "similarity"}
PARTS: tuple[Phase | None, ...] = ("visible", "hidden", "returned", None)

for _measure, _unit in UNITS.items():
    for _phase in PARTS:
        metric(
            name=f"{_measure}_{_phase or 'all'}",
            unit=_unit,
            better="higher",
            variant="paper",
            needs=["fidelity"],
            gates=MEMORY_GATES if _phase == "returned" else (),
            needs_truth=("clip",),
            phase_source="mapped",
            version=1,
        )(_mean_in(_measure, _phase))
    metric(
        name=f"{_measure}_drop",
        unit=_unit,
        better="lower",
        variant="paper",
        needs=["fidelity"],
        gates=MEMORY_GATES,
        needs_truth=("clip",),
        phase_source="mapped",
        version=1,
    )(_drop(_measure))
