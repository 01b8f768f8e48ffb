"""A run that several arguments name is read once."""

from __future__ import annotations

from pathlib import Path

import pytest

from lookaway.pipeline import arms


def test_two_systems_of_one_run_share_its_reading(small_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    true_reading = arms.read_run

    def counted(place: Path, name: str = "") -> arms.ComparedRun:
        read.append(place)
        return true_reading(place, name)

    monkeypatch.setattr(arms, "read_run", counted)
    first, second = arms.named_parts([f"{small_run}:held-first-frame", str(small_run)])
    assert read == [small_run]
    assert first[0].run is second[0].run
