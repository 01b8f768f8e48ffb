"""A closed gate walks from the score to the board with its kind."""

from __future__ import annotations

import dataclasses

import pytest

from lookaway.api import Silent
from lookaway.errors import PluginChanged
from lookaway.gates import GATES
from lookaway.metrics import METRICS
from lookaway.outcomes import Gated
from lookaway.pipeline import STAGES, make_board, plans
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import GateKind, Score
from lookaway.store import Run

ONLY = "parlour0_ball_left/truth/0"
WHY = "as the test has it"


@pytest.mark.parametrize(
    ("kind", "lost", "unknown", "skipped"),
    [("avoided", {WHY: 1}, {}, 0), ("no_opportunity", {}, {}, 1), ("not_judgeable", {}, {WHY: 1}, 0)],
)
def test_a_closed_gate_is_told_apart_by_its_kind_up_to_the_ledger(
    kind: GateKind,
    lost: dict[str, int],
    unknown: dict[str, int],
    skipped: int,
    own_run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The gate before `came_back`, the ledger's step `returned`, is closed for one of two true clips."""
    plan = plans.load(own_run)
    before = make_board(own_run, plan).cell("truth", "came_back")
    closed = dataclasses.replace(GATES.get("ever_hidden"), version=2, function=lambda case: Gated(kind, WHY))
    monkeypatch.setitem(GATES._plugins, "ever_hidden", closed)
    run_stage(STAGES["score"], own_run, plan, Options(only=ONLY), Silent())
    scores = own_run.latest("scores", Score).values()
    (score,) = (s for s in scores if str(s.case) == ONLY and s.metric == "came_back")
    assert (score.status, score.gate, score.value, score.reason) == ("gated", kind, None, WHY)
    board = make_board(own_run, plan)
    cell = board.cell("truth", "came_back")
    assert getattr(cell, kind) == getattr(before, kind) + 1
    assert (cell.n, cell.ok) == (before.n, before.ok - 1)
    (step,) = (s for s in board.ledger if (s.system, s.step) == ("truth", "returned"))
    assert (step.lost, step.unknown, step.skipped) == (lost, unknown, skipped)


def test_a_gate_that_changes_without_a_new_version_stops_the_stage(
    own_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = dataclasses.replace(GATES.get("ever_hidden"), function=lambda case: None)
    monkeypatch.setitem(GATES._plugins, "ever_hidden", changed)
    with pytest.raises(PluginChanged, match="gate 'ever_hidden' is still version 1"):
        run_stage(STAGES["score"], own_run, plans.load(own_run), Options(), Silent())


def test_a_gate_of_a_new_version_scores_again_what_stands_behind_it_and_nothing_else(
    own_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    raised = dataclasses.replace(GATES.get("ever_hidden"), version=2)
    monkeypatch.setitem(GATES._plugins, "ever_hidden", raised)
    before = own_run.done("scores")
    run_stage(STAGES["score"], own_run, plans.load(own_run), Options(only=ONLY), Silent())
    scores, after = own_run.latest("scores", Score), own_run.done("scores")
    again = {f"{scores[key].metric}:{scores[key].variant}" for key in scores if after[key] != before[key]}
    planned = [METRICS.get(str(metric)) for of in plans.load(own_run).protocols for metric in of.metrics]
    assert again == {f"{metric.name}:{metric.variant}" for metric in planned if "ever_hidden" in metric.gates}
