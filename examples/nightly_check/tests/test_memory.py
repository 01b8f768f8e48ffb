"""Fails where memory got worse, is skipped while it is too early to tell. `lookaway_check` comes with lookaway."""

import os

RUNS = os.environ.get("RUNS", "runs")


def test_the_world_keeps_going(lookaway_check):
    lookaway_check(f"{RUNS}/new", against=f"{RUNS}/old", fail_if=["return_identity worsens 0.1"])
