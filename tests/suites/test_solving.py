"""How far a look-away must go."""

from __future__ import annotations

import numpy as np

from lookaway.geometry.script import poses_at
from lookaway.records import WorldSpec
from lookaway.suites import look_aways
from lookaway.suites.solving import exit_angle, observed_scripts
from lookaway.worlds import World, covers_at
from lookaway.worlds.covers import OPEN

WORLD = World(WorldSpec(layout="parlour", process="filling", seed=2), (160, 90))


def pixels_out(angle: float) -> float:
    """Share of the subject's pixels that a turn to the left takes out of view."""
    turned = WORLD.home @ poses_at(f"yaw:left:{angle:g}@1s", np.array([1.0]), WORLD.pitch_deg)[0]
    before, after = (WORLD.subject_mask(WORLD.glance(pose, 2.0)).sum() for pose in (WORLD.home, turned))
    return float(1 - after / before)


def test_nine_tenths_out_takes_a_smaller_turn_than_all_out() -> None:
    look = look_aways.find("yaw-left")
    most, whole = (exit_angle(WORLD, look, look.timing, "left", share) for share in (0.9, 1.0))
    assert most < whole
    assert pixels_out(most) >= 0.9
    assert pixels_out(whole) == 1.0
    assert pixels_out(most - 6) < 0.9, "a much smaller turn would have done"


def test_an_observed_cover_comes_into_view_and_hides_nothing() -> None:
    look = look_aways.find("curtain")
    scripts = observed_scripts(WORLD, look, look.timing, "left")
    (cover,) = covers_at(scripts.cover, np.array([2.0]))
    names = {WORLD.instances[number] for number in np.unique(WORLD.glance(WORLD.home, 2.0, cover))}
    assert "curtain" in names
    covered, free = (WORLD.subject_mask(WORLD.glance(WORLD.home, 2.0, c)).sum() for c in (cover, OPEN))
    assert covered == free
