from __future__ import annotations

import numpy as np
import pytest
from world_sight import Built

from lookaway.errors import UnknownName
from lookaway.worlds import World, layouts
from lookaway.worlds.colours import SUBJECT_HUES, Palette
from lookaway.worlds.parts import SHELL


@pytest.mark.parametrize("layout", ["parlour", "workshop"])
@pytest.mark.parametrize("seed", range(len(SUBJECT_HUES)))
def test_furniture_keeps_inside_the_room_and_off_the_stage(layout: str, seed: int) -> None:
    room = layouts.find(layout)(np.random.default_rng(seed), Palette(SUBJECT_HUES[seed]))
    shell = np.concatenate([part.mesh.points for part in room.parts if part.name == SHELL])
    for part in room.parts:
        if part.name == SHELL:
            continue
        points = part.mesh.points
        assert (points >= shell.min(axis=0)).all(), part.name
        assert (points <= shell.max(axis=0)).all(), part.name
        x, y, z = points.T
        ahead = y - room.eye[1]
        on_stage = (np.abs(x) < 1.8) & (ahead > 1.0) & (ahead < 3.75) & (z < 2.0)
        assert not on_stage.any(), part.name


@pytest.mark.parametrize("layout", ["parlour", "workshop"])
@pytest.mark.parametrize("yaw_deg", [-75, 0, 75])
def test_every_direction_shows_things_and_texture(built: Built, layout: str, yaw_deg: float) -> None:
    world = built(layout, "ball", 0)
    view = world.render(world.look(yaw_deg), 0.0)
    assert len(np.unique(view.instances)) >= 4
    grey = view.rgb.mean(axis=2)
    patches = grey.reshape(6, 30, 8, 40).std(axis=(1, 3))
    assert np.median(patches) > 6
    assert 60 < grey.mean() < 190, "neither dark nor burnt out"


def test_a_misspelt_layout_is_told_its_neighbour() -> None:
    with pytest.raises(UnknownName, match="did you mean parlour"):
        World("parlor", "ball", 0)
