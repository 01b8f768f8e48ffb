"""Two accounts of one camera: how far apart, and when nobody can say."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway.api import Silent
from lookaway.geometry.rotations import turns_apart_deg
from lookaway.geometry.script import poses_at
from lookaway.geometry.trajectory import roll_matrix
from lookaway.metrics import METRICS, Case
from lookaway.observers import pipe
from lookaway.outcomes import Abstain, Measured, NotApplicable
from lookaway.pipeline import STAGES, plans
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Score
from lookaway.store import Run
from tests.builders import LOOK_LEFT, task

SECONDS = np.arange(65) / 16


def account(
    script: str = LOOK_LEFT, trusted: Any = True, confidence: Any = 1.0, wide_deg: float = 0.0
) -> dict[str, np.ndarray]:
    return {
        "seconds": SECONDS,
        "rotation": poses_at(script, SECONDS)[:, :3, :3],
        "trusted": np.broadcast_to(trusted, SECONDS.shape),
        "confidence": np.broadcast_to(confidence, SECONDS.shape),
        "translation": np.zeros((len(SECONDS), 3)),
        "half_width_deg": np.broadcast_to(np.float64(wide_deg), (len(SECONDS), 2)),
        "hfov_deg": np.full(3, 60.0),
        "contradicting_hfov_deg": np.array(np.nan),
    }


def disagreement(**seen: dict[str, np.ndarray]) -> Any:
    made = METRICS.get("camera_disagreement:sound").function(Case(task(), None, seen, {}))
    return made.value if isinstance(made, Measured) else made


WIDER = LOOK_LEFT.replace("75", "85")


def test_a_wrong_field_of_view_shows_where_the_turn_is_largest() -> None:
    assert disagreement(classical=account(), vggt=account()) == pytest.approx(0, abs=1e-9)
    assert disagreement(classical=account(), vggt=account(WIDER)) == pytest.approx(10)
    assert (
        np.median(turns_apart_deg(account()["rotation"], account(WIDER)["rotation"])) < 1e-9
    )  # at rest most of the time


def test_axes_are_nobodys_fault() -> None:
    turned = account()
    turned["rotation"] = roll_matrix(30) @ turned["rotation"]
    assert disagreement(classical=account(), colmap=turned) == pytest.approx(0, abs=1e-9)


def test_the_pair_furthest_apart_counts() -> None:
    three = disagreement(classical=account(), vggt=account(), mapanything=account(WIDER))
    assert three == pytest.approx(10)


def test_what_either_is_unsure_of_is_left_out() -> None:
    peak = (SECONDS > 0.9) & (SECONDS < 3.1)
    assert isinstance(disagreement(classical=account(trusted=~peak), vggt=account(WIDER)), Abstain)
    shifted = disagreement(classical=account(), vggt=account(WIDER, confidence=np.where(peak, 0.3, 1.0)))
    assert isinstance(shifted, Abstain)
    assert "classical and vggt are sure of the camera in only 46% of the frames" in shifted.reason
    assert disagreement(classical=account(confidence=0.1), vggt=account(WIDER)) == pytest.approx(10)  # no pure turn
    brief = np.abs(SECONDS - 2) < 0.1
    assert disagreement(classical=account(trusted=~brief), vggt=account(WIDER)) == pytest.approx(10)


def test_what_an_account_allows_bounds_the_disagreement() -> None:
    seen = {"classical": account(wide_deg=3.0), "vggt": account(WIDER)}
    found = METRICS.get("camera_disagreement:sound").function(Case(task(), None, seen, {}))
    assert isinstance(found, Measured)
    assert (found.low, found.value, found.high) == pytest.approx((7, 10, 13))


def test_one_account_has_nothing_to_disagree_with() -> None:
    assert isinstance(disagreement(classical=account()), NotApplicable)
    assert isinstance(disagreement(), NotApplicable)


STILL = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    rest = [[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 1.0, 0]]
    print(json.dumps({"clip": asked["clip"], **(ANSWER)}), flush=True)
"""


def test_a_protocol_chooses_who_is_compared(own_run: Run, tmp_path: Path) -> None:
    """VGGT is played by a program that sees no camera motion, COLMAP by one that abstains."""
    answers = {"vggt": "{'poses': [rest] * len(asked['files'])}", "colmap": "{'abstain': 'no parallax'}"}
    settings = {}
    for name, answer in answers.items():
        (tmp_path / f"{name}.py").write_text(STILL.replace("ANSWER", answer))
        settings[f"{name}.command"] = f"{sys.executable} {tmp_path / name}.py"
    for name, others in {"alone": [], "with-vggt": ["vggt"], "with-colmap": ["colmap"]}.items():
        (tmp_path / f"{name}.toml").write_text(
            'summary = "Do they agree?"\nmetrics = ["camera_disagreement"]\nheadline = ["camera_disagreement"]\n'
            f"observers = {['classical', *others]}\n".replace("'", '"')
        )
    chosen = [str(tmp_path / f"{name}.toml") for name in ("alone", "with-vggt", "with-colmap")]
    plan = plans.extend(own_run, "diorama-mini", chosen=chosen, settings=settings)
    few = Options(only="parlour0_ball_left/[ts]*")  # truth and static-camera
    for stage in ("observe", "score"):
        run_stage(STAGES[stage], own_run, plan, few, Silent())
    pipe.end_all()
    scores = [s for s in own_run.latest("scores", Score).values() if s.metric == "camera_disagreement"]
    by = {(s.protocol, s.system): s for s in scores}
    assert by["with-vggt", "truth"].value > 30
    assert by["with-vggt", "static-camera"].value < 1
    assert by["with-vggt", "truth"].instrument.startswith("classical@4+vggt@3(command=<")
    assert len(by["with-vggt", "truth"].evidence) == 2
    colmap = by["with-colmap", "truth"]
    assert (colmap.status, colmap.reason) == ("abstained", "colmap: no parallax")
    assert by["alone", "truth"].status == "not_applicable"
    again = run_stage(STAGES["score"], own_run, plan, few, Silent())
    assert again.outcomes == ()
