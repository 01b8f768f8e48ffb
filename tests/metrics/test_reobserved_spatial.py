"""Where the subject is after its return, as probes of both polarities have it."""

from __future__ import annotations

import pytest

from lookaway.gates import GATES
from lookaway.metrics import METRICS
from lookaway.outcomes import Abstain, Gated, Measured
from lookaway.readings.probes import REOBSERVED_SPATIAL
from tests.metrics.judged_cases import answer, gate_rows, heard, probed, sure, value

VARIANTS = ("paper", "released", "sound")


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_is_the_mean_of_what_speaks_for_the_video(variant: str) -> None:
    case = probed(REOBSERVED_SPATIAL, variant, sure(0.9), sure(0.3))
    assert value(f"reobserved_spatial:{variant}", case) == Measured(pytest.approx((0.9 + 0.7) / 2))
    best = probed(REOBSERVED_SPATIAL, variant, sure(1.0), sure(0.0))
    assert value(f"reobserved_spatial:{variant}", best) == Measured(1.0)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_probe_without_an_answer_is_an_abstention_that_names_it(variant: str) -> None:
    case = probed(REOBSERVED_SPATIAL, variant, sure(1.0), answer(status="invalid", reason="no vote"))
    assert value(f"reobserved_spatial:{variant}", case) == Abstain(
        f"{REOBSERVED_SPATIAL.negative[0]}:{variant}: no vote"
    )


@pytest.mark.parametrize("variant", ["paper", "sound"])
@pytest.mark.parametrize(
    ("rows", "closed"), [("yynnyy", ""), ("yynnpp", ""), ("yyyyyy", "never_hidden"), ("yynnss", "unidentifiable")]
)
def test_it_stands_behind_a_return_of_which_the_place_can_be_told(variant: str, rows: str, closed: str) -> None:
    (name,) = METRICS.get(f"reobserved_spatial:{variant}").gates
    verdict = GATES.get(name)(heard({f"judgeable:{variant}": gate_rows(rows)}))
    assert verdict is None if not closed else isinstance(verdict, Gated) and verdict.reason.startswith(closed)
