from __future__ import annotations

import hashlib
import subprocess
import sys

import numpy as np
import pytest
from world_sight import Built

from lookaway.records import WorldSpec
from lookaway.worlds import Cover, World

MOMENTS = ((0.0, 0.0), (0.0, 1.3), (20.0, 2.0))  # yaw in degrees, second

ELSEWHERE = """
import hashlib, sys
from lookaway.records import WorldSpec
from lookaway.worlds import World
layout, process, *moments = sys.argv[1:]
world = World(WorldSpec(layout=layout, process=process, seed=0))
world.render(world.look(-33), 0.7)
said = hashlib.sha256()
for moment in moments:
    yaw_deg, second = map(float, moment.split(","))
    view = world.render(world.look(yaw_deg), second)
    for array in (view.rgb, view.depth, view.instances):
        said.update(array.tobytes())
print(said.hexdigest())
"""


@pytest.mark.parametrize(("layout", "process"), [("parlour", "ball"), ("workshop", "filling"), ("parlour", "candle")])
def test_same_spec_gives_the_same_bytes_in_another_process(built: Built, layout: str, process: str) -> None:
    world = built(layout, process, 0)
    said = hashlib.sha256()
    for yaw_deg, second in MOMENTS:
        view = world.render(world.look(yaw_deg), second)
        for array in (view.rgb, view.depth, view.instances):
            said.update(array.tobytes())
    moments = [f"{yaw_deg},{second}" for yaw_deg, second in MOMENTS]
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, layout, process, *moments], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == said.hexdigest()


def test_same_spec_says_the_same_words(built: Built) -> None:
    assert built("parlour", "ball", 0).facts == World(WorldSpec(layout="parlour", process="ball", seed=0)).facts


@pytest.mark.parametrize("layout", ["parlour", "workshop"])
def test_other_seeds_give_other_rooms(built: Built, layout: str) -> None:
    pictures = [
        world.render(world.home, 0.0, frozenset({"ball"})).rgb.astype(int)
        for world in (built(layout, "ball", 0), built(layout, "ball", 3))
    ]
    assert np.abs(pictures[0] - pictures[1]).mean() > 10


def test_a_cached_pose_gives_what_a_fresh_pose_gave(built: Built) -> None:
    world = built("workshop", "ball", 0)
    pose = world.look(3.7)
    fresh = world.render(pose, 1.0).rgb
    world.render(pose, 4.0)
    world._views.clear()
    assert np.array_equal(world.render(pose, 1.0).rgb, fresh)


@pytest.mark.parametrize("cover", [Cover(), Cover("curtain", 0.5), Cover("cardboard", 1.0)], ids=lambda c: c.kind)
@pytest.mark.parametrize("process", ["ball", "filling"])
@pytest.mark.parametrize("yaw_deg", [0.0, -21.3])
def test_a_glance_sees_what_a_view_shows(built: Built, process: str, yaw_deg: float, cover: Cover) -> None:
    world = World(WorldSpec(layout="parlour", process=process, seed=0))
    shown = built("parlour", process, 0).render(world.look(yaw_deg), 1.7, cover=cover).instances
    assert np.array_equal(world.glance(world.look(yaw_deg), 1.7, cover), shown)
    world.render(world.look(yaw_deg), 0.0)
    assert np.array_equal(world.glance(world.look(yaw_deg), 1.7, cover), shown), "once the pose is known"


def test_the_camera_does_not_change_the_state(built: Built) -> None:
    world = built("parlour", "ball", 0)
    before = [world.state(time) for time in (0.0, 1.5, 6.0)]
    world.render(world.look(75), 3.0)
    world.render(world.look(-75), 0.5)
    assert [world.state(time) for time in (0.0, 1.5, 6.0)] == before
