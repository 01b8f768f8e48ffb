"""Support as a gate judge has it: 1 where the return can be judged on both axes, 0 where not, unknown where untold."""

from __future__ import annotations

import pytest

from lookaway.metrics import METRICS
from lookaway.outcomes import Abstain
from tests.metrics.judged_cases import answer, flag_rows, gate_rows, heard, value


@pytest.mark.parametrize("variant", ["paper", "sound"])
@pytest.mark.parametrize(
    ("rows", "expected"), [("yynnyy", 1.0), ("yyyyyy", 0.0), ("yynnnn", 0.0), ("nnnnnn", 0.0), ("yynnss", 0.0)]
)
def test_it_is_one_where_place_and_state_can_be_told_after_half_a_second_away(
    variant: str, rows: str, expected: float
) -> None:
    assert value(f"judged_support:{variant}", heard({f"judgeable:{variant}": gate_rows(rows)})) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"), [("yny", "nnn", 1.0), ("yny", "nyn", 0.0), ("yyy", "nnn", 0.0)]
)
def test_as_released_it_takes_one_second_and_two_looks(first: str, second: str, expected: float) -> None:
    case = heard({"judgeable:released": flag_rows(first), "judgeable_rescue:released": flag_rows(second)})
    assert value("judged_support:released", case) == expected


def test_one_wrong_second_fakes_support_as_released_and_one_wrong_frame_does_not_soundly() -> None:
    wrong = heard({"judgeable:released": flag_rows("yynyy"), "judgeable_rescue:released": flag_rows("nnnnn")})
    assert value("judged_support:released", wrong) == 1.0
    assert value("judged_support:sound", heard({"judgeable:sound": gate_rows("yyyyyynyyyyy")})) == 0.0


def test_an_answer_that_cannot_be_read_is_an_abstention() -> None:
    case = heard({"judgeable:sound": answer(status="invalid", reason="no form")})
    assert value("judged_support:sound", case) == Abstain("judgeable:sound: no form")


def test_every_output_counts_so_that_no_gate_stands_before_it() -> None:
    assert {METRICS.get(f"judged_support:{variant}").gates for variant in ("paper", "released", "sound")} == {()}
