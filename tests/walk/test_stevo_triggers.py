"""Starts that nobody sees, from end to end: a verifier that knows the truth tells them by their effect."""

from __future__ import annotations

from pathlib import Path

import pytest

from lookaway.records import Request, Score
from lookaway.store import open_run
from tests.command import invoke

pytestmark = pytest.mark.every_world

EXPECTED = {  # set off, went on
    "truth": (1.0, 1.0),
    "frozen": (1.0, 0.0),  # the start comes late, in sight, as time stood still before
    "never-triggered": (0.0, 0.0),
}


def test_a_hidden_start_is_told_by_its_effect_after_the_return(tmp_path: Path) -> None:
    code, said = invoke(
        *("run", "--suite", "diorama-triggers", "--only", "*switch_curtain_[LR]", "--models", ",".join(EXPECTED)),
        *("--protocols", "stevo", "--judge", "verifier=oracle", "--out", str(tmp_path / "run")),
    )
    assert code == 0, said
    run = open_run(tmp_path / "run")
    scores = {(s.system, s.metric): s.value for s in run.latest("scores", Score).values() if s.variant == "sound"}
    for system, expected in EXPECTED.items():
        assert (scores[system, "action_control"], scores[system, "state_progress"]) == expected, system
        assert scores[system, "observation_control"] == 1.0
        assert scores[system, "task_success"] == min(expected)
    for request in run.latest("requests", Request).values():
        assert request.control.trigger is not None
        assert request.control.occlusion is not None
        assert request.control.trigger.start_s == 2.0
        assert (request.control.occlusion.start_s, request.control.occlusion.end_s) == (1.5, 3.0)
