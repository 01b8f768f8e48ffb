"""What a study is, in which order people are shown it, and what their answers come to."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lookaway.banks.reviewing import read_review, reviewed
from lookaway.errors import UnknownName, UsageError
from lookaway.people import designs, read_study
from lookaway.people.agreement import agreement_tables
from lookaway.people.answers import GivenAnswer, check_passed, label_of, worth
from lookaway.people.desk import StudyDesk
from lookaway.people.entry import erase, new_rater
from lookaway.people.importing import bring
from lookaway.people.labels import LOG, study_labels, write_labels
from lookaway.people.register import deduplicated, register_table
from lookaway.people.sheets import rater_sheets
from lookaway.people.sittings import chosen_items, sitting
from lookaway.records import BankedQuestion, Label, QuestionBank, Showing, Study
from lookaway.store import make_run
from lookaway.suites.keyframes import read_keyframes
from lookaway.video import decode, probe
from tests.people.studies import CRITERIA, numbered_clip, numbered_frame, pair_study, single_study

ITEMS = [f"{number:016x}" for number in range(30)]


def study(**more: Any) -> Study:
    facts: dict[str, Any] = {"name": "s", "kind": "pairwise", "title": "t", "instructions": "i", "consent": "c"}
    return Study.model_validate(facts | {"criteria": [{"name": "place", "text": "?"}]} | more)


def given(word: str, **more: Any) -> GivenAnswer:
    return GivenAnswer.model_validate({"number": 0, "axis": "place", "word": word, "submission": "0" * 32} | more)


# ---------------------------------------------------------------- designs


@pytest.mark.parametrize("name", designs.names())
def test_every_design_is_a_study_that_says_what_people_agree_to(name: str) -> None:
    design = designs.load(name)
    assert "stop at any time" in " ".join(design.consent.split())
    assert design.criteria or design.bank


def test_the_three_papers_designs_are_here() -> None:
    wrbench, stevo = designs.load("wrbench"), designs.load("stevo")
    assert (wrbench.kind, len(wrbench.criteria)) == ("pairwise", 6)
    assert [c.name for c in wrbench.criteria if c.judgeable] == ["reobserved_spatial", "reobserved_state"]
    assert (stevo.kind, len(stevo.criteria), stevo.raters) == ("binary", 5, 3)
    assert designs.load("memobench-review").kind == "bank_review"
    assert [c.name for c in designs.load("memobench-keyframes").criteria] == ["gone", "back"]
    check = designs.load("memobench-check")
    assert (check.bank_each, check.items_each) == (2, 24), "of 12 scenes and 4 dimensions 96 questions, 24 a person"


def test_a_design_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean stevo"):
        designs.load("stevoo")
    with pytest.raises(UsageError, match="cannot read"):
        designs.load(str(tmp_path / "mine.toml"))


@pytest.mark.parametrize(
    "wrong",
    [
        {"criteria": []},
        {"kind": "bank_review"},
        {"kind": "pairwise", "bank": True},
        {"criteria": [{"name": "a", "text": "?"}, {"name": "a", "text": "!"}]},
        {"holdout": 1.0},
        {"raters": 0},
        {"consent": ""},
    ],
    ids=str,
)
def test_a_study_that_cannot_be_held_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"[Vv]alid"):
        study(**wrong)


def test_a_folder_without_items_or_with_the_wrong_ones_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no study"):
        read_study(tmp_path)
    made = pair_study(tmp_path / "study")
    file = made.root / "items.jsonl"
    lines = file.read_text().splitlines()
    for content in ("", lines[0] + "\n" + lines[0], lines[0].replace("cases", "casess")):
        file.write_text(content)
        with pytest.raises(UsageError, match=r"items\.jsonl"):
            read_study(made.root)


# ---------------------------------------------------------------- clips


def test_a_clip_is_shown_frame_for_frame_each_by_itself(tmp_path: Path) -> None:
    import av

    clip = numbered_clip(tmp_path, 81)
    path = next((tmp_path / "blobs").rglob(f"{clip.media}*"))
    assert (clip.frames, clip.fps, probe(path).frames) == (81, 16.0, 81)
    with av.open(str(path)) as video:
        packets = [packet for packet in video.demux(video=0) if packet.pts is not None]
    assert len(packets) == 81
    assert all(packet.is_keyframe for packet in packets)
    assert len({b.pts - a.pts for a, b in pairwise(packets) if b.pts and a.pts is not None}) == 1
    for frame in decode(path):
        assert abs(frame.rgb.astype(int) - numbered_frame(frame.index)).mean() < 8


# ---------------------------------------------------------------- order


def test_everybody_is_shown_everything_in_an_order_of_their_own() -> None:
    orders = [sitting(study(), ITEMS, [], f"rater-{n}") for n in range(20)]
    assert len({tuple(one.item for one in order) for order in orders}) == 20
    assert all(sorted(one.item for one in order) == ITEMS for order in orders)
    assert sitting(study(), ITEMS, [], "rater-0") == orders[0], "which can be drawn again"
    flips = [one.flipped for order in orders for one in order]
    assert 0.4 < sum(flips) / len(flips) < 0.6


def test_a_clip_alone_has_no_sides() -> None:
    assert not any(one.flipped for one in sitting(study(kind="binary", repeats=5), ITEMS, [], "r"))


def test_items_come_again_later_with_their_sides_swapped() -> None:
    order = sitting(study(repeats=5), ITEMS, [], "r")
    again = [one for one in order if one.round == 1]
    first = {one.item: one for one in order if one.round == 0}
    assert len(again) == len({one.item for one in again}) == 5
    assert all(one.flipped != first[one.item].flipped for one in again)
    assert all(one.number - first[one.item].number >= 10 for one in again)


def test_checks_are_spread_over_the_sitting() -> None:
    checks = [f"c{n}" for n in range(6)]
    order = sitting(study(checks=3), ITEMS, checks, "r")
    places = [one.number for one in order if one.item.startswith("c")]
    assert places == [7, 16, 24], "after a quarter, a half and three quarters of 30 items"


def test_items_that_few_have_are_given_out_first(tmp_path: Path) -> None:
    made = pair_study(tmp_path / "study", items=6, head="items_each = 2\nraters = 2\n")
    desk = StudyDesk(made)
    names = []
    for _ in range(7):
        with desk.book.writing():
            names.append(new_rater(desk.book, "rater"))
        desk.showings(names[-1])
    counted = Counter(one.item for name in names for one in desk.showings(name))
    assert set(counted.values()) == {2}, "everything twice"
    assert desk.showings(names[-1]) == (), "and then nothing is left"
    assert chosen_items(list(made.items.values()), {}, None, "x") != chosen_items(
        list(made.items.values()), {}, None, "y"
    )


# ---------------------------------------------------------------- answers


@pytest.mark.parametrize(("word", "value"), [("left", 1.0), ("right", -1.0), ("tie", 0.0), ("not_judgeable", None)])
@pytest.mark.parametrize("flipped", [False, True])
def test_sides_become_items(word: str, value: float | None, flipped: bool, tmp_path: Path) -> None:
    made = pair_study(tmp_path / "study", items=1)
    (item,) = made.items.values()
    label = label_of(made.study, "s", item, Showing(number=0, item=item.id, flipped=flipped), given(word), "r", "")
    assert label.value == (-value if flipped and value else value)
    assert (label.judgeable, label.shown_order) == (value is not None, (1, 0) if flipped else (0, 1))
    assert (label.instrument.kind, label.instrument.plugin) == ("rater", "r")


def test_a_label_has_a_value_exactly_where_it_can_be_judged() -> None:
    with pytest.raises(ValueError, match="exactly where it can be judged"):
        Label(rater="r", study="s", items=("a",), axis="x", value=None)
    with pytest.raises(ValueError, match="exactly where it can be judged"):
        Label(rater="r", study="s", items=("a",), axis="x", value=1.0, judgeable=False)


def test_an_edit_has_words_and_a_reason(tmp_path: Path) -> None:
    made = single_study(tmp_path / "study", "bank_review")
    (item,) = made.items.values()
    showing = Showing(number=0, item=item.id)
    assert worth(made.study, item, showing, given("edit", axis="q0", text="new?", reason="vague")) == (0.0, "vague")
    for wrong in ({"word": "edit", "reason": "x"}, {"word": "edit", "text": "x"}, {"word": "reject"}):
        with pytest.raises(UsageError):
            worth(made.study, item, showing, given(axis="q0", **wrong))


def test_a_check_is_right_within_what_the_world_knows(tmp_path: Path) -> None:
    made = single_study(tmp_path / "study", "keyframes", frames=40)
    (item,) = made.items.values()
    known = item.model_copy(update={"right": {"place": 20.0}, "role": "check"})
    said = {
        frame: label_of(made.study, "s", known, Showing(number=0, item=item.id), given("frame", frame=frame), "r", "")
        for frame in (17, 18, 22, 23)
    }
    assert [check_passed(made.study, known, said[frame]) for frame in said] == [False, True, True, False]
    never = label_of(made.study, "s", known, Showing(number=0, item=item.id), given("never"), "r", "")
    assert check_passed(made.study, known, never) is False
    assert check_passed(made.study, item, never) is None


def test_progress_counts_checks_and_answers_that_were_the_same_again(tmp_path: Path) -> None:
    made = pair_study(tmp_path / "study", items=3, head="checks = 1\nrepeats = 2\n")
    first = next(iter(made.items.values()))
    check = first.model_copy(
        update={"id": "c" * 16, "cases": ("w/truth/0", "w/frozen/0"), "role": "check", "right": {"place": 1.0}}
    )
    with (made.root / "items.jsonl").open("a") as file:
        file.write(check.model_dump_json() + "\n")
    desk = StudyDesk(read_study(made.root))
    rater = desk.file_rater()
    for showing in desk.showings(rater):
        word = "left"  # always the same side: right on the check by chance, never the same again
        desk.keep(rater, given(word, number=showing.number, submission=f"{showing.number:032x}").model_dump())
    (row,) = desk.progress()
    flipped = next(one.flipped for one in desk.showings(rater) if one.item == "c" * 16)
    assert (row.answered, row.asked) == (6, 12)
    assert (row.checks_right, row.checks) == (int(not flipped), 1)
    assert (row.same_again, row.again) == (0, 2)
    assert "check" not in {label.role for label in study_labels(desk)}
    assert "check" in {label.role for label in study_labels(desk, checks=True)}


def test_raters_of_a_study_who_split_on_one_pair_are_told_so(tmp_path: Path) -> None:
    made = pair_study(tmp_path / "study", items=3)
    pairs = [made.items[item].cases for item in ITEMS[:3]]
    said = [
        Label(rater=rater, study="s", items=pair, axis="place", value=-1.0 if (rater, at) == ("r3", 1) else 1.0)
        for rater in ("r1", "r2", "r3")
        for at, pair in enumerate(pairs)
    ]
    agreement, axes, items = agreement_tables(made, said)
    assert [row.title for row in agreement.rows] == ["place"]
    assert [cell.value for cell in axes.rows[0].cells[:2]] == [3, pytest.approx(1 / 3)]
    assert [row.title for row in items.rows] == [" against ".join(pairs[1])]
    with pytest.raises(UsageError, match="nobody has labelled"):
        agreement_tables(made, [])


# ---------------------------------------------------------------- the register


def label(**more: Any) -> Label:
    facts: dict[str, Any] = {"rater": "r1", "study": "s", "items": ("a", "b"), "axis": "state", "value": 1.0, "at": "1"}
    return Label.model_validate(facts | {"family": "main pairs"} | more)


def test_one_verdict_counts_once_whichever_clip_is_named_first() -> None:
    rows = [
        label(),
        label(at="2", value=0.0),  # the same person again: the later word counts
        label(items=("b", "a"), value=1.0, at="3"),  # and again, the pair named the other way round
        label(rater="r2", items=("b", "a"), value=-1.0),
        label(axis="place"),
        label(round=1),
        label(family="holdout pairs", role="holdout", items=("c", "d"), value=None, judgeable=False),
    ]
    kept = deduplicated(rows)
    assert len(kept) == 5
    assert {(one.rater, one.axis, one.round, one.value) for one in kept if one.items == ("a", "b")} == {
        ("r1", "state", 0, -1.0),
        ("r2", "state", 0, 1.0),
        ("r1", "place", 0, 1.0),
        ("r1", "state", 1, 1.0),
    }
    table = register_table(rows)
    told = {(row.group, row.title): [cell.value for cell in row.cells] for row in table.rows}
    assert told == {("main pairs", "main"): [6, 4, 1, 2, 0], ("holdout pairs", "holdout"): [1, 1, 1, 1, 1]}


def test_labels_go_into_a_runs_log_once_and_a_changed_mind_goes_after(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    assert write_labels(run, [label(), label(rater="r2")]) == 2
    assert write_labels(run, [label(), label(rater="r2")]) == 0
    assert write_labels(run, [label(value=-1.0)]) == 1
    kept = run.latest(LOG, Label).values()
    assert {(one.rater, one.value) for one in kept} == {("r1", -1.0), ("r2", 1.0)}


# ---------------------------------------------------------------- from elsewhere


def label_studio(item: str, **more: Any) -> dict[str, Any]:
    """A task as Label Studio exports it."""
    result = [
        {"from_name": "place", "to_name": "pair", "type": "choices", "value": {"choices": ["A"]}},
        {"from_name": "state", "to_name": "pair", "type": "choices", "value": {"choices": ["Not judgeable"]}},
    ]
    annotation = {
        "id": 5,
        "completed_by": {"id": 3, "email": "someone@example.org"},
        "result": result,
        "was_cancelled": False,
    }
    annotation |= {"created_at": "2026-01-02T03:04:05Z"}
    skipped = {"completed_by": 4, "was_cancelled": True, "result": []}
    return {"id": 1, "data": {"item": item}, "annotations": [annotation | more, skipped]}


def test_label_studio_is_read_and_no_address_of_a_person_is_kept(tmp_path: Path) -> None:
    made = pair_study(tmp_path / "study", items=2)
    desk = StudyDesk(made)
    file = tmp_path / "export.json"
    file.write_text(json.dumps([label_studio(name) for name in made.items]))
    assert bring(desk, file) == (4, 0)
    assert bring(desk, file) == (0, 4)
    kept = study_labels(desk)
    assert {(one.rater, one.axis, one.value) for one in kept} == {
        ("label-studio-3", "place", 1.0),
        ("label-studio-3", "state", None),
    }
    assert b"someone@example.org" not in (made.root / "book.sqlite").read_bytes()


def test_labels_of_another_server_of_the_same_study_are_taken(tmp_path: Path) -> None:
    made = pair_study(tmp_path / "study", items=1)
    desk = StudyDesk(made)
    (item,) = made.items.values()
    file = tmp_path / "labels.jsonl"
    one = label(items=item.cases, study=made.label, axis="place")
    file.write_text(one.model_dump_json() + "\n" + one.model_copy(update={"rater": "r9"}).model_dump_json() + "\n")
    assert bring(desk, file) == (2, 0)
    assert [row.rater for row in desk.progress()] == ["r1", "r9"]
    assert erase(desk.book, "r9", "test") == 1
    assert {one.rater for one in desk.labels()} == {"r1"}
    with pytest.raises(UsageError, match="had all that they said deleted"):
        bring(desk, file)


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.json", "{", "not JSON"),
        ("a.json", "[]", "neither answers"),
        ("a.json", '{"lookaway": "answers"}', "not what a study's file saves"),
        ("a.json", json.dumps([label_studio("nowhere")]), "no data.item"),
        (
            "a.json",
            json.dumps([label_studio("0" * 16, result=[{"from_name": "place", "value": {"choices": ["C"]}}])]),
            "is no answer",
        ),
        (
            "a.json",
            json.dumps([label_studio("0" * 16, result=[{"from_name": "x", "value": {"choices": ["A"]}}])]),
            "not asked",
        ),
        ("a.jsonl", '{"rater": "r"}', "no label"),
        ("a.jsonl", label().model_dump_json(), "another study"),
    ],
)
def test_what_is_not_about_this_study_is_refused_whole(name: str, content: str, why: str, tmp_path: Path) -> None:
    desk = StudyDesk(pair_study(tmp_path / "study", items=1))
    (tmp_path / name).write_text(content)
    with pytest.raises(UsageError, match=why):
        bring(desk, tmp_path / name)
    assert desk.labels() == []


def test_answers_in_a_file_are_held_to_what_was_shown(tmp_path: Path) -> None:
    made = pair_study(tmp_path / "study", items=1)
    desk = StudyDesk(made)
    rater = desk.file_rater()
    answer = {"number": 0, "axis": "place", "word": "left", "submission": "0" * 32, "at": "2026-01-01T00:00:00Z"}
    whole = {
        "lookaway": "answers",
        "form": 1,
        "study": made.key,
        "rater": rater,
        "consented": True,
        "answers": [answer],
    }
    file = tmp_path / "answers.json"
    for wrong, why in (
        ({"study": "0" * 32}, "another study"),
        ({"rater": "rater-000000"}, "another study"),
        ({"consented": False}, "not agreed"),
        ({"answers": [answer | {"number": 7}]}, "answer 7"),
        ({"answers": [answer | {"word": "yes"}]}, "is no answer here"),
    ):
        file.write_text(json.dumps(whole | wrong))
        with pytest.raises(UsageError, match=why):
            bring(desk, file)
    file.write_text(json.dumps(whole))
    assert bring(desk, file) == (1, 0)


# ---------------------------------------------------------------- handed on


def test_reviews_of_two_questions_about_one_clip_go_back_into_the_bank(tmp_path: Path) -> None:
    made = single_study(tmp_path / "study", "bank_review", items=2)
    desk = StudyDesk(made)
    rater = desk.file_rater()
    for number, showing in enumerate(desk.showings(rater)):
        axis = desk.item(showing).question.id  # type: ignore[union-attr]
        said = (
            {"word": "edit", "text": "=Is it blue?", "reason": "red is vague"} if axis == "q1" else {"word": "accept"}
        )
        desk.keep(rater, given(axis=axis, number=number, submission=f"{number:032x}", **said).model_dump())
    (text,) = rater_sheets(desk).values()
    (tmp_path / "review.csv").write_text(text)
    questions = [item.question for item in made.items.values() if item.question is not None]
    bank = QuestionBank(task="task0", questions=tuple(BankedQuestion(question=question) for question in questions))
    done = reviewed({"task0": bank}, read_review(tmp_path / "review.csv"), rater)["task0"]
    assert [one.question.text for one in done.questions] == ["Is it red?", "=Is it blue?"]
    assert [one.review.verdict for one in done.questions if one.review] == ["accept", "edit"]


def test_keyframes_of_a_rater_are_a_file_that_can_be_compared(tmp_path: Path) -> None:
    made = single_study(tmp_path / "study", "keyframes", items=1, frames=40)
    design = made.root / "study.toml"
    design.write_text(
        design.read_text().replace('name = "place"', 'name = "gone"') + CRITERIA["place"].replace("place", "back", 1)
    )
    desk = StudyDesk(read_study(made.root))
    rater = desk.file_rater()
    for number, (axis, frame) in enumerate([("gone", 12), ("back", 30)]):
        desk.showings(rater)
        desk.keep(rater, given("frame", axis=axis, frame=frame, submission=f"{number:032x}").model_dump())
    (text,) = rater_sheets(desk).values()
    (tmp_path / "one.csv").write_text(text)
    assert read_keyframes(tmp_path / "one.csv").marks == {"task0/alpha/0": (12, 30)}
    with pytest.raises(UsageError, match="no sheets"):
        rater_sheets(StudyDesk(pair_study(tmp_path / "pairs")))
