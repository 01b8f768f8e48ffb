"""How smoothly does the picture move before and after the look-away (MemoBench)? By what optical flow leaves over.

`paper` and `released` sample the first frame where the flow leads, which doubles the motion; `sound` samples the
second one, which cancels it. All reward a picture that does not move.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lookaway.geometry.phase_frames import MappingRule, phase_pairs
from lookaway.metrics import Case, Outcome, metric
from lookaway.observers import Floats
from lookaway.observers.flow_dis import DisFlow
from lookaway.observers.flow_errors import RELEASED_STRIDE, FlowErrors
from lookaway.observers.flow_raft import RaftFlow
from lookaway.outcomes import Abstain
from lookaway.readings.phase_frames import mapped_frames

TAU = 0.15  # error at which the score falls to 1/e
TAUS = (0.05, 0.1, 0.15, 0.2, 0.3)  # of the paper's sweep
LEAST_IN_VIEW = 0.1  # of the pixels: a flow that leads out of view says nothing

Smoothness = Callable[[Case, type[FlowErrors]], Outcome]


def paper_smoothness(case: Case, kind: type[FlowErrors], tau: float = TAU) -> Outcome:
    """exp(-e / 0.15), e the mean error over pairs of the visible and returned phases, warped as printed; 1 still."""
    rows = _rows(case, kind, "paper", 1)
    return rows if isinstance(rows, Abstain) else _score(case.saw(kind).printed[np.concatenate(rows)], tau)


def _released(case: Case, kind: type[FlowErrors]) -> Outcome:
    """The mean of exp(-e / 0.15) of the visible and the returned phase, every fourth frame, warped as printed."""
    rows = _rows(case, kind, "released", RELEASED_STRIDE)
    if isinstance(rows, Abstain):
        return rows
    return float(np.mean([_score(case.saw(kind).printed[phase]) for phase in rows]))


def _sound(case: Case, kind: type[FlowErrors]) -> Outcome:
    """exp(-e / 0.15), e the mean error where the next frame, warped back, is in view; 1: flow explains everything."""
    rows = _rows(case, kind, "paper", 1)
    if isinstance(rows, Abstain):
        return rows
    seen, pairs = case.saw(kind), np.concatenate(rows)
    kept = pairs[seen.in_view[pairs] >= LEAST_IN_VIEW]
    return _score(seen.warped[kept]) if len(kept) else Abstain("the flow of every pair leads out of view")


def _score(errors: Floats, tau: float = TAU) -> float:
    return float(np.exp(-errors.mean() / tau))


def _rows(case: Case, kind: type[FlowErrors], rule: MappingRule, stride: int) -> list[np.ndarray] | Abstain:
    """Rows of the pairs of the visible and of the returned phase."""
    seen = case.saw(kind)
    phases = mapped_frames(case, len(seen.seconds), rule)
    if isinstance(phases, Abstain):
        return phases
    at = {pair: row for row, pair in enumerate(zip(seen.first.tolist(), seen.second.tolist(), strict=True))}
    rows = [
        np.array([at[pair] for pair in phase_pairs(frames, stride)], np.int64)
        for frames in (phases.visible, phases.returned)
    ]
    return rows if all(map(len, rows)) else Abstain("too few frames: the visible or the returned phase has no pair")


def _of(smoothness: Smoothness, kind: type[FlowErrors]) -> Callable[[Case], Outcome]:
    def motion_smoothness(case: Case) -> Outcome:
        return smoothness(case, kind)

    motion_smoothness.__doc__ = smoothness.__doc__
    return motion_smoothness


for _variant, _smoothness in (("paper", paper_smoothness), ("released", _released), ("sound", _sound)):
    for _kind, _name in ((RaftFlow, _variant), (DisFlow, f"{_variant}_dis")):
        metric(
            name="motion_smoothness",
            variant=_name,
            unit="smoothness",
            better="higher",
            range=(0, 1),
            needs=[_kind.observer],
            needs_truth=("clip",),
            phase_source="mapped",
            version=1,
        )(_of(_smoothness, _kind))
