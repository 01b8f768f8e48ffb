"""The exam itself: 64 clips of the known world, the same every time, whose answers are right by other evidence too."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lookaway import truth
from lookaway.errors import UsageError
from lookaway.judges.exam import clips
from lookaway.judges.exam.operating_point import operating_point
from lookaway.judges.exam.paper import exam_paper
from lookaway.records import Choice, ExamAnswer, ExamItem, ExamPaper, Instrument, Passport
from lookaway.store import Blobs
from lookaway.suites.known_world import build_known_world
from lookaway.video import SharedFrames
from tests.command import call
from tests.judges.exam_papers import MODEL
from tests.judges.examined_server import ExaminedServer, Mind
from tests.judges.server import in_thread

pytest.importorskip("mujoco")

FIRST, LAST = 0, -1


@dataclass(frozen=True)
class Exam:
    paper: ExamPaper
    blobs: Blobs

    def frames(self, item: ExamItem) -> NDArray[np.float64]:
        return SharedFrames.load(self.blobs.path(item.clip), long_side=None).rgb.astype(np.float64)

    def asked(self, *families: str, shown: str = "", kind: str = "") -> list[ExamItem]:
        found = [item for item in self.paper.items if item.family in families]
        return [
            item for item in found if (not shown or item.shown.startswith(shown)) and (not kind or item.kind == kind)
        ]

    def true_last(self, item: ExamItem) -> NDArray[np.float64]:
        """The last frame of the true clip of the item's world, by whoever shows it as filmed."""
        (clip,) = {other.clip for other in self.paper.items if (other.scene, other.shown) == (item.scene, "truth")}
        return np.asarray(SharedFrames.load(self.blobs.path(clip), long_side=None).rgb[LAST], np.float64)


@pytest.fixture(scope="module")
def exam(tmp_path_factory: pytest.TempPathFactory) -> Exam:
    blobs = Blobs(tmp_path_factory.mktemp("exam"))
    return Exam(exam_paper(blobs), blobs)


@pytest.fixture(scope="module")
def masks(exam: Exam, tmp_path_factory: pytest.TempPathFactory) -> dict[str, NDArray[np.bool_]]:
    """Where the subject is in every frame of each world's true clip, as its task has it on record."""
    blobs = Blobs(tmp_path_factory.mktemp("tasks"))
    found = {}
    for draft in clips.drafts([task.world.seed for task in exam.paper.tasks.values() if task.world is not None]):
        reference = build_known_world(draft, blobs, clips.SIZE).reference
        assert reference is not None
        known = truth.load(reference, blobs.root).masks
        assert known is not None
        found[draft.id] = known
    return found


# ---------------------------------------------------------------- what it is


def test_it_has_64_clips_of_every_kind_and_as_many_yes_as_no(exam: Exam) -> None:
    items = exam.paper.items
    assert len({item.clip for item in items}) == len({item.sheet for item in items}) == 64
    by_clip = Counter({item.sheet: item.kind for item in items}.values())
    assert by_clip == {"fault": 16, "order": 12, "harmless": 10, "dropped": 10, "truth": 8, "blank": 8}
    said = Counter(item.expected for item in items)
    assert abs(said["yes"] - said["no"]) <= 2
    assert 64 <= 2 * len(items) <= 200, "calls of a sitting"


def test_every_fault_blank_and_reversal_has_something_to_notice_and_nothing_harmless_has(exam: Exam) -> None:
    noticeable = {item.sheet for item in exam.paper.items if item.alarm}
    must = {item.sheet for item in exam.paper.items if item.kind in ("fault", "blank") or "reversed" in item.shown}
    assert must <= noticeable
    assert not noticeable & {item.sheet for item in exam.paper.items if item.kind in ("truth", "harmless")}


def test_it_is_drawn_again_to_the_last_byte_without_any_cache(
    exam: Exam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOKAWAY_CACHE", "off")
    again = exam_paper(Blobs(tmp_path))
    assert again == exam.paper
    assert again.id == exam.paper.id


def test_its_id_is_a_seal(exam: Exam) -> None:
    first, *others = exam.paper.items
    turned: dict[Choice, Choice] = {"yes": "no", "no": "yes"}
    for change in ({"clip": "0" * 64}, {"text": "Is it?"}, {"expected": turned[first.expected]}):
        forged = exam.paper.model_copy(update={"items": (first.model_copy(update=change), *others)})
        assert forged.id != exam.paper.id


def test_a_short_secret_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least 16"):
        exam_paper(Blobs(tmp_path), b"short")


def test_no_question_names_a_fault_or_says_what_is_expected(exam: Exam) -> None:
    for item in exam.paper.items:
        assert item.shown.partition("@")[0] not in item.text
        assert item.kind not in item.text.split()


# ---------------------------------------------------------------- its answers, by other evidence


def test_black_and_grey_frames_are_where_the_answers_say(exam: Exam) -> None:
    for item in exam.asked("black_first", "black_last", "black_any"):
        black = exam.frames(item).max(axis=(1, 2, 3)) < 12
        seen = {"black_first": black[FIRST], "black_last": black[LAST], "black_any": black.any()}[item.family]
        assert bool(seen) == (item.expected == "yes"), item.id
    for item in exam.asked("grey_all", "in_any"):
        plain = np.ptp(exam.frames(item)) < 8
        assert plain == ((item.family == "grey_all") == (item.expected == "yes")), item.id


def test_the_questions_of_the_suite_have_the_answers_of_the_suite(exam: Exam, tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    seeds = [task.world.seed for task in exam.paper.tasks.values() if task.world is not None]
    banks = {draft.id: build_known_world(draft, blobs, clips.SIZE).bank for draft in clips.drafts(seeds)}
    asked = [item for item in exam.asked("ended", "as_before") if item.kind in ("truth", "harmless")]
    asked += [item for item in exam.asked("ended", "as_before", kind="order") if item.shown == "truth"]
    assert len(asked) > 8
    for item in asked:
        bank = banks[item.scene]
        assert bank is not None
        (question,) = [question for question in bank.questions if question.id == item.family]
        assert item.expected == question.expected, item.id


def test_sides_are_those_of_the_recorded_masks(exam: Exam, masks: dict[str, NDArray[np.bool_]]) -> None:
    asked = [i for i in exam.asked("righter", "lefter", "higher") if i.kind in ("truth", "order") or i.shown == "noisy"]
    assert len(asked) > 8
    for item in asked:
        first, last = masks[item.scene][[FIRST, LAST]][:: -1 if "reversed" in item.shown else 1]
        (y0, x0), (y1, x1) = (
            (m.nonzero()[0].mean() / m.shape[0], m.nonzero()[1].mean() / m.shape[1]) for m in (first, last)
        )
        shift = {"righter": x1 - x0, "lefter": x0 - x1, "higher": y0 - y1}[item.family]
        assert (shift > 0.05) == (item.expected == "yes"), item.id


def test_what_is_gone_doubled_or_recoloured_shows_in_the_pixels(
    exam: Exam, masks: dict[str, NDArray[np.bool_]]
) -> None:
    def changed(item: ExamItem) -> NDArray[np.bool_]:
        return np.asarray(np.abs(exam.frames(item)[LAST] - exam.true_last(item)).max(axis=-1) > 40)

    checked = 0
    for item in exam.asked("there", "twice", "recoloured", kind="fault"):
        if not item.alarm or item.shown.startswith("floating"):
            continue
        own, off = masks[item.scene][LAST], changed(item)
        if item.family == "twice":
            assert off[~own].sum() > 0.3 * own.sum(), item.id
        else:
            assert off[own].mean() > 0.6, item.id
        checked += 1
    assert checked >= 5


# ---------------------------------------------------------------- how a judge does


def passport_of(exam: Exam, says: dict[str, Choice | None]) -> Passport:
    answers = [
        ExamAnswer(item=item, round=number, status="ok" if choice else "abstained", choice=choice)
        for item, choice in says.items()
        for number in range(2)
    ]
    instrument = Instrument(kind="judge", plugin="somebody", version=1)
    plain = {"address": "a", "exam": exam.paper.id, "fingerprint": "f", "sat_at": ""}
    return Passport(instrument=instrument, answers=tuple(answers), **plain)


def test_who_knows_everything_is_right_hits_all_and_never_cries_wolf(exam: Exam) -> None:
    point = operating_point(passport_of(exam, {item.id: item.expected for item in exam.paper.items}), exam.paper)
    assert point.right.value == 1.0
    assert point.beats_floors
    assert point.yes_lean == 0.0
    assert {row.hits.value for row in point.rows} == {1.0, None}
    assert {row.false_alarms.value for row in point.rows} == {0.0, None}


@pytest.mark.parametrize("always", ["yes", "no"])
def test_who_never_looks_is_at_the_floor(exam: Exam, always: Choice) -> None:
    point = operating_point(passport_of(exam, {item.id: always for item in exam.paper.items}), exam.paper)
    assert point.right.value == pytest.approx(point.always_yes if always == "yes" else point.always_no)
    assert not point.beats_floors
    assert point.yes_lean == pytest.approx(1 - point.expected_yes if always == "yes" else -point.expected_yes)


def test_who_cannot_tell_hits_nothing_and_alarms_nobody(exam: Exam) -> None:
    point = operating_point(passport_of(exam, {item.id: None for item in exam.paper.items}), exam.paper)
    assert point.right.value is None
    assert point.unanswered == 2 * len(exam.paper.items)
    assert {row.hits.value for row in point.rows} | {row.false_alarms.value for row in point.rows} == {0.0, None}


def test_the_whole_exam_is_sat_over_http(exam: Exam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("httpx")
    monkeypatch.setenv("LOOKAWAY_STATE", str(tmp_path / "state"))
    with in_thread(ExaminedServer(Mind())) as server:
        done = call("judges", "exam", f"openai:{server.url}", *MODEL, "--json")
        assert done.returncode == 0, done.stderr
        assert len(server.log) == 2 * len(exam.paper.items)
    (told,) = json.loads(done.stdout)
    assert told["passport"]["exam"] == exam.paper.id
