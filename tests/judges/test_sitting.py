"""`judges exam` over real HTTP: a server that is restarted keeps its fingerprint, one that has changed does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lookaway.judges.exam import passports
from lookaway.records import OperatingPoint, Passport
from tests.command import call
from tests.judges.exam_papers import CLIPS, IN_WORDS, MODEL, small_paper
from tests.judges.examined_server import ExaminedServer, Mind
from tests.judges.server import in_thread

pytest.importorskip("httpx")


@pytest.fixture(autouse=True)
def small_exam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOKAWAY_STATE", str(tmp_path / "state"))
    monkeypatch.setattr("lookaway.pipeline.exam.exam_paper", small_paper)


def sat(mind: Mind, *more: str, code: int = 0) -> dict[str, Any]:
    """What `judges exam --json` tells of a server that was started for it."""
    with in_thread(ExaminedServer(mind)) as server:
        return examined(server, *more, code=code)


def examined(server: ExaminedServer, *more: str, code: int = 0) -> dict[str, Any]:
    done = call("judges", "exam", f"openai:{server.url}", *MODEL, "--json", *more)
    assert done.returncode == code, done.stdout + done.stderr
    (told,) = json.loads(done.stdout)
    return dict(told)


@pytest.fixture
def first(tmp_path: Path) -> Path:
    path = tmp_path / "first.json"
    sat(Mind(), "--out", str(path))
    return path


# ---------------------------------------------------------------- what is asked


def test_every_question_is_put_twice_with_all_frames_and_never_read_from_a_cache() -> None:
    with in_thread(ExaminedServer(Mind())) as server:
        examined(server)
        examined(server)
        assert len(server.log) == 2 * (2 * 2 * CLIPS)
        pictures = [part for part in server.bodies[-1]["messages"][-1]["content"] if part["type"] == "image_url"]
        assert len(pictures) == 8


def test_a_passport_holds_every_answer_and_the_operating_point_lies_beside_it(first: Path) -> None:
    passport = passports.read(first, Passport)
    assert len(passport.answers) == 2 * 2 * CLIPS
    assert {answer.status for answer in passport.answers} <= {"ok", "abstained"}
    assert all(answer.p_yes is not None for answer in passport.answers if answer.status == "ok")
    assert passport.instrument.passport == ""
    assert passport.compared is None
    point = passports.read(passports.beside(first), OperatingPoint)
    assert (point.fingerprint, point.exam) == (passport.fingerprint, passport.exam)


def test_a_server_that_fails_once_too_often_gives_no_passport(tmp_path: Path) -> None:
    with in_thread(ExaminedServer(Mind(script=["ok"] * 10 + ["rejected"]))) as server:
        done = call("judges", "exam", f"openai:{server.url}", *MODEL)
    assert done.returncode == 1
    assert "rejected" in done.stderr
    assert not (tmp_path / "state" / "passports").exists()


def test_who_is_no_model_sits_no_exam() -> None:
    done = call("judges", "exam", "scripted:answers.jsonl")
    assert done.returncode == 2
    assert "sits no exam" in done.stderr


# ---------------------------------------------------------------- who it is by that


def test_a_server_that_was_restarted_is_the_same(first: Path) -> None:
    again = sat(Mind(noise=1e-4), "--against", str(first))["passport"]
    assert again["fingerprint"] == passports.read(first, Passport).fingerprint
    assert again["compared"]["same"]
    assert not again["moved_from"]


@pytest.mark.parametrize(
    "changed",
    [Mind(weights=1), Mind(off=0.2), Mind(every=2), Mind(sharpness=2.0)],
    ids=["other weights", "rounded weights", "drops frames", "other temperature"],
)
def test_a_server_that_was_changed_has_moved(first: Path, changed: Mind) -> None:
    again = sat(changed, "--against", str(first), code=1)["passport"]
    before = passports.read(first, Passport).fingerprint
    assert again["moved_from"] == before != again["fingerprint"]


def test_a_judge_in_words_is_the_same_when_restarted_and_another_at_another_temperature(tmp_path: Path) -> None:
    path = str(tmp_path / "words.json")
    sat(Mind(temperature=1.0), *IN_WORDS, "--rounds", "4", "--out", path)
    sat(Mind(temperature=1.0, seed=1), *IN_WORDS, "--against", path)
    sat(Mind(temperature=0.0), *IN_WORDS, "--against", path, code=1)


def test_passports_of_a_machine_are_numbered_and_compared_with_the_sitting_that_founded_them() -> None:
    with in_thread(ExaminedServer(Mind())) as server:
        one, two = examined(server), examined(server)
        assert two["passport"]["fingerprint"] == one["passport"]["fingerprint"]
        server.manner.off = 0.2
        three = examined(server, code=1)
        four = examined(server)
    assert three["passport"]["moved_from"] == one["passport"]["fingerprint"]
    assert four["passport"]["fingerprint"] == three["passport"]["fingerprint"]
    kept = passports.kept(one["passport"]["address"])
    assert [Path(told["file"]).name for told in (one, two, three, four)] == [f"000{n}.json" for n in (1, 2, 3, 4)]
    assert [passport.fingerprint for passport in kept] == [
        told["passport"]["fingerprint"] for told in (one, two, three, four)
    ]


def test_another_exam_cannot_be_compared(first: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a secret of sixteen bytes or more")
    with in_thread(ExaminedServer(Mind())) as server:
        judge = ("judges", "exam", f"openai:{server.url}", *MODEL, "--secret", str(secret))
        refused = call(*judge, "--against", str(first))
        alone = call(*judge)
    assert (refused.returncode, alone.returncode) == (2, 0)
    assert "a passport of the exam" in refused.stderr
    assert "first sitting" in alone.stdout


def test_a_passport_that_is_damaged_is_named(first: Path) -> None:
    first.write_text("{}")
    with in_thread(ExaminedServer(Mind())) as server:
        done = call("judges", "exam", f"openai:{server.url}", *MODEL, "--against", str(first))
    assert done.returncode == 1
    assert "not a Passport" in done.stderr
