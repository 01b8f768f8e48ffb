"""The axes of preference: a dimension each, with the margin that a preference needs and what must hold beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lookaway.analyses.dimensions import (
    CAMERA_ALIGNMENT,
    CAMERA_PRECISION,
    DIMENSIONS,
    INTEGRITY,
    SUPPORT,
    VISIBLE,
    Dimension,
)

MARGIN = 0.1  # of scores from 0 to 1; ours, fixed beforehand for all systems: the paper has such a margin and no number
SUPPORT_MARGIN = 1.0  # support is yes or no


class PreferenceAxis(NamedTuple):
    dimension: Dimension
    margin: float  # what the better clip must lead by, at least
    keeps_integrity: bool  # a lead counts only if integrity is not paid for it
    own_test: bool  # a number on this axis says by itself that the clip posed the test

    @property
    def name(self) -> str:
        return self.dimension.key


# A camera that turns further, or a subject that leaves and returns, is easily had by breaking the picture.
DISPLACEMENT = (CAMERA_PRECISION, CAMERA_ALIGNMENT, SUPPORT)
AXES = tuple(
    PreferenceAxis(
        dimension=one,
        margin=SUPPORT_MARGIN if one == SUPPORT else MARGIN,
        keeps_integrity=one in DISPLACEMENT,
        own_test=one not in (*DISPLACEMENT, INTEGRITY, *VISIBLE),
    )
    for one in DIMENSIONS
)
AXIS_NAMES = tuple(axis.name for axis in AXES)


@dataclass(frozen=True)
class PairRules:
    """What a user may choose; the rest is fixed."""

    axes: tuple[str, ...] = AXIS_NAMES
    margins: Mapping[str, float] = field(default_factory=dict)  # in place of an axis's own
    with_static: bool = False  # pairs whose rejected clip stands still, or may, are kept too
    by_people: bool = True  # pairs that people labelled come along
    most: int | None = None  # pairs of one axis and task, those of the widest margins

    def margin_of(self, axis: PreferenceAxis) -> float:
        return self.margins.get(axis.name, axis.margin)


DEFAULT_RULES = PairRules()
