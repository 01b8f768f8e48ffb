"""Gates are plugins that say what they need; a metric looks with all that its gates need."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lookaway.errors import ReadingError, UnknownName
from lookaway.gates import GATES, Gate, gate
from lookaway.metrics import METRICS, Metric, metric
from lookaway.outcomes import Abstain, Gated
from lookaway.pipeline.plans import planned_observers
from lookaway.readings import Case
from lookaway.readings.subject import subject_phases
from lookaway.readings.view import away_from_home
from lookaway.records import Plan, Protocol
from tests.builders import task


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a test registers is forgotten after it."""
    for registry in (GATES, METRICS):
        registry.all()
        monkeypatch.setattr(registry, "_plugins", dict(registry._plugins))


def nothing(case: Case) -> float:
    """Measures nothing."""
    return 0.0


def measured(**facts: object) -> Metric:
    metric(unit="rate", better="higher", version=1, name="nothing", **facts)(nothing)  # type: ignore[arg-type]
    return METRICS.get("nothing:sound")


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    ("facts", "observers"),
    [
        ({"gates": ["turned_away"]}, ("view",)),
        ({"needs": ["fidelity"], "gates": ["turned_away", "view_returned"]}, ("fidelity", "view")),
        ({"needs": ["view", "subject"], "gates": ["opportunity", "turned_away"]}, ("view", "subject")),
        ({"needs": ["fidelity"], "gates": ["left_view", "turned_away"]}, ("fidelity", "replay", "view")),
        ({"reads": ["vggt"], "needs": ["fidelity"], "gates": ["camera_active"]}, ("fidelity", "classical", "vggt")),
        ({"reads": ["view"], "gates": ["turned_away"]}, ("view",)),
    ],
)
def test_a_metric_looks_with_its_own_observers_then_its_gates_then_those_it_reads(
    facts: dict[str, object], observers: tuple[str, ...]
) -> None:
    made = measured(**facts)
    assert made.looks_with(("vggt", "view")) == observers
    assert made.looks_with(()) == made.observers == tuple(name for name in observers if name != "vggt")


@pytest.mark.usefixtures("registered")
def test_a_plan_looks_with_all_that_its_gates_need() -> None:
    measured(needs=["fidelity"], gates=["left_view"])
    protocol = Protocol(name="p", summary="", metrics=("nothing:sound",), headline=())
    assert planned_observers(Plan(suite="s", suite_version="1", systems=(), protocols=(protocol,))) == [
        "fidelity",
        "replay",
    ]


@pytest.mark.usefixtures("registered")
def test_a_metric_behind_a_gate_that_does_not_exist_is_refused_when_it_is_loaded() -> None:
    with pytest.raises(UnknownName, match="no gate named 'turned_awy'; did you mean turned_away"):
        measured(gates=["turned_awy"])
    assert "nothing:sound" not in METRICS.all()


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("read", [away_from_home, subject_phases])
def test_a_gate_reads_only_what_it_says_it_needs(read: Callable[[Case], object]) -> None:
    @gate(version=1)
    def greedy(case: Case) -> Gated | None:
        """Open, if it could look."""
        read(case)
        return None

    seen = {"view": {"seconds": np.zeros(1)}, "subject": {"seconds": np.zeros(1)}}
    with pytest.raises(ReadingError, match=r"nothing that '(view|subject)' saw is here"):
        GATES.get("greedy")(Case(task(), None, seen, {}))


@pytest.mark.usefixtures("registered")
def test_a_gate_is_registered_with_all_that_it_says() -> None:
    @gate(version=3, needs=["view"], asks=["posed"])
    def often_open(case: Case) -> Abstain | None:
        """Open, unless nobody knows."""
        return Abstain("nobody knows") if case.round > 1 else None

    assert GATES.get("often_open") == Gate(
        "often_open", 3, often_open, ("view",), ("posed",), "Open, unless nobody knows."
    )
    assert GATES.get("often_open")(Case(task(), None, {}, {})) is None
    assert GATES.get("often_open")(Case(task(), None, {}, {}, round=2)) == Abstain("nobody knows")
