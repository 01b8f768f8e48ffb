"""The official release of WRBench, as far as it is here: its design is whole, and its videos' names are tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from lookaway.suites.releases import read_release

pytestmark = pytest.mark.peers


def test_the_design_is_whole_and_its_flaw_is_named(peer_data: Path) -> None:
    folder = peer_data / "wrbench"
    release = read_release("wrbench", folder)
    assert release.report[0].startswith("25 families in 19 venues, 400 variants")
    assert "400 of 400 variants of the design are there" in release.report
    assert "100 of 100 events of scene_events_25x4.csv are told alike in variants.jsonl" in release.report
    assert "25 of 25 state_only events say what does not happen: judges may misread them" in release.report
    pictures = len(list((folder / "first_frames").glob("*.png")))
    assert len(release.rows) == pictures * 4 * 5
    assert sum(line.startswith("no picture of ") for line in release.report) == 25 - pictures
