"""PSNR, SSIM and LPIPS against the true clip, per phase, and the drop from visible to returned (MemoBench).

`paper` and `released` are ungated, by the mapped phases of each. `sound` is asked about a return only where there is
one; `anchored` is that beside the true clip resampled phase by phase onto what the clip shows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from lookaway.geometry.phase_frames import MappingRule
from lookaway.geometry.visibility import frames_in
from lookaway.metrics import MEMORY_GATES, Better, Case, Outcome, metric
from lookaway.observers import Flags, Floats, Indices
from lookaway.observers.fidelity import AnchoredFidelity, Fidelity
from lookaway.observers.perceptual_distance import (
    AlexDistances,
    AnchoredDistances,
    PerceptualDistances,
    VggDistances,
)
from lookaway.outcomes import Abstain
from lookaway.readings.phase_frames import mapped_frames
from lookaway.records import Phase

Measure = Literal["psnr", "ssim", "lpips"]
PARTS: tuple[Phase | None, ...] = ("visible", "hidden", "returned", None)
UNITS: dict[Measure, tuple[str, Better]] = {
    "psnr": ("dB", "higher"),
    "ssim": ("similarity", "higher"),
    "lpips": ("distance", "lower"),
}


class FidelityForm(NamedTuple):
    """A variant: what it reads, which frames lie in a phase, and whether a return must be real."""

    pixels: type[Fidelity]
    features: type[PerceptualDistances]
    rule: MappingRule | None  # None: by the true frame beside it, or as the observation has it
    gated: bool


FORMS = {
    "paper": FidelityForm(Fidelity, VggDistances, "paper", gated=False),
    "released": FidelityForm(Fidelity, AlexDistances, "released", gated=False),
    "sound": FidelityForm(Fidelity, VggDistances, None, gated=True),
    "anchored": FidelityForm(AnchoredFidelity, AnchoredDistances, None, gated=True),
}


def phase_mean(case: Case, measure: Measure, phase: Phase | None, form: FidelityForm) -> float | Abstain:
    """Mean over the frames of a phase; None means every frame."""
    values = _values(case, measure, form)
    if phase is not None:
        inside = _inside(case, measure, phase, form)
        if isinstance(inside, Abstain):
            return inside
        values = values[inside]
    return float(np.mean(values)) if len(values) else Abstain(f"no frame lies in the {phase} phase")


def _values(case: Case, measure: Measure, form: FidelityForm) -> Floats:
    if measure == "lpips":
        return case.saw(form.features).distance
    seen = case.saw(form.pixels)
    return seen.psnr if measure == "psnr" else seen.ssim


def _inside(case: Case, measure: Measure, phase: Phase, form: FidelityForm) -> Flags | Indices | Abstain:
    """The frames of a phase."""
    assert case.truth is not None  # needs_truth
    seen = case.saw(form.features if measure == "lpips" else form.pixels)
    if isinstance(seen, AnchoredFidelity | AnchoredDistances):
        return np.asarray(seen.phase == PARTS.index(phase))
    if form.rule is None:
        return frames_in(seen.true_seconds, case.truth.phases, phase)
    phases = mapped_frames(case, len(seen.seconds), form.rule)
    return phases if isinstance(phases, Abstain) else phases[PARTS.index(phase)]


def _mean_in(measure: Measure, phase: Phase | None, form: FidelityForm) -> Callable[[Case], Outcome]:
    def mean(case: Case) -> Outcome:
        return phase_mean(case, measure, phase, form)

    mean.__doc__ = f"Mean {measure.upper()} against the true clip over {phase or 'all'} frames."
    return mean


def _drop(measure: Measure, form: FidelityForm) -> Callable[[Case], Outcome]:
    def drop(case: Case) -> Outcome:
        before, after = (phase_mean(case, measure, phase, form) for phase in ("visible", "returned"))
        if isinstance(before, Abstain):
            return before
        if isinstance(after, Abstain):
            return after
        return before - after if UNITS[measure][1] == "higher" else after - before

    drop.__doc__ = f"How much worse {measure.upper()} is over returned frames than over visible ones; 0 lost nothing."
    return drop


def _register(measure: Measure, variant: str, form: FidelityForm) -> None:
    unit, better = UNITS[measure]
    seen = form.features if measure == "lpips" else form.pixels
    means = {f"{measure}_{phase or 'all'}": (_mean_in(measure, phase, form), better) for phase in PARTS}
    lower: Better = "lower"
    for name, (function, best) in (means | {f"{measure}_drop": (_drop(measure, form), lower)}).items():
        after = name.endswith(("_returned", "_drop"))
        metric(
            name=name,
            variant=variant,
            unit=unit,
            better=best,
            needs=[seen.observer],
            gates=MEMORY_GATES if form.gated and after else (),
            needs_truth=("clip",),
            phase_source="measured" if variant == "anchored" else "mapped",
            version=1,
        )(function)


for _measure in UNITS:
    for _variant, _form in FORMS.items():
        _register(_measure, _variant, _form)
