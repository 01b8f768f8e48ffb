from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from world_sight import Built, mask

from lookaway.records import WorldSpec
from lookaway.worlds import World
from lookaway.worlds.colours import SUBJECT_HUES, Hue, Palette
from lookaway.worlds.room import LAYOUTS
from lookaway.worlds.world import subject_hue

HUE_DEG, LEAST_SATURATION, LEAST_VALUE = 20, 0.3, 0.15
MOST_MISTAKEN = 5e-4
MOST_ASIDE = 2e-3  # where the subject never is, a few seams between two other colours may pass


def hsv(rgb: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    return np.asarray(cv2.cvtColor(np.float32(rgb) / 255, cv2.COLOR_RGB2HSV))


def alike(rgb: npt.NDArray[np.uint8], centre_deg: float) -> npt.NDArray[np.bool_]:
    """Pixels whose colour could be taken for one of that hue."""
    hue, saturation, value = np.moveaxis(hsv(rgb), -1, 0)
    near = np.abs((hue - centre_deg + 180) % 360 - 180) < HUE_DEG
    return np.asarray(near & (saturation > LEAST_SATURATION) & (value > LEAST_VALUE))


@pytest.mark.parametrize("layout", ["parlour", "workshop", "garden"])
@pytest.mark.parametrize("process", ["ball", "filling"])
@pytest.mark.parametrize("seed", [0, 3])
def test_nothing_else_has_the_colour_of_the_subject(built: Built, layout: str, process: str, seed: int) -> None:
    world = built(layout, process, seed)
    view = world.render(world.home, 0.0)
    subject = mask(world, view, world.subject)
    hue = hsv(view.rgb)[..., 0]
    centre_deg = float(np.angle(np.exp(1j * np.deg2rad(hue[subject])).mean(), deg=True))
    found = alike(view.rgb, centre_deg)
    own = subject | mask(world, view, "stream") if process == "filling" else subject
    beside = cv2.dilate(own.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    assert found[subject].mean() > 0.8, "the subject itself must be found"
    assert (found & ~beside).mean() <= MOST_MISTAKEN


@pytest.mark.parametrize("layout", LAYOUTS.names())
@pytest.mark.parametrize("seed", range(len(SUBJECT_HUES)))
def test_no_room_has_the_colour_of_its_subject_anywhere(layout: str, seed: int) -> None:
    pytest.importorskip("mujoco")
    pytest.importorskip("embreex")
    world = World(WorldSpec(layout=layout, process="ball", seed=seed), size=(160, 90))
    centre_deg = subject_hue(world.spec).degrees
    for yaw_deg in (0, 90, 180, -90):
        rgb = world.render(world.look(yaw_deg), 0.0, frozenset({world.subject})).rgb
        assert alike(rgb, centre_deg).mean() <= (MOST_ASIDE if yaw_deg else MOST_MISTAKEN), yaw_deg


def test_six_seeds_show_six_hues() -> None:
    specs = [WorldSpec(layout="garden", process="ball", seed=seed) for seed in range(len(SUBJECT_HUES))]
    assert len({subject_hue(spec) for spec in specs}) == len(SUBJECT_HUES)


@pytest.mark.parametrize("hue", SUBJECT_HUES, ids=lambda hue: hue.word)
def test_a_palette_refuses_its_own_subject_and_keeps_greys(hue: Hue) -> None:
    palette = Palette(hue)
    assert not palette.allows(hue.code)
    assert palette.allows("#808080")
    assert palette.allowed([hue.code, "#777777"]) == ["#777777"]
    with pytest.raises(ValueError, match=hue.word):
        palette.allowed([hue.code])
