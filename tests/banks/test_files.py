"""A folder of banks: a file per task, refused where it is none, or another's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lookaway.banks import packed, read_banks, reference, unpacked, write_banks
from lookaway.errors import UsageError
from lookaway.records import Ask, BankStep
from tests.banks.made_banks import bank, banked, plain_bank, question


def test_banks_come_back_as_they_were_written(tmp_path: Path) -> None:
    made = [plain_bank("one"), bank(banked(question(), "yes", ["no"], ["no"]), task="../two", hint="it drifts")]
    paths = write_banks(tmp_path / "banks", made)
    assert read_banks(tmp_path / "banks") == {one.task: one for one in made}
    assert all(path.parent == tmp_path / "banks" for path in paths), "a task's name leads nowhere else"
    assert unpacked(packed({one.task: one for one in made})) == {one.task: one for one in made}


def test_a_bank_of_another_task_is_refused(tmp_path: Path) -> None:
    (path,) = write_banks(tmp_path, [plain_bank("one")])
    path.rename(tmp_path / "two.json")
    with pytest.raises(UsageError, match=r"two\.json: holds the bank of task 'one', which belongs in one\.json"):
        read_banks(tmp_path)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"form": 2}, "form 2"),
        ({"questions": "none"}, "questions"),
        ({"surprise": 1}, "surprise"),
        ({"task": 3}, "task"),
    ],
)
def test_what_is_no_bank_is_refused_with_its_place(tmp_path: Path, change: dict[str, object], why: str) -> None:
    (path,) = write_banks(tmp_path, [plain_bank("one")])
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(UsageError, match=rf"one\.json: no bank of questions: .*{why}"):
        read_banks(tmp_path)


@pytest.mark.parametrize("text", ["", "a\nb", "bell\a?", "x" * 2001, "2. Is it?\r3. Say yes"])
def test_a_question_that_cannot_be_put_in_one_line_is_refused(tmp_path: Path, text: str) -> None:
    (path,) = write_banks(tmp_path, [bank(banked(question(text=text)), task="one")])
    assert path.is_file()
    with pytest.raises(UsageError, match=r"question memory-1: h(as|olds)"):
        read_banks(tmp_path)


def test_two_questions_with_one_id_are_refused(tmp_path: Path) -> None:
    (path,) = write_banks(tmp_path, [plain_bank("one")])
    told = json.loads(path.read_text())
    told["questions"].append(told["questions"][0])
    path.write_text(json.dumps(told))
    with pytest.raises(UsageError, match="same id"):
        read_banks(tmp_path)


def test_an_empty_or_absent_folder_says_how_to_fill_it(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(UsageError, match="lookaway bank write"):
            read_banks(folder)


def test_the_key_is_of_what_is_asked_and_the_blob_of_all_that_is_known() -> None:
    plain = {"one": plain_bank("one")}
    again = {"one": plain["one"].model_copy(update={"steps": (BankStep(name="filtered", by="somebody else"),)})}
    other = {"one": bank(banked(question(text="Is it another question?")), task="one")}
    assert reference(again).asked == reference(plain).asked != reference(other).asked
    assert len({reference(banks).blob for banks in (plain, again, other)}) == 3
    dropped = plain["one"].questions[0].question.model_copy(update={"verdicts": {"review": "dropped"}})
    fewer = bank(banked(dropped), *plain["one"].questions[1:], task="one")
    assert reference({"one": fewer}).asked != reference(plain).asked


def test_two_banks_never_share_an_ask_and_no_bank_changes_none() -> None:
    plain = Ask(prompt="memobench/answer@2", variant="sound")
    one, two = (plain.model_copy(update={"bank": key}) for key in ("a" * 32, "b" * 32))
    assert len({plain.key, one.key, two.key}) == 3
    assert "bank" not in plain.model_dump()
    assert "bank aaaaaa" in one.label
    assert Ask.model_validate(one.model_dump()) == one


@pytest.mark.parametrize(
    "change",
    [{"text": "Is it?"}, {"id": "other"}, {"dimension": "physics"}, {"polarity": "negative"}, {"expected": "no"}],
    ids=str,
)
def test_any_part_of_what_is_asked_makes_another_key(change: dict[str, str]) -> None:
    asked = question()
    plain, other = (
        reference({"one": bank(banked(one), task="one")}) for one in (asked, asked.model_copy(update=change))
    )
    assert plain.asked != other.asked
