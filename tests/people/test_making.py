"""A study is made from a run: pairs and clips, scenes held out, checks whose answer the known world knows, verbs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from lookaway.errors import UnknownName, UsageError
from lookaway.people import designs, read_study
from lookaway.people.making import make_study, study_clips
from lookaway.people.ready_clips import ReadyClips
from lookaway.pipeline import plans
from lookaway.pipeline.tasks import built_banks
from lookaway.records import CaseId, Label, Task
from lookaway.store import Run, open_run
from lookaway.video import encode
from tests.command import call, invoke
from tests.people.studies import numbered_frame

OTHERS = ("frozen", "static-camera", "vanished")  # systems of the run besides the truth


@pytest.fixture(scope="session")
def run(demo_run: Path) -> Run:
    return open_run(demo_run)


def test_pairs_are_of_one_task_and_never_with_the_truth(run: Run, tmp_path: Path) -> None:
    made = make_study(run, "wrbench", tmp_path / "study")
    cases = [tuple(map(CaseId.parse, item.cases)) for item in made.main_items]
    tasks = {case.task for pair in cases for case in pair}
    assert len(cases) == 3 * len(tasks)
    assert all(a.task == b.task and a.system != b.system for a, b in cases)
    assert {case.system for pair in cases for case in pair} == set(OTHERS)
    assert all(item.phases and item.prompt and item.subject for item in made.main_items)


def test_whole_scenes_are_held_out(run: Run, tmp_path: Path) -> None:
    text = designs.text("wrbench").replace("holdout = 0.2", "holdout = 0.5")
    (tmp_path / "half.toml").write_text(text)
    made = make_study(run, str(tmp_path / "half.toml"), tmp_path / "study")
    roles = {
        item.scene: {other.role for other in made.main_items if other.scene == item.scene} for item in made.main_items
    }
    assert sorted(map(sorted, roles.values())) == [["holdout"], ["main"]]


def test_checks_are_of_the_known_world_and_their_answer_is_exact(run: Run, tmp_path: Path) -> None:
    made = make_study(run, "stevo", tmp_path / "study")
    right = {CaseId.parse(item.cases[0]).system: item.right for item in made.checks}
    assert right.keys() <= {"truth", *OTHERS}
    assert all(values["progress"] == 1.0 for system, values in right.items() if system == "truth")
    assert all(values == {"progress": 0.0} for system, values in right.items() if system == "frozen")
    pairs = make_study(run, "remembered", tmp_path / "pairs")
    assert pairs.checks
    for item in pairs.checks:
        assert CaseId.parse(item.cases[0]).system == "truth"
        assert item.right == {"remembered": 1.0}
        assert item.media[0] != item.media[1]


def test_a_keyframe_check_is_the_first_frame_without_the_subject(run: Run, tmp_path: Path) -> None:
    made = make_study(run, "memobench-keyframes", tmp_path / "study", limit=2)
    assert len(made.main_items) == 2
    for item in made.checks:
        hidden = next(phase for phase in item.phases if phase.phase == "hidden")
        frame = item.right["gone"]
        assert frame / item.fps[0] >= hidden.start_s - 1e-6
        assert (frame - 1) / item.fps[0] < hidden.start_s
        assert "back" not in item.right


def test_few_items_are_spread_over_scenes_and_systems(run: Run, tmp_path: Path) -> None:
    made = make_study(run, "stevo", tmp_path / "study", limit=6)
    cases = [CaseId.parse(item.cases[0]) for item in made.main_items]
    assert sorted(case.system for case in cases) == sorted(OTHERS * 2)
    assert {item.scene for item in made.main_items} == {task.scene for task in _tasks(run)}


def _tasks(run: Run) -> list[Task]:
    return [clip.task for clip in study_clips(run)]


def test_a_banks_questions_are_asked_beside_the_true_clip(run: Run, tmp_path: Path) -> None:
    banks = built_banks(run, plans.load(run))
    made = make_study(run, "memobench-review", tmp_path / "study", banks=banks)
    asked = [question for bank in banks.values() for question in bank.kept]
    assert {item.question.id for item in made.main_items if item.question} == {question.id for question in asked}
    assert all(item.cases[0].endswith("/truth/0") for item in made.main_items)
    few = make_study(run, "memobench-check", tmp_path / "check", banks=banks)
    groups = [(item.scene, item.question.dimension) for item in few.main_items if item.question]
    assert max(map(groups.count, groups)) <= 2


def test_what_cannot_be_made_is_said(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean frozen"):
        make_study(run, "stevo", tmp_path / "a", systems=["frosen"])
    with pytest.raises(UsageError, match="nothing in it can be asked"):
        make_study(run, "wrbench", tmp_path / "a", systems=["frozen"])
    assert not (tmp_path / "a").exists()
    make_study(run, "stevo", tmp_path / "b", limit=1)
    with pytest.raises(UsageError, match="there already"):
        make_study(run, "stevo", tmp_path / "b", limit=1)


def test_a_clip_of_uneven_rate_keeps_its_frames(tmp_path: Path) -> None:
    encode([numbered_frame(number) for number in range(9)], tmp_path / "odd.mp4", 23.976)
    clip = ReadyClips(tmp_path / "blobs").of(tmp_path / "odd.mp4")
    assert (clip.frames, clip.fps) == (9, 23.976)


def test_verbs_make_a_study_invite_write_files_take_answers_and_hand_out_labels(demo_run: Path, tmp_path: Path) -> None:
    study, files = str(tmp_path / "study"), tmp_path / "files"
    made = call("people", "make", str(demo_run), "--design", "remembered", "--out", study, "--limit", "2")
    assert made.returncode == 0, made.stderr
    assert "2 items" in made.stdout
    links = call("people", "invite", study, "--home", "http://127.0.0.1:8765", "--raters", "2").stdout.split()
    assert len(links) == 2
    assert all(re.fullmatch(r"http://127\.0\.0\.1:8765/i/[\w.-]+/", link) for link in links)
    written = call("people", "file", study, "--raters", "2", "--out", str(files))
    assert written.returncode == 0, written.stderr
    paths = [Path(line) for line in written.stdout.split()]
    assert len(paths) == 2
    pages = [path.read_text() for path in paths]
    assert not [name for name in OTHERS for page in pages if name in re.sub(r'"media": \[[^]]*\]', "", page)]

    rater = paths[0].stem
    answers = [
        {"number": number, "axis": "remembered", "word": "left", "submission": f"{number:032x}", "at": "2026-01-01"}
        for number in range(4)
    ]
    saved = {"lookaway": "answers", "form": 1, "study": read_study(Path(study)).key, "rater": rater, "consented": True}
    (tmp_path / "a.json").write_text(json.dumps(saved | {"answers": answers}))
    taken = call("people", "import", study, str(tmp_path / "a.json"))
    assert taken.returncode == 0, taken.stderr
    assert "4 new labels" in taken.stdout
    told = json.loads(call("people", "show", study, "--json").stdout)
    assert {row["rater"]: row["answered"] for row in told["raters"]}[rater] == 4
    assert call("people", "show", study).returncode == 0

    out = tmp_path / "labels.jsonl"
    assert call("people", "labels", study, "--checks", "--out", str(out)).returncode == 0
    labels = [Label.model_validate_json(line) for line in out.read_text().splitlines()]
    assert len(labels) == 4
    assert {label.rater for label in labels} == {rater}
    assert invoke("people", "labels", study)[0] == 2

    invite = told["invites"][0]["id"]
    assert call("people", "withdraw", study, invite).returncode == 0
    assert invoke("people", "withdraw", study, invite)[0] == 2
    assert "4 answers deleted" in call("people", "erase", study, rater).stdout
    assert invoke("people", "erase", study, rater)[0] == 2
    assert call("people", "labels", study, "--out", str(out)).returncode == 0
    assert out.read_text() == ""


def test_the_demo_makes_a_study_of_a_run(demo_run: Path, tmp_path: Path) -> None:
    out = tmp_path / "study"
    done = call("people", "demo", "--run", str(demo_run), "--out", str(out), "--prepare")
    assert done.returncode == 0, done.stderr
    made = read_study(out)
    assert made.study.kind == "remembered"
    assert made.main_items
    assert made.checks
