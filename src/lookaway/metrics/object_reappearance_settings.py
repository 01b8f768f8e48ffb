"""The object reappearance score under other settings, and of some kinds of clips alone (MemoBench's S3, S4 and 6.5).

Each is a variant of `object_reappearance`: `cover_0.1_50` counts masks of 0.1 to 50 % of the picture, `prompt_the` asks
in other words, `size_2_10` and `turn_120_180` are about some of the clips. They stand in `memobench_sweeps`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lookaway.geometry.rotations import turn_deg
from lookaway.metrics import METRICS, Case, Outcome, another_setting
from lookaway.metrics.object_reappearance import paper
from lookaway.observers.text_masks import (
    TextMasks,
    TextMasksDetect,
    TextMasksFirstWord,
    TextMasksPhoto,
    TextMasksThe,
)
from lookaway.outcomes import Abstain, NotApplicable
from lookaway.readings.phase_frames import NO_LOOK_AWAY
from lookaway.readings.text_masks import FALLBACK, PUBLISHED, Coverage, published_reappearance
from lookaway.records import TruthPart
from lookaway.truth import Truth, true_keyframes

COVERS = ((0.01, 30), (0.03, 40), (0.05, 50), (0.05, 60), (0.05, 70), (0.1, 50), (0.1, 70), (0.2, 50))  # percent
PROMPTS: dict[str, type[TextMasks]] = {
    "the": TextMasksThe,
    "detect": TextMasksDetect,
    "photo": TextMasksPhoto,
    "first_word": TextMasksFirstWord,
}
SIZES = ((0, 2), (2, 10), (10, 100))  # percent of the true picture
TURNS = ((0, 60), (60, 120), (120, 180))  # degrees

Scored = Callable[[Case], Outcome]


class Stratum(NamedTuple):
    """Clips of which something about the truth lies from one bound up to another."""

    told: str  # what it is, with its unit
    read: Callable[[Case, Truth], float | Abstain]
    needs: TruthPart


def true_area(case: Case, truth: Truth) -> float | Abstain:
    """Percent of the true picture that the subject's mask covers, mean over the frames in which it is back."""
    keys, masks = true_keyframes(truth, case.task), truth.masks
    if keys is None or masks is None:
        return Abstain(NO_LOOK_AWAY)
    return float(100 * masks[keys.back :].mean())


def return_turn(case: Case, truth: Truth) -> float | Abstain:
    """Degrees by which the true camera is turned from its first view in the frame in which the subject is back."""
    keys, poses = true_keyframes(truth, case.task), truth.poses
    if keys is None or poses is None:
        return Abstain(NO_LOOK_AWAY)
    return float(turn_deg(poses[0, :3, :3].T @ poses[:, :3, :3])[keys.back])


STRATA = {
    "size": (SIZES, Stratum("the subject covers {:.2g} % of the true picture", true_area, "masks")),
    "turn": (TURNS, Stratum("the true camera is turned by {:.0f} degrees at the return", return_turn, "poses")),
}


def _of_cover(low: float, high: float) -> Scored:
    def covered(case: Case) -> Outcome:
        return published_reappearance(case, TextMasks, "paper", Coverage(low / 100, high / 100))

    covered.__doc__ = f"As the paper's, of masks that cover {low:g} to {high:g} % of the picture."
    return covered


def _of_prompt(kind: type[TextMasks]) -> Scored:
    def prompted(case: Case) -> Outcome:
        return published_reappearance(case, kind, "paper", PUBLISHED, FALLBACK)

    prompted.__doc__ = f"As the paper's, in other words: see the observer `{kind.observer}`."
    return prompted


def _of_stratum(stratum: Stratum, low: float, high: float) -> Scored:
    def part(case: Case) -> Outcome:
        assert case.truth is not None  # needs_truth
        value = stratum.read(case, case.truth)
        if isinstance(value, Abstain):
            return value
        inside = low <= value < high or value == high == TURNS[-1][1]
        return paper(case) if inside else NotApplicable(stratum.told.format(value))

    part.__doc__ = f"As the paper's, where {stratum.told.format(np.nan).replace('nan', f'{low} to {high}')}."
    return part


_PAPER = METRICS.get("object_reappearance:paper")

for _low, _high in COVERS:
    another_setting(_PAPER, f"cover_{_low:g}_{_high:g}", _of_cover(_low, _high))
for _form, _kind in PROMPTS.items():
    another_setting(_PAPER, f"prompt_{_form}", _of_prompt(_kind), needs=(_kind.observer,))
for _name, (_bounds, _stratum) in STRATA.items():
    _parts = tuple(dict.fromkeys((*_PAPER.needs_truth, _stratum.needs)))
    for _low, _high in _bounds:
        another_setting(_PAPER, f"{_name}_{_low}_{_high}", _of_stratum(_stratum, _low, _high), needs_truth=_parts)
