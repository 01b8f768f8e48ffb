"""A closed gate walks from the score to the board with its kind."""

from __future__ import annotations

import dataclasses

import pytest

from lookaway.api import Silent
from lookaway.gates import GATES
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
    closed = dataclasses.replace(GATES.get("ever_hidden"), function=lambda case: Gated(kind, WHY))
    monkeypatch.setitem(GATES._plugins, "ever_hidden", closed)
    run_stage(STAGES["score"], own_run, plan, Options(fresh=True, only=ONLY), Silent())
    scores = own_run.latest("scores", Score).values()
    (score,) = (s for s in scores if str(s.case) == ONLY and s.metric == "came_back")
    assert (score.status, score.gate, score.value, score.reason) == ("gated", kind, None, WHY)
    board = make_board(own_run, plan)
    cell = board.cell("truth", "came_back")
    assert getattr(cell, kind) == getattr(before, kind) + 1
    assert (cell.n, cell.ok) == (before.n, before.ok - 1)
    (step,) = (s for s in board.ledger if (s.system, s.step) == ("truth", "returned"))
    assert (step.lost, step.unknown, step.skipped) == (lost, unknown, skipped)
