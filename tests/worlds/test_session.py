"""The world stepped like an interactive model."""

from __future__ import annotations

import numpy as np
import pytest

from lookaway.errors import UsageError
from lookaway.records import WorldSpec
from lookaway.suites.known_world import filmed
from lookaway.suites.solving import Scripts
from lookaway.worlds.session import WorldSession
from lookaway.worlds.world import World

SPEC = WorldSpec(layout="parlour", process="ball", seed=0)
SIZE = (160, 90)


@pytest.fixture(scope="module")
def opened() -> WorldSession:
    return WorldSession.open(SPEC, SIZE, fps=8)


def test_a_session_and_the_clip_of_its_script_are_identical(opened: WorldSession) -> None:
    session = opened.fork()
    steps = ["hold@0.5s", "dolly:forward:0.3+yaw:left:70@0.55s", "hold@0.4s", "yaw:right:70@0.3s"]
    frames = [session.first, *(view for step in steps for view in session.step(step))]
    take = filmed(World(SPEC, SIZE), Scripts(", ".join(steps), ""), len(frames), 8, SIZE)
    assert len(frames) == 1 + int(1.75 * 8)
    for mine, true in zip(frames, take.views, strict=True):
        assert np.array_equal(mine.rgb, true.rgb)
        assert np.array_equal(mine.depth, true.depth)
        assert np.array_equal(mine.instances, true.instances)


def test_covers_can_be_stepped_too(opened: WorldSession) -> None:
    session = opened.fork()
    steps = ["hold@0.5s", "lights:off@0.25s", "hold@0.25s", "lights:on@0.25s"]
    frames = [session.first, *(view for step in steps for view in session.step(step))]
    take = filmed(World(SPEC, SIZE), Scripts("hold@1.25s", ", ".join(steps)), len(frames), 8, SIZE)
    assert all(np.array_equal(mine.rgb, true.rgb) for mine, true in zip(frames, take.views, strict=True))
    assert frames[7].rgb.max() == 0
    assert frames[-1].rgb.max() > 0


def test_a_fork_goes_its_own_way_in_the_same_world(opened: WorldSession) -> None:
    watching = opened.fork()
    watching.step("hold@0.5s")
    away = watching.fork()
    away.step("yaw:left:80@0.5s")
    watching.step("hold@0.5s")
    back, seen = away.step("yaw:right:80@0.5s")[-1], watching.step("hold@0.5s")[-1]
    assert away.state == watching.state
    assert np.array_equal(back.rgb, seen.rgb)


def test_what_cannot_be_done_is_said(opened: WorldSession) -> None:
    session = opened.fork()
    with pytest.raises(UsageError, match="unknown move 'fly'"):
        session.step("fly:up:3@1s")
    session.step("curtain:close@0.25s")
    with pytest.raises(UsageError, match="one kind of cover"):
        session.step("lights:off@0.25s")
    assert session.frames_shown == 3, "a refused step must leave the session where it was"
    session.close()
    with pytest.raises(UsageError, match="closed"):
        session.step("hold@1s")
    assert opened.first.rgb.any(), "closing a fork must not close the others"
