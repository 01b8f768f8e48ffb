"""Counts of a suite are those of its tasks; of MemoBench's metadata they are those that its paper prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lookaway.suites.statistics import counts, suite_facts, trajectory_lines
from tests.command import call
from tests.suites import memobench_files as files


def test_turns_and_gaps_are_told_by_trajectory(tmp_path: Path) -> None:
    """Worked by hand: turns of 178 degrees; gaps of 8 and 14 frames, and of 8 and 9."""
    release = files.released(tmp_path)
    lines = {line.trajectory: line for line in trajectory_lines(suite_facts(f"memobench:{release}"))}
    turned = lines["u_turn"]
    assert (turned.split, turned.clips, turned.with_poses, turned.with_gap) == ("synthetic", 2, 2, 2)
    assert (turned.net_deg, turned.path_deg, turned.peak_deg) == pytest.approx((178, 178, 178), abs=0.01)
    assert turned.gap_frames == pytest.approx(11)
    left = lines["pan_lr"]
    assert (left.net_deg, left.path_deg, left.peak_deg) == pytest.approx((0, 120, 60), abs=0.7)  # of smoothed poses
    assert (left.gap_frames, lines["pan_rl"].gap_frames) == pytest.approx((8, 9))


def test_any_suite_can_be_counted() -> None:
    facts = json.loads(call("suite", "stats", "natural", "--json").stdout)
    by = {line["trajectory"]: line for line in facts["trajectories"]}
    assert by["yaw60_LR"]["peak_deg"] == pytest.approx(60)
    assert by["yaw60_LR"]["path_deg"] == pytest.approx(120)
    assert by["static"]["path_deg"] == 0
    assert facts["tasks"] == sum(facts["counts"]["event"].values()) == sum(line["clips"] for line in by.values())
    told = call("suite", "stats", "diorama-mini")
    assert told.returncode == 0, told.stderr
    assert "8 tasks" in told.stdout


@pytest.mark.peers
def test_the_papers_counts_recount_from_its_metadata(peer_data: Path) -> None:
    facts = suite_facts(f"memobench:{peer_data / 'memobench'}")
    assert len(facts) == 360
    found = counts(facts)
    assert found["split"] == {"synthetic": 196, "real": 164}
    assert len({one.scene for one in facts if one.split == "synthetic"}) == 14
    printed = {"pan_lr": 56, "pan_rl": 51, "tilt_ud": 57, "u_turn": 68}
    assert {kind: found["trajectory"][kind] for kind in printed} == printed
    assert all(one.trajectory for one in facts)
    assert len({one.category for one in facts if one.split == "real"}) == 7
