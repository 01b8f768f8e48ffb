"""Where things are while in sight, as probes of both polarities have it."""

from __future__ import annotations

import pytest

from lookaway.metrics import METRICS
from lookaway.outcomes import Abstain, Measured
from lookaway.readings.probes import VISIBLE_SPATIAL
from tests.metrics.judged_cases import answer, probed, sure, value

VARIANTS = ("paper", "released", "sound")


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_is_the_mean_of_what_speaks_for_the_video(variant: str) -> None:
    case = probed(VISIBLE_SPATIAL, variant, sure(0.9), sure(0.6), sure(0.3))
    assert value(f"visible_spatial:{variant}", case) == Measured(pytest.approx((0.9 + 0.6 + 0.7) / 3))
    best = probed(VISIBLE_SPATIAL, variant, sure(1.0), sure(1.0), sure(0.0))
    assert value(f"visible_spatial:{variant}", best) == Measured(1.0)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_probe_without_an_answer_is_an_abstention_that_names_it(variant: str) -> None:
    case = probed(VISIBLE_SPATIAL, variant, sure(1.0), sure(1.0), answer(status="invalid", reason="no vote"))
    assert value(f"visible_spatial:{variant}", case) == Abstain(f"{VISIBLE_SPATIAL.negative[0]}:{variant}: no vote")


def test_no_gate_stands_before_what_is_in_sight() -> None:
    assert {METRICS.get(f"visible_spatial:{variant}").gates for variant in VARIANTS} == {()}
