"""A system beside a reference on the same tasks: does their difference move less with the draw than the value does?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookaway.outcomes import Abstain
from lookaway.stats.bootstrap_t import Floats

FEWEST_SCENES = 3


class Anchoring(NamedTuple):
    """Means over scenes and their standard errors, as they are and against the anchor."""

    raw: float
    raw_error: float
    difference: float  # mean of value minus anchor
    difference_error: float
    correlation: float  # of value and anchor over scenes; 0 where one of them never varies
    scenes: int

    @property
    def narrows(self) -> bool:
        """Whether another draw of scenes moves the difference less than the value itself.

        With equal spreads that takes a correlation above one half: Var(x - y) = Var(x) + Var(y) - 2 Cov(x, y).
        """
        return self.difference_error < self.raw_error


def anchoring(values: Floats, anchors: Floats, scenes: NDArray[Any]) -> Anchoring | Abstain:
    """Of values and anchors on the same tasks, one entry each; scenes are the independent samples."""
    names, place = np.unique(scenes, return_inverse=True)
    if len(names) < FEWEST_SCENES:
        return Abstain(f"{len(names)} scenes in common; an anchor needs {FEWEST_SCENES}")
    counts = np.bincount(place)
    own, other = np.bincount(place, values) / counts, np.bincount(place, anchors) / counts
    both_vary = own.std() > 0 and other.std() > 0
    return Anchoring(
        raw=float(own.mean()),
        raw_error=_error(own),
        difference=float((own - other).mean()),
        difference_error=_error(own - other),
        correlation=float(np.corrcoef(own, other)[0, 1]) if both_vary else 0.0,
        scenes=len(names),
    )


def _error(of_scenes: Floats) -> float:
    return float(of_scenes.std(ddof=1) / np.sqrt(len(of_scenes)))
