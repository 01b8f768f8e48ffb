"""Pass rates beside what one passes without looking, and how many questions each stage left."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lookaway.analyses import Findings
from lookaway.analyses.question_floors import question_floors
from lookaway.analyses.question_funnel import question_funnel
from lookaway.banks.filters import failure_filtered, truth_filtered
from lookaway.outcomes import Abstain
from lookaway.records import Protocol, QuestionBank, Score, Table, TableCell
from tests.analyses.score_tables import findings, in_scenes, row, table
from tests.banks.made_banks import bank, banked, plain_bank, question

PROTOCOL = Protocol(name="diorama", summary="", metrics=("vqa_memory:sound",), headline=("vqa_memory:sound",))
TASKS = in_scenes(*"abcd")


def known(scores: list[Score], banks: list[QuestionBank], names: tuple[str, ...] = ("truth", "frozen")) -> Findings:
    return replace(findings(table(scores), TASKS, names, PROTOCOL), banks={one.task: one for one in banks})


def only(made: list[Table] | Abstain) -> Table:
    assert not isinstance(made, Abstain)
    (found,) = made
    return found


def cells(made: Table, system: str) -> dict[str, TableCell]:
    (mine,) = (one for one in made.rows if one.title == system)
    return {column.title: cell for column, cell in zip(made.columns, mine.cells, strict=True)}


def test_a_lead_is_on_the_higher_floor_of_the_same_clips() -> None:
    banks = [plain_bank(f"t{n}", 3) for n in (0, 1)] + [plain_bank(f"t{n}", 2) for n in (2, 3)]
    scores = [row(f"t{n}", "vqa_memory", 1.0) for n in range(4)]
    scores += [row(f"t{n}", "vqa_memory", 2 / 3, system="frozen") for n in (0, 1)]
    made = only(question_floors(known(scores, banks)))
    truth, frozen = cells(made, "truth"), cells(made, "frozen")
    assert truth["always yes"].value == pytest.approx((2 / 3 + 2 / 3 + 1 / 2 + 1 / 2) / 4)
    assert truth["always no"].value == pytest.approx((1 / 3 + 1 / 3 + 1 / 2 + 1 / 2) / 4)
    assert truth["above the higher floor"].value == pytest.approx((1 / 3 + 1 / 3 + 1 / 2 + 1 / 2) / 4)
    assert frozen["always yes"].value == pytest.approx(2 / 3), "of its two clips alone"
    assert frozen["above the higher floor"].value == pytest.approx(0.0), "as good as somebody who always says yes"
    assert (truth["pass rate"].n, frozen["pass rate"].total) == (4, 2)
    low, high = (truth["above the higher floor"].low, truth["above the higher floor"].high)
    assert low is not None
    assert high is not None
    assert low < 5 / 12 < high


def test_clips_without_a_number_count_in_no_floor() -> None:
    scores = [row("t0", "vqa_memory", 1.0), row("t1", "vqa_memory", None, reason="no answer")]
    made = only(question_floors(known(scores, [plain_bank("t0", 2), plain_bank("t1", 1)])))
    assert cells(made, "truth")["always yes"].value == 0.5
    assert cells(made, "frozen")["pass rate"].reason == "not scored"


def test_two_banks_are_two_columns() -> None:
    scores = [row("t0", "vqa_memory", 1.0, ask=f"answer, bank {key}", ask_key=key) for key in ("aa", "bb")]
    made = only(question_floors(known(scores, [plain_bank("t0")])))
    assert len(made.columns) == 8
    assert len({column.group for column in made.columns}) == 2


def test_without_answers_there_are_no_floors() -> None:
    found = question_floors(known([row("t0", "object_return", 1.0)], [plain_bank("t0")]))
    assert isinstance(found, Abstain)


def test_a_funnel_tells_what_each_stage_left_and_what_is_short() -> None:
    made = failure_filtered(
        truth_filtered(
            bank(
                banked(question(1), "yes", ["no"]),
                banked(question(2), "yes", ["yes"]),
                banked(question(1, "physics", "no"), "yes", ["no"]),
                task="t0",
            )
        ),
        "sound",
    )
    found = only(question_funnel(known([], [made, plain_bank("elsewhere")])))
    told = {one.title: [cell.value for cell in one.cells] for one in found.rows}
    assert told["memory"] == [2, 2, 1, 1, 1, 1.0, 0.0]
    assert told["physics"][:4] == [1, 0, 0, 0]
    assert told["all"][:5] == [3, 2, 1, 1, 1]
    assert any("t0 (instruction, things, memory, physics)" in note for note in found.notes)
    assert found.shape == "funnel"


def test_without_a_bank_that_was_made_in_stages_there_is_no_funnel() -> None:
    plain = plain_bank("t0").model_copy(update={"steps": ()})
    assert isinstance(question_funnel(known([], [plain])), Abstain)
