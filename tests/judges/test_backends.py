"""Backends: one small interface, plain or async; replies from files, from people, and from one who knows."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway.errors import ObserveError, UnknownName, UsageError
from lookaway.judges import JUDGES, About, Judge, Probe, Said, ask
from lookaway.judges.calls.functions import backend_of
from lookaway.judges.oracle import CANNOT_TELL, Dials, Known, evidence_after_return, lines_of_true_clip, says
from lookaway.records import Bank, Interval, Question, Reference, Setting
from lookaway.truth import KnownTruth, Truth
from tests.judges.made import frames

MEDIA = "ab" * 32


def asked(name: str, about: About, sample: int = 0, count: int = 5, step_s: float = 0.5) -> Said:
    return asyncio.run(ask(JUDGES.get(name), Probe("?", frames(count, step_s=step_s), about, sample=sample)))


def written(path: Path, lines: list[dict[str, Any]]) -> str:
    path.write_text("\n".join(map(json.dumps, lines)))
    return str(path)


def test_a_plain_and_an_async_function_are_asked_alike() -> None:
    def plain(probe: Probe) -> Said:
        return Said(f"Yes to {probe.prompt}")

    async def slow(probe: Probe) -> Said:
        await asyncio.sleep(0)
        return plain(probe)

    probe = Probe("that", [], About("q", MEDIA))
    for function in (plain, slow):
        judge = Judge(function.__name__, 1, function, None, "")
        assert asyncio.run(ask(judge, probe)) == Said("Yes to that")


def test_a_script_answers_by_the_longest_known_beginning_of_a_clip(tmp_path: Path) -> None:
    source = written(
        tmp_path / "a.jsonl",
        [{"media": "abab", "question": "q", "text": "Yes"}, {"media": "*", "question": "*", "text": "No"}],
    )
    assert asked("scripted", About("q", MEDIA, source)).text == "Yes"
    assert asked("scripted", About("q", "cd" * 32, source)).text == "No"
    empty = written(tmp_path / "b.jsonl", [])
    with pytest.raises(ObserveError, match="no reply for question q"):
        asked("scripted", About("q", MEDIA, empty))


def opened(name: str, source: str, **settings: Setting) -> None:
    backend_of(JUDGES.get(name), source, settings)


@pytest.mark.parametrize("name", ["scripted", "human", "oracle"])
def test_a_judge_that_reads_a_file_says_so_before_anything_is_asked(name: str, tmp_path: Path) -> None:
    for source in (str(tmp_path), str(tmp_path / "no.jsonl"), *([] if name == "oracle" else [""])):
        with pytest.raises(UsageError, match="reads a file; name one"):
            opened(name, source)
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"media": "*", "question": "q"}\n\n{oops')
    with pytest.raises(UsageError, match="line 3 is no JSON"):
        opened(name, str(bad))
    with pytest.raises(UnknownName, match="errror"):
        opened(name, str(bad), errror=1)


def test_the_oracle_needs_no_file_and_knows_its_dials() -> None:
    opened("oracle", "", error=0.1)
    with pytest.raises(UnknownName, match="errror"):
        opened("oracle", "", errror=1)


def test_a_spreadsheets_file_is_read_or_explained(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("\ufeffmedia,question,rater,value\n*,q,zoe,yes\n", "utf-8")
    assert asked("human", About("q", MEDIA, str(good))).text == "Yes"
    bad.write_text("media;question;rater;value\n*;q;zoe;yes\n")
    with pytest.raises(UsageError, match="parted by semicolons"):
        opened("human", str(bad))
    bad.write_text("media,question,rater,value\n*,q,,yes\n")
    with pytest.raises(UsageError, match="a rating of question q has no rater"):
        opened("human", str(bad))


WRONG_LINES = [
    ("scripted", {"text": 5}, "give a text"),
    ("scripted", {"media": 5, "text": "Yes"}, "media and question must be texts"),
    ("scripted", {"media": "", "text": "Yes"}, "and not empty"),
    ("human", {"rater": "zoe", "value": "maybe"}, "rating 'maybe' of zoe"),
    ("oracle", {"truth": "perhaps", "evidence": []}, "give yes or no"),
    ("oracle", {"truth": "yes", "evidence": [0, 9]}, "give [[from_s, to_s], ...]"),
]


@pytest.mark.parametrize(("name", "facts", "message"), WRONG_LINES)
def test_a_wrong_line_is_found_before_anything_is_asked(
    name: str, facts: dict[str, Any], message: str, tmp_path: Path
) -> None:
    source = written(tmp_path / "a.jsonl", [{"media": "*", "question": "q"} | facts])
    with pytest.raises(UsageError, match=re.escape(message)):
        opened(name, source)


@pytest.mark.parametrize("dials", [{"error": 2}, {"error": "abc"}, {"seed": "inf"}])
def test_dials_out_of_range_are_refused(dials: dict[str, Setting], tmp_path: Path) -> None:
    source = written(tmp_path / "a.jsonl", [{"media": "*", "question": "q", "truth": "yes", "evidence": []}])
    opened("oracle", source)
    with pytest.raises(UsageError, match="oracle"):
        opened("oracle", source, **dials)


RATINGS = [
    {"media": "abab", "question": "q", "rater": "zoe", "value": "No"},
    {"media": "abab", "question": "q", "rater": "ada", "value": "yes"},
    {"media": "abab", "question": "q", "rater": "kim", "value": "cannot tell"},
    {"media": "abab", "question": "other", "rater": "ada", "value": "no"},
]


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_every_rater_has_one_vote(kind: str, tmp_path: Path) -> None:
    source = written(tmp_path / "r.jsonl", RATINGS)
    if kind == "csv":
        rows = ["media,question,rater,value", *(",".join(line.values()) for line in RATINGS)]
        source = str(tmp_path / "r.csv")
        Path(source).write_text("\n".join(rows))
    about = About("q", MEDIA, source)
    assert JUDGES.get("human").samples(about) == 3
    assert [asked("human", about, sample).text for sample in range(3)] == ["Yes", "Cannot tell", "No"]
    with pytest.raises(ObserveError, match="no rating of question"):
        asked("human", About("never rated", MEDIA, source))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"media": "*", "question": "q", "rater": "ada", "value": "maybe"}, "'maybe' of ada"),
        ({"media": "*", "question": "q", "rater": "zoe", "value": "yes"}, "zoe rates question q twice"),
        ({"media": "*", "question": "q", "value": "yes"}, "line 5 has no rater"),
    ],
)
def test_ratings_that_cannot_be_trusted_are_refused(line: dict[str, str], reason: str, tmp_path: Path) -> None:
    source = written(tmp_path / "r.jsonl", [*RATINGS, line])
    with pytest.raises(UsageError, match=reason):
        asked("human", About("q", MEDIA, source))


KNOWN = Known("yes", ((1.4, 2.0),))


def test_the_oracle_tells_the_truth_only_where_its_frames_show_it(tmp_path: Path) -> None:
    line = {"media": "*", "question": "q", "truth": "yes", "evidence": [[1.4, 2.0]]}
    about = About("q", MEDIA, written(tmp_path / "k.jsonl", [line]))
    assert asked("oracle", about, count=5).text == "Yes"  # frames up to 2 s
    assert asked("oracle", about, count=3).text == CANNOT_TELL  # up to 1 s
    wrong = About("q", MEDIA, about.source, {"error": 1.0})
    assert asked("oracle", wrong, count=5).text == "No"
    assert asked("oracle", wrong, count=3).text == CANNOT_TELL, "no dial makes it know what it did not see"
    with pytest.raises(ObserveError, match="no truth for question other"):
        asked("oracle", About("other", MEDIA, about.source))


def share_of_yes(dials: Dials, truth: str) -> float:
    known = Known(truth, ((0, 1),))  # type: ignore[arg-type]
    said = [says(known, [0.5], dials, f"clip{i // 4}", f"q{i % 4}") for i in range(4000)]
    return said.count("Yes") / len(said)


def test_the_dials_do_what_they_say() -> None:
    assert share_of_yes(Dials(error=0.2), "yes") == pytest.approx(0.8, abs=0.02)
    assert share_of_yes(Dials(error=0.2), "no") == pytest.approx(0.2, abs=0.02)
    assert share_of_yes(Dials(bias=0.3), "no") == pytest.approx(0.3, abs=0.02)
    assert share_of_yes(Dials(bias=-0.3), "yes") == pytest.approx(0.7, abs=0.02)
    assert share_of_yes(Dials(error=0.2, per_clip=1), "yes") == pytest.approx(0.8, abs=0.04)


def test_errors_of_one_clip_go_together_as_far_as_the_dial_says() -> None:
    def right(per_clip: float) -> np.ndarray:
        dials = Dials(error=0.3, per_clip=per_clip)
        return np.array([[says(KNOWN, [1.5], dials, f"c{i}", f"q{j}") == "Yes" for j in range(2)] for i in range(3000)])

    for per_clip in (0.0, 0.5, 1.0):
        both = right(per_clip)
        correlation = np.corrcoef(both[:, 0], both[:, 1])[0, 1]
        assert correlation == pytest.approx(per_clip**2, abs=0.06)  # both questions must take the clip's draw


def test_the_oracle_repeats_itself_and_another_seed_does_not() -> None:
    def said(seed: int) -> list[str]:
        return [says(KNOWN, [1.5], Dials(error=0.5, seed=seed), f"c{i}", "q") for i in range(50)]

    assert said(0) == said(0) != said(1)
    with pytest.raises(UsageError, match="from 0 to 1"):
        Dials(error=1.5)


def test_evidence_is_where_the_subject_is_in_sight_after_it_was_hidden() -> None:
    record = Reference(task="t", instance="i", video="0", phases=(Interval(phase="returned", start_s=3, end_s=5),))
    seconds = np.arange(6.0)
    visible = np.array([1.0, 1.0, 0.0, 0.01, 0.5, 1.0])
    nothing = np.zeros((6, 1, 1))
    world = KnownTruth(nothing, nothing, nothing.astype(bool), visible, nothing)
    assert evidence_after_return(Truth(record, Path(), seconds, world)) == ((4.0, 4.0), (5.0, 5.0))
    always = KnownTruth(nothing, nothing, nothing.astype(bool), np.ones(6), nothing)
    assert len(evidence_after_return(Truth(record, Path(), seconds, always))) == 6
    assert evidence_after_return(Truth(record, Path(), seconds, None)) == ((3.0, 5.0),)


def test_the_oracle_is_right_about_a_true_clip_whose_return_it_sees(tmp_path: Path) -> None:
    record = Reference(task="t", instance="i", video="0", phases=(Interval(phase="returned", start_s=1.6, end_s=4),))
    questions = tuple(
        Question(id=expected, text="?", dimension="d", polarity="positive", expected=expected)
        for expected in ("yes", "no")
    )
    lines = lines_of_true_clip(Bank(task="t", questions=questions), Truth(record, Path(), np.arange(4.0), None), MEDIA)
    source = written(tmp_path / "k.jsonl", lines)
    for expected, text in (("yes", "Yes"), ("no", "No")):
        assert asked("oracle", About(expected, MEDIA, source), count=5).text == text
        assert asked("oracle", About(expected, MEDIA, source), count=4).text == CANNOT_TELL
