"""Worlds are costly to build, so tests share them; rendering never changes a world."""

from __future__ import annotations

from functools import cache

import pytest
from world_sight import Built

from lookaway.records import WorldSpec
from lookaway.worlds import World


@cache
def shared_world(layout: str, process: str, seed: int) -> World:
    return World(WorldSpec(layout=layout, process=process, seed=seed))


@pytest.fixture(scope="session")
def built() -> Built:
    pytest.importorskip("mujoco")
    pytest.importorskip("embreex")
    return shared_world
