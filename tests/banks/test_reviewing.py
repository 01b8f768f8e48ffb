"""People accept, edit and reject questions in a file; nothing that was written is lost."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookaway.banks import read_banks, write_banks
from lookaway.banks.counting import edited_since
from lookaway.banks.reviewing import ReviewRow, as_cell, of_cell, read_review, review_sheet, reviewed
from lookaway.errors import UsageError
from lookaway.records import QuestionBank
from tests.banks.made_banks import bank, banked, question
from tests.command import call

NEW = "Is the very same cup there at the end?"


def made() -> dict[str, QuestionBank]:
    asked = [banked(question(n), "yes", ["no"]) for n in (1, 2, 3)]
    return {"a_task": bank(*asked)}


def rows(banks: dict[str, QuestionBank]) -> list[ReviewRow]:
    return list(csv.DictReader(io.StringIO(review_sheet(banks.values()), newline="")))


def decided(*changes: dict[str, str]) -> list[ReviewRow]:
    return [row | change for row, change in zip(rows(made()), changes, strict=False)]


def test_verdicts_are_read_back_and_an_edit_keeps_the_original() -> None:
    given = decided(
        {"verdict": "accept"},
        {"verdict": "edit", "new_text": NEW, "reason": "which cup was unclear"},
        {"verdict": "reject", "reason": "nobody can see it"},
    )
    (done,) = reviewed(made(), given, "r1").values()
    first, second, third = done.questions
    assert [one.question.verdicts["review"] for one in done.questions] == ["kept", "edited", "dropped"]
    assert (second.question.text, second.original) == (NEW, made()["a_task"].questions[1].question.text)
    assert (first.original, third.question.text) == ("", made()["a_task"].questions[2].question.text)
    assert [asked.id for asked in done.kept] == ["memory-1", "memory-2"]
    assert second.review is not None
    assert (second.review.by, second.review.reason) == ("r1", "which cup was unclear")
    assert done.version == made()["a_task"].version + 1
    assert edited_since(done) == ["memory-2"], "the filters saw other words"


def test_a_second_edit_keeps_the_first_words() -> None:
    banks = made()
    for text in ("Is it there now?", NEW):
        (row, *_) = rows(banks)
        banks = reviewed(banks, [row | {"verdict": "edit", "new_text": text, "reason": "clearer"}], "r1")
    one = banks["a_task"].questions[0]
    assert (one.question.text, one.original) == (NEW, made()["a_task"].questions[0].question.text)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"verdict": "maybe"}, "give accept, edit, reject"),
        ({"verdict": "reject"}, "needs a reason"),
        ({"verdict": "edit", "new_text": NEW}, "needs a reason"),
        ({"verdict": "edit", "reason": "x"}, "exactly an edit has a new_text"),
        ({"verdict": "accept", "new_text": NEW}, "exactly an edit has a new_text"),
        ({"verdict": "edit", "new_text": "a\nb", "reason": "x"}, "line break"),
        ({"verdict": "accept", "text": "Is it mine?"}, "not the bank's"),
        ({"verdict": "accept", "id": "memory-9"}, "no question 'memory-9'"),
        ({"verdict": "accept", "task": "other"}, "about another one"),
    ],
)
def test_a_review_that_cannot_be_carried_out_is_refused(change: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        reviewed(made(), decided(change), "r1")


def test_a_question_reviewed_twice_is_refused() -> None:
    row = decided({"verdict": "accept"})[0]
    with pytest.raises(UsageError, match="reviewed twice"):
        reviewed(made(), [row, row], "r1")


@given(st.text(alphabet=st.characters(categories=("L", "N", "P", "S", "Zs"))))
def test_no_cell_is_a_formula_and_every_text_comes_back(text: str) -> None:
    assert not as_cell(text).startswith(("=", "+", "-", "@"))
    assert of_cell(as_cell(text)) == text


def test_a_hostile_question_goes_through_the_file_unharmed(tmp_path: Path) -> None:
    text = '=HYPERLINK("http://x","y") {event} <b>, "Yes" 2. {{0}}'
    banks = {"a_task": bank(banked(question(text=text)))}
    path = tmp_path / "review.csv"
    path.write_text(review_sheet(banks.values()).replace(",,,", ",accept,,", 1), newline="")
    filled = read_review(path)
    assert [row["text"] for row in filled] == [text]
    assert reviewed(banks, filled, "r1")["a_task"].kept[0].text == text


def test_the_command_writes_a_file_and_takes_it_back(tmp_path: Path) -> None:
    folder, path = tmp_path / "banks", tmp_path / "review.csv"
    write_banks(folder, made().values())
    assert call("bank", "review", str(folder), "--write", str(path)).returncode == 0
    again = call("bank", "review", str(folder), "--write", str(path))
    assert again.returncode == 2, "a file that may be filled in is not overwritten"
    lines = list(csv.DictReader(io.StringIO(path.read_text(), newline="")))
    lines[0] |= {"verdict": "reject", "reason": "ambiguous"}
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    assert call("bank", "review", str(folder), "--read", str(path)).returncode == 2, "who reviewed?"
    done = call("bank", "review", str(folder), "--read", str(path), "--by", "r1")
    assert "accept 0, edit 0, reject 1; 2 questions stay" in done.stdout
    assert [asked.id for asked in read_banks(folder)["a_task"].kept] == ["memory-2", "memory-3"]


def test_a_file_that_is_no_review_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(UsageError, match="no column task"):
        read_review(path)
