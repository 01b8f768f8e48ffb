"""Promises that every registered gate keeps, run over every case of the demo run."""

from __future__ import annotations

from pathlib import Path

import pytest

from lookaway.gates import GATES, Gate
from lookaway.metrics import METRICS, Case
from lookaway.observers import OBSERVERS
from lookaway.outcomes import Abstain, Gated, NotApplicable
from lookaway.pipeline import plans
from lookaway.pipeline.score import jobs as score_jobs
from lookaway.pipeline.sheets import case_of
from lookaway.store import open_run
from tests.looking.cases import looked_at_cases
from tests.metrics.judged_cases import asked_cases
from tests.metrics.text_mask_cases import text_case

EVERY = list(GATES.all().values())


@pytest.fixture(scope="module")
def cases(demo_run: Path) -> list[Case]:
    run = open_run(demo_run)
    made = [case_of(run, job.payload.sheet) for job in score_jobs(run, plans.load(run))]
    return [*made, *looked_at_cases().values(), *asked_cases(), text_case()]


@pytest.mark.parametrize("gate", EVERY, ids=lambda gate: gate.name)
def test_a_gate_says_what_it_is_and_some_metric_stands_behind_it(gate: Gate) -> None:
    assert gate.doc
    assert set(gate.needs) <= OBSERVERS.all().keys()
    assert any(gate.name in metric.gates for metric in METRICS.all().values())


@pytest.mark.parametrize("gate", EVERY, ids=lambda gate: gate.name)
def test_a_gate_is_open_or_has_a_reason_from_what_it_needs_alone(gate: Gate, cases: list[Case]) -> None:
    """A gate sees only what it declares; one that reads more raises here."""
    able = [case for case in cases if set(gate.needs) <= case.seen.keys() and set(gate.asks) <= case.answers.keys()]
    assert able, "some case is looked at with every observer that a gate needs, and answers all that it asks"
    for case in able:
        verdict = gate(case)
        assert verdict == gate(case)
        assert verdict is None or (isinstance(verdict, Gated | Abstain | NotApplicable) and verdict.reason)
