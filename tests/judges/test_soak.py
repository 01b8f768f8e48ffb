"""A few hundred calls with faults and kills; `make bench` makes thousands."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

pytest.importorskip("httpx")


def test_faults_and_kills_neither_lose_nor_double_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(__file__).parents[2] / "benchmarks" / "judging.py"
    spec = importlib.util.spec_from_file_location("judging", path)
    assert spec is not None
    assert spec.loader is not None
    judging = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "judging", judging)
    spec.loader.exec_module(judging)
    found = judging.soak(calls=300, kills=2)
    assert {name: found[name] for name in judging.MUST_BE_ZERO} == dict.fromkeys(judging.MUST_BE_ZERO, 0)
    assert found["answered"] + found["failed"] == 300
    assert found["failed"] >= 3, "the service rejects every hundredth question"
    assert found["answered"] >= 280
    assert found["faults"] > 30
    assert found["answered_to_the_dead"] <= 2 * 2 * 32
