"""A few rounds of the kill -9 soak; `make bench` runs a hundred."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

pytest.importorskip("psutil")


def test_a_killed_stage_ends_as_if_it_had_never_been_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(__file__).parents[2] / "benchmarks" / "kill.py"
    spec = importlib.util.spec_from_file_location("kill", path)
    assert spec is not None
    assert spec.loader is not None
    kill = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "kill", kill)
    spec.loader.exec_module(kill)
    found = kill.measure(rounds=5)
    assert found["kills"] == 5
    assert found["acknowledged"] > 0
    assert {name: found[name] for name in kill.MUST_BE_ZERO} == dict.fromkeys(kill.MUST_BE_ZERO, 0)
