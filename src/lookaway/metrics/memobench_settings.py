"""Identity, smoothness and depth consistency under the other settings of MemoBench's Table S7.

Each is a variant that is called by what was set: `top_0.2` of `object_identity`, `tau_0.05` of `motion_smoothness`
(`tau_0.05_dis` by flow without weights), `sample_2` of `geometric_consistency`. They stand in `memobench_sweeps`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from lookaway.metrics import METRICS, Case, Outcome, another_setting
from lookaway.metrics.geometric_consistency import SAMPLE_COUNTS, consistency
from lookaway.metrics.motion_smoothness import TAUS, paper_smoothness
from lookaway.metrics.object_identity import TOP_SHARES, identity
from lookaway.observers.flow_dis import DisFlow
from lookaway.observers.flow_raft import RaftFlow
from lookaway.observers.phase_depths import PhaseDepths
from lookaway.observers.returned_patches import ReturnedPatches


def _identity(share: float, case: Case) -> Outcome:
    return identity(case.saw(ReturnedPatches).same_place, share)


def _consistency(samples: int, case: Case) -> Outcome:
    return consistency(case.saw(PhaseDepths), samples)


def _register(default: str, variant: str, score: Callable[[Case], Outcome], what: str) -> None:
    paper = METRICS.get(default)

    def scored(case: Case) -> Outcome:
        return score(case)

    scored.__doc__ = f"As `{paper.variant}`, {what}."
    another_setting(paper, variant, scored)


for _share in TOP_SHARES:
    _told = f"of the top {100 * _share:g} % of patches"
    _register("object_identity:paper", f"top_{_share:g}", partial(_identity, _share), _told)
for _tau in TAUS:
    for _kind, _by in ((RaftFlow, ""), (DisFlow, "_dis")):
        _score = partial(paper_smoothness, kind=_kind, tau=_tau)
        _register(f"motion_smoothness:paper{_by}", f"tau_{_tau:g}{_by}", _score, f"exp(-e / {_tau:g})")
for _count in SAMPLE_COUNTS:
    _told = f"of {_count} frames of each phase"
    _register("geometric_consistency:paper", f"sample_{_count}", partial(_consistency, _count), _told)
