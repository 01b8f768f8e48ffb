"""Evidence of probes of both polarities: each answer counts for the video or against it."""

from __future__ import annotations

import pytest

from lookaway.judges import prompting
from lookaway.outcomes import Abstain, Measured
from lookaway.readings.probes import (
    REOBSERVED_SPATIAL,
    REOBSERVED_STATE,
    VISIBLE_SPATIAL,
    VISIBLE_STATE,
    ProbeSet,
    how_sure,
    mean_evidence,
)
from tests.metrics.judged_cases import answer, probed, sure

EVERY = [VISIBLE_SPATIAL, VISIBLE_STATE, REOBSERVED_SPATIAL, REOBSERVED_STATE]
ONE_EACH = ProbeSet(("for",), ("against",))


@pytest.mark.parametrize("variant", ["paper", "released", "sound"])
@pytest.mark.parametrize("probes", EVERY, ids=lambda probes: probes.positive[0])
def test_polarities_are_those_that_the_prompts_declare(probes: ProbeSet, variant: str) -> None:
    declared = {name: prompting.load(f"wrbench/{name}", variant).declared.polarity for name in probes.positive}
    assert set(declared.values()) == {"positive"}
    declared = {name: prompting.load(f"wrbench/{name}", variant).declared.polarity for name in probes.negative}
    assert set(declared.values()) == {"negative"}


def test_every_probe_of_the_protocol_is_in_one_set() -> None:
    yes_no = [name for name in prompting.names() if name.startswith(("wrbench/visible", "wrbench/returned"))]
    listed = [f"wrbench/{name}" for probes in EVERY for name in (*probes.positive, *probes.negative)]
    assert sorted(listed) == sorted(yes_no)
    assert [(len(probes.positive), len(probes.negative)) for probes in EVERY] == [(2, 1), (2, 1), (1, 1), (1, 1)]


def test_a_yes_to_a_negative_probe_counts_against_the_video() -> None:
    assert mean_evidence(probed(ONE_EACH, "sound", sure(0.9), sure(0.2)), ONE_EACH, "sound") == Measured(
        pytest.approx(0.85)
    )
    assert mean_evidence(probed(ONE_EACH, "sound", sure(1.0), sure(1.0)), ONE_EACH, "sound") == Measured(0.5)


def test_bounds_turn_round_with_a_negative_probe() -> None:
    made = mean_evidence(probed(ONE_EACH, "sound", sure(0.8, 0.7, 0.9), sure(0.5, 0.5, 0.6)), ONE_EACH, "sound")
    assert made == Measured(pytest.approx(0.65), pytest.approx(0.55), pytest.approx(0.7))


def test_a_word_counts_as_sure_where_no_token_scores_are_told() -> None:
    assert how_sure(answer(estimator="votes", choice="yes")) == (1.0, 1.0, 1.0)
    assert how_sure(answer(estimator="votes", choice="no")) == (0.0, 0.0, 0.0)
    assert how_sure(answer(status="abstained", estimator="p_yes", p_yes=0.9)) is None


def test_a_probe_without_an_answer_is_named() -> None:
    case = probed(ONE_EACH, "paper", sure(0.9), answer(status="abstained", reason="cannot tell"))
    assert mean_evidence(case, ONE_EACH, "paper") == Abstain("against:paper: cannot tell")
