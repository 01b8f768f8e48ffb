from __future__ import annotations

import subprocess
import sys

import pytest

from lookaway.errors import MissingExtra
from lookaway.records import WorldSpec
from lookaway.worlds import World

CHECK = """
import sys
import lookaway.worlds
heavy = {"mujoco", "embreex", "cv2", "scipy", "lookaway.worlds.layouts.parlour"}
print(sorted(heavy & set(sys.modules)))
"""


def test_importing_worlds_imports_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", CHECK], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("missing", ["mujoco", "embreex.rtcore_scene"])
def test_a_missing_extra_is_named_when_a_world_is_built(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtra, match=r"lookaway\[worlds\]"):
        World(WorldSpec(layout="workshop", process="ball", seed=0), size=(32, 18))
