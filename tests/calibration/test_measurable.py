"""Which metrics a calibration measures, as which protocols ask them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lookaway.calibration.measurable import not_measured, planned_protocols
from lookaway.calibration.observable import OBSERVER
from lookaway.errors import UsageError
from lookaway.metrics import METRICS, metric
from lookaway.pipeline.planned import planned_scores
from lookaway.records import Plan, PlannedJudge, Protocol
from tests.walk import toy

TOY = str(toy.PROTOCOL)


@pytest.fixture(autouse=True)
def toy_metrics() -> Iterator[None]:
    with toy.installed():
        yield


def plan(*protocols: Protocol, judges: tuple[str, ...] = ("oracle",)) -> Plan:
    planned = tuple(map(PlannedJudge.parse, judges))
    return Plan(suite="s", suite_version="1", protocols=protocols, judges=planned)


def test_a_chosen_protocol_is_measured_as_it_asks_and_nothing_else_is() -> None:
    (made,) = planned_protocols([TOY], None, judged=True)
    assert list(map(str, made.metrics)) == ["toy_support:sound", "toy_place:sound", "toy_progress:sound"]
    assert made.asks["judgeable"].frames == "uniform:10"
    assert made.roles["gate"].differs_from == ("scorer",)
    assert [step.name for step in made.ledger] == ["judgeable", "right place"]
    assert OBSERVER in made.observers
    reasons = not_measured(plan(made))
    assert set(reasons) == set(METRICS.all()) - set(map(str, made.metrics))
    assert reasons["question_accuracy:sound"] == "not part of this run"


def test_named_metrics_narrow_a_protocol_and_its_ledger() -> None:
    (made,) = planned_protocols([TOY], ["toy_place"], judged=True)
    assert (str(made.metrics[0]), str(made.headline[0]), made.ledger) == ("toy_place:sound", "toy_place:sound", ())
    assert Protocol.model_validate(made.model_dump()) == made, "as it is read from a run folder"
    with pytest.raises(UsageError, match="'question_accuracy:sound' is in none of the protocols: toy"):
        planned_protocols([TOY], ["question_accuracy"], judged=True)


def test_without_a_protocol_a_metric_that_asks_something_says_that_none_asks_it() -> None:
    made = planned_protocols([], None, judged=True)
    assert not any("toy" in str(ref) for protocol in made for ref in protocol.metrics)
    reasons = not_measured(plan(*made))
    assert reasons["toy_place:sound"] == "no protocol here asks 'judgeable' for it; give one with --protocols"
    assert "question_accuracy:sound" not in reasons


def test_a_metric_that_asks_a_prompt_of_ours_by_its_name_needs_no_protocol() -> None:
    def toy_plain(case: object) -> float:
        """Asks a question of the task."""
        return 1.0

    metric(unit="share", better="higher", version=1, asks=["question"])(toy_plain)
    (own, *_) = planned_protocols([], None, judged=True)
    assert "toy_plain:sound" in map(str, own.metrics)
    assert own.asks["question"].prompt.startswith("question@")


def test_a_role_that_no_judge_fills_is_the_reason() -> None:
    (made,) = planned_protocols([TOY], None, judged=True)
    reasons = not_measured(plan(made, judges=("gate=oracle",)))
    assert reasons["toy_place:sound"] == "needs a judge; give one with --judge JUDGE"
    assert reasons["toy_progress:sound"] == "needs a judge as verifier; give one with --judge verifier=JUDGE"
    assert "toy_support:sound" not in reasons


def test_protocols_that_mean_different_things_by_one_name_stay_apart(tmp_path: Path) -> None:
    asks = toy.PROTOCOL.read_text().partition("[asks.judgeable]")[2].partition("[asks.place_right]")[0]
    head = 'summary = "s"\nmetrics = ["toy_support"]\nheadline = ["toy_support"]\n[asks.judgeable]'
    (tmp_path / "more.toml").write_text(head + asks.replace("uniform:10", "uniform:20"))
    (tmp_path / "same.toml").write_text(head + asks)
    made = planned_protocols([TOY, str(tmp_path / "more.toml"), str(tmp_path / "same.toml")], None, judged=True)
    readings = [reading for reading in planned_scores(plan(*made)) if reading.metric == "toy_support:sound"]
    ten, twenty, again = (reading.ask_key for reading in readings)
    assert ten == again != twenty
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "more.toml").write_text(head + asks)
    with pytest.raises(UsageError, match="two protocols are called 'more'"):
        planned_protocols([str(tmp_path / "more.toml"), str(tmp_path / "other" / "more.toml")], None, judged=True)
