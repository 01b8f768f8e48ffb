from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from world_sight import Built, mask

from lookaway.worlds.colours import SUBJECT_HUES, Hue, Palette

HUE_DEG, LEAST_SATURATION, LEAST_VALUE = 20, 0.3, 0.15
MOST_MISTAKEN = 5e-4


def hsv(rgb: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    return np.asarray(cv2.cvtColor(np.float32(rgb) / 255, cv2.COLOR_RGB2HSV))


@pytest.mark.parametrize("layout", ["parlour", "workshop"])
@pytest.mark.parametrize("process", ["ball", "filling"])
@pytest.mark.parametrize("seed", [0, 3])
def test_nothing_else_has_the_colour_of_the_subject(built: Built, layout: str, process: str, seed: int) -> None:
    world = built(layout, process, seed)
    view = world.render(world.home, 0.0)
    hue, saturation, value = np.moveaxis(hsv(view.rgb), -1, 0)
    subject = mask(world, view, world.subject)
    centre = np.angle(np.exp(1j * np.deg2rad(hue[subject])).mean(), deg=True)
    alike = np.abs((hue - centre + 180) % 360 - 180) < HUE_DEG
    alike &= (saturation > LEAST_SATURATION) & (value > LEAST_VALUE)
    own = subject | mask(world, view, "stream") if process == "filling" else subject
    beside = cv2.dilate(own.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    assert alike[subject].mean() > 0.8, "the subject itself must be found"
    assert (alike & ~beside).mean() <= MOST_MISTAKEN


@pytest.mark.parametrize("hue", SUBJECT_HUES, ids=lambda hue: hue.word)
def test_a_palette_refuses_its_own_subject_and_keeps_greys(hue: Hue) -> None:
    palette = Palette(hue)
    assert not palette.allows(hue.code)
    assert palette.allows("#808080")
    assert palette.allowed([hue.code, "#777777"]) == ["#777777"]
    with pytest.raises(ValueError, match=hue.word):
        palette.allowed([hue.code])
