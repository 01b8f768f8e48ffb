"""Verdicts of StEvo-Bench's verifiers, each 1 where it speaks for the video and 0 where it speaks against it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from lookaway.outcomes import Abstain
from lookaway.readings import Case

# By verifier: the ask, and whether a yes speaks for the video. Of each variant the ask is `name:variant`.
VERIFIERS: Mapping[str, tuple[str, bool]] = MappingProxyType(
    {
        "observation": ("hidden", True),
        "action": ("started", True),
        "progress": ("progress", True),
        "physics": ("plausible", False),
        "coherence": ("coherent", False),
    }
)
Verdict = float | Abstain  # 1 for the video, 0 against it, or why neither

CONTROL = ("observation", "action")
EVOLUTION = ("progress", "physics", "coherence")


def ask_of(verifier: str, variant: str) -> str:
    """Name of what a verifier is asked."""
    return f"{VERIFIERS[verifier][0]}:{variant}"


def said_for(case: Case, ask: str, speaks_for: bool = True) -> Verdict:
    """1 or 0, or why the judges gave no verdict."""
    answer = case.said(ask)
    if answer.status != "ok" or answer.choice not in ("yes", "no"):
        return Abstain(f"{ask}: {answer.reason or answer.status}")
    return float((answer.choice == "yes") == speaks_for)


def all_hold(case: Case, parts: Iterable[tuple[str, str]]) -> Verdict:
    """1 where every verdict of these verifiers, by variant, is for the video; 0 where one is against it, whatever the
    others say."""
    return every_verdict(
        said_for(case, ask_of(verifier, variant), VERIFIERS[verifier][1]) for verifier, variant in parts
    )


def every_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """1 where all are for the video; one against it decides, and one missing leaves the video unknown.

    [1, 1] -> 1, [1, 0, unknown] -> 0, [1, unknown] -> unknown
    """
    found = list(verdicts)
    if 0.0 in found:
        return 0.0
    return next((each for each in found if isinstance(each, Abstain)), 1.0)
