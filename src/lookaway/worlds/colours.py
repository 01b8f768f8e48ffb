"""Colours of a scene: one saturated hue belongs to the subject, everything else stays off it."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.worlds.arrays import Floats

RGB = tuple[float, float, float]

HUE_MARGIN_DEG = 32.0
NEARLY_GREY = 0.16


def srgb(code: str) -> Floats:
    """'#rrggbb' as display values from 0 to 1."""
    return np.array([int(code[start : start + 2], 16) / 255 for start in (1, 3, 5)], np.float32)


def linear(code: str) -> RGB:
    """'#rrggbb' as linear light."""
    red, green, blue = (float(value) ** 2.2 for value in srgb(code))
    return red, green, blue


@dataclass(frozen=True)
class Hue:
    """A colour a subject can have."""

    word: str
    code: str

    @property
    def degrees(self) -> float:
        return hue_deg(self.code)


SUBJECT_HUES = (
    Hue("red", "#d40f3a"),
    Hue("green", "#18a83c"),
    Hue("blue", "#1a56dc"),
    Hue("pink", "#e81e96"),
    Hue("turquoise", "#0cb4ae"),
    Hue("purple", "#7a26cc"),
)


def hue_deg(code: str) -> float:
    """Hue angle of a display colour."""
    red, green, blue = map(float, srgb(code))
    return colorsys.rgb_to_hsv(red, green, blue)[0] * 360


def saturation(code: str) -> float:
    """HSV saturation of a display colour."""
    red, green, blue = map(float, srgb(code))
    return colorsys.rgb_to_hsv(red, green, blue)[1]


@dataclass(frozen=True)
class Palette:
    """The subject's hue, and the right to choose any colour that cannot be mistaken for it."""

    subject: Hue

    def allows(self, code: str) -> bool:
        """True for greys and for hues well away from the subject's."""
        apart = abs((hue_deg(code) - self.subject.degrees + 180) % 360 - 180)
        return apart >= HUE_MARGIN_DEG or saturation(code) <= NEARLY_GREY

    def allowed(self, codes: Sequence[str]) -> list[str]:
        """Those of the codes that keep off the subject's hue; at least one must."""
        kept = [code for code in codes if self.allows(code)]
        if not kept:
            raise ValueError(f"every colour of {list(codes)} looks like the {self.subject.word} subject")
        return kept

    def choose(self, rng: np.random.Generator, codes: Sequence[str]) -> str:
        """One of the allowed codes."""
        kept = self.allowed(codes)
        return kept[int(rng.integers(len(kept)))]
