"""MemoBench's protocols walk without any weights: what learned metrics lack is said, and the rest is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from lookaway.api import Silent
from lookaway.metrics import METRICS
from lookaway.pipeline import STAGES, plans
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Observation, Score
from lookaway.store import Run

ONE = Options(only="parlour0_ball_left/truth/0")
HOW_TO = ("lookaway weights get", "pip install 'lookaway[torch]'", "install it where this worker runs")


@pytest.mark.parametrize("protocol", ["memobench", "memobench_paper", "memobench_released"])
def test_a_run_without_weights_says_what_to_get_and_measures_the_rest(
    protocol: str, own_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOKAWAY_WEIGHTS", str(tmp_path / "weights"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    plan = plans.amend(own_run, chosen=[protocol])
    for stage in ("observe", "score"):
        assert run_stage(STAGES[stage], own_run, plan, ONE, Silent()).failures == []
    unverified = {name for metric in METRICS.all().values() for name in metric.unverified}
    looked = [o for o in own_run.latest("observations", Observation).values() if o.observer in unverified]
    assert looked
    assert all(o.status == "abstained" for o in looked)
    assert all(any(line in o.reason for line in HOW_TO) for o in looked), [o.reason for o in looked]
    scores = [s for s in own_run.latest("scores", Score).values() if s.protocol == protocol]
    assert {s.status for s in scores if METRICS.get(f"{s.metric}:{s.variant}").unverified} <= {"abstained", "gated"}
    assert any(s.metric == "psnr_all" and s.value is not None for s in scores)
