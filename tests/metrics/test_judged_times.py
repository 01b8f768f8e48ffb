"""Time out of the picture and time that cannot be judged, apart: both hide a subject, only one is a look-away."""

from __future__ import annotations

import pytest

from lookaway.outcomes import Abstain
from tests.metrics.judged_cases import answer, gate_rows, heard, value


@pytest.mark.parametrize(
    ("rows", "away", "unjudgeable"),
    [("yynnyy", 0.5, 0.0), ("yy??cc", 0.0, 1.0), ("ynnc?y", 0.5, 0.5), ("yyyy", 0.0, 0.0)],
)
def test_seconds_are_told_apart_by_what_hides_it(rows: str, away: float, unjudgeable: float) -> None:
    case = heard({"judgeable:sound": gate_rows(rows)})
    assert value("judged_out_of_view:sound", case) == away
    assert value("judged_unjudgeable:sound", case) == unjudgeable


@pytest.mark.parametrize("metric", ["judged_out_of_view", "judged_unjudgeable"])
def test_without_an_answer_nothing_is_said(metric: str) -> None:
    case = heard({"judgeable:sound": answer(status="invalid", reason="no form")})
    assert value(f"{metric}:sound", case) == Abstain("judgeable:sound: no form")
