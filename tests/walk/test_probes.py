"""Whoever looked, at which case, in which population: the mistakes that once passed silently."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import lookaway
from lookaway.api import Silent
from lookaway.errors import UnknownName, UsageError
from lookaway.generators import GENERATORS, Commission, ForkPair, Movie
from lookaway.generators.python import VideoRequest
from lookaway.images import read_image
from lookaway.models import system
from lookaway.pipeline import STAGES, counted_scores, make_board, plans, walk
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Answer, Clip, LedgerStep, Request, Score
from lookaway.store import Run
from lookaway.video import encode
from tests.command import invoke
from tests.test_suites import row, suite_folder

QUESTION = {"id": "there", "text": "Is it there?", "dimension": "d", "polarity": "positive", "expected": "yes"}
Frames = NDArray[np.uint8]


def folder_of(path: Path, *names: str) -> Path:
    path.mkdir(parents=True)
    return suite_folder(path, *(row(id=name, scene=name, questions=[QUESTION]) for name in names))


def answers(path: Path, text: str) -> Path:
    path.write_text(json.dumps({"media": "*", "question": "*", "text": text}))
    return path


def judged(run: Run, *judges: str) -> None:
    plan = plans.amend(run, chosen=["metric:question_accuracy"], judges=judges)
    for stage in ("judge", "score"):
        run_stage(STAGES[stage], run, plan, Options(), Silent())


def accuracies(run: Run) -> list[tuple[float | None, int]]:
    cells = make_board(run, plans.load(run)).cells
    return sorted(
        (c.value, c.n) for c in cells if (c.metric, c.slice, c.system) == ("question_accuracy", "all", "truth")
    )


def test_two_judges_fill_two_cells_and_one_that_left_the_plan_is_kept_and_not_shown(
    own_run: Run, tmp_path: Path
) -> None:
    yes, no = answers(tmp_path / "yes.jsonl", "Yes"), answers(tmp_path / "no.jsonl", "No")
    judged(own_run, f"scripted:{yes}", f"scripted:{no}")
    assert accuracies(own_run) == [(pytest.approx(1 / 3), 2), (pytest.approx(2 / 3), 2)]
    judged(own_run, f"scripted:{no}")
    assert accuracies(own_run) == [(pytest.approx(1 / 3), 2)]
    kept = {answer.instrument_key for answer in own_run.latest("answers", Answer).values()}
    assert len(kept) == 2
    judged(own_run, f"scripted:{yes}")
    assert accuracies(own_run) == [(pytest.approx(2 / 3), 2)]


def test_another_prompt_frame_rule_or_vote_never_shares_a_cell(own_run: Run, tmp_path: Path) -> None:
    yes = answers(tmp_path / "yes.jsonl", "Yes")
    judged(own_run, f"scripted:{yes}")
    for setting in ({"scripted.frames": "uniform:3"}, {"scripted.votes": "unanimous"}, {"scripted.wording": "b"}):
        plan = plans.amend(own_run, settings=setting)
        for stage in ("judge", "score"):
            run_stage(STAGES[stage], own_run, plan, Options(), Silent())
    scores = [s for s in own_run.latest("scores", Score).values() if s.metric == "question_accuracy"]
    assert len({(s.instrument_key, s.ask_key) for s in scores}) == 4
    assert len(accuracies(own_run)) == 1, "one plan, one way of asking"


def test_the_same_judge_twice_is_refused(own_run: Run, tmp_path: Path) -> None:
    yes, again = answers(tmp_path / "yes.jsonl", "Yes"), answers(tmp_path / "again.jsonl", "Yes")
    with pytest.raises(UsageError, match="nothing would tell their answers apart"):
        judged(own_run, f"scripted:{yes}", f"scripted:{again}")


def test_two_checkpoints_are_two_rows(tmp_path: Path) -> None:
    def model(request: VideoRequest) -> list[Frames]:
        return [request.image()] * 8

    suite, out = folder_of(tmp_path / "suite", "a", "b"), tmp_path / "run"
    for checkpoint in ("step-1000", "step-2000"):
        board = lookaway.evaluate(
            model, suite=str(suite), protocols=["metric:turned_away"], out=out, checkpoint=checkpoint, name="mine"
        )
    assert board.systems == ("mine@step-1000", "mine@step-2000")
    assert [board.cell(name, "turned_away").n for name in board.systems] == [2, 2]


def test_another_setting_of_a_model_that_has_videos_is_another_row(tmp_path: Path) -> None:
    run, suite = Run(tmp_path / "run"), folder_of(tmp_path / "suite", "a")
    plain = system("held-first-frame")
    plan = plans.extend(run, str(suite), [plain], chosen=["metric:turned_away"])
    walk(run, plan, Options(), Silent())
    other = plain.model_copy(update={"card": plain.card.model_copy(update={"fps": 8.0})})
    plan = plans.extend(run, str(suite), [other], chosen=[])
    first, second = (planned.label for planned in plan.systems)
    assert (first, second.startswith("held-first-frame~")) == ("held-first-frame", True)
    walk(run, plan, Options(), Silent())
    assert [c.n for c in make_board(run, plan).cells if c.slice == "all"] == [1, 1]
    assert plans.extend(run, str(suite), [other], chosen=[]).systems == plan.systems, "given again it has its row"


# ---------------------------------------------------------------- without the suite


@pytest.fixture
def lonely_run(tmp_path: Path) -> Run:
    """A run whose suite folder is gone."""
    suite, videos, out = folder_of(tmp_path / "suite", "a", "b"), tmp_path / "videos", tmp_path / "run"
    videos.mkdir()
    encode([read_image(suite / "first.png")] * 20, videos / "a.mp4", 16)
    code, said = invoke("ingest", str(videos), "--suite", str(suite), "--model", "x", "--out", str(out))
    assert code == 0, said
    shutil.rmtree(suite)
    return Run(out)


def test_a_finished_run_is_scored_shown_and_reported_without_its_suite(lonely_run: Run, tmp_path: Path) -> None:
    elsewhere = shutil.copytree(lonely_run.root, tmp_path / "another machine" / "run")
    (elsewhere / "local.json").unlink(missing_ok=True)
    for words in ("stage observe", "stage score", "stage analyse", "report"):
        code, said = invoke(*words.split(), str(elsewhere))
        assert code == 0, said
    code, said = invoke("show", str(elsewhere), "a/x/0")
    assert code == 0, said
    board = json.loads((elsewhere / "board.json").read_text())
    assert board["systems"] == ["x"]
    assert {cell["n"] for cell in board["cells"] if cell["slice"] == "all"} == {2}
    code, said = invoke("stage", "score", str(elsewhere), "--protocols", "metric:cut")
    assert code == 0, said
    assert counted_scores(Run(elsewhere), plans.load(Run(elsewhere))).filter(pl.col("metric") == "cut").height >= 2


# ---------------------------------------------------------------- not measured is never passed


def clips_without_truth(suite: Path) -> Iterator[tuple[str, list[Frames]]]:
    first = read_image(suite / "first.png")
    noise = np.random.default_rng(0).integers(0, 255, first.shape, np.uint8)
    yield "still", [first] * 40
    yield "cut", [first] * 20 + [noise] * 20
    yield "never", [np.roll(first, 8 * i, axis=1) for i in range(40)]


def test_clips_without_truth_reach_nothing_that_they_did_not_earn(tmp_path: Path) -> None:
    suite, videos, out = folder_of(tmp_path / "suite", "still", "cut", "never"), tmp_path / "videos", tmp_path / "run"
    videos.mkdir()
    for name, frames in clips_without_truth(suite):
        encode(frames, videos / f"{name}.mp4", 16)
    code, said = invoke("ingest", str(videos), "--suite", str(suite), "--model", "x", "--out", str(out))
    assert code == 0, said
    code, said = invoke("run", "--out", str(out), "--protocols", "diorama")
    assert code == 0, said
    ledger = make_board(Run(out), plans.load(Run(out))).ledger
    known = [s for s in ledger if s.protocol == "diorama"]
    first: LedgerStep = known[0]
    assert (first.step, first.reached, first.total) == ("delivered", 0, 3)
    assert first.unknown == {"the task has no true clip to compare with": 3}
    assert all((step.reached, step.lost) == (0, {}) for step in known)
    assert all(step.bounds == (0.0, 1.0) for step in known)
    measured = {s.step: s for s in ledger if s.protocol == "real"}
    assert measured["delivered"].lost, "a still picture is no film"
    assert measured["coherent"].reached == 0
    code, said = invoke("report", str(out))
    assert code == 0, said
    assert "reached every step" not in (out / "report.html").read_text()


# ---------------------------------------------------------------- branches


def test_a_branch_is_another_case_and_an_arm_of_its_own(tmp_path: Path) -> None:
    run, suite = Run(tmp_path / "run"), folder_of(tmp_path / "suite", "a", "b")
    plan = plans.extend(
        run, str(suite), [system("held-first-frame")], chosen=["metric:turned_away"], branches=["watching"]
    )
    walk(run, plan, Options(), Silent())
    cells = {cell.slice: cell.n for cell in make_board(run, plan).cells}
    assert (cells["all"], cells["branch=watching"]) == (2, 2)
    requests = {str(one.case): one for one in run.latest("requests", Request).values()}
    assert requests["a/held-first-frame/0"].control.asked != requests["a/held-first-frame/0/watching"].control.asked
    shown = invoke("show", str(run.root), "a/held-first-frame/0/watching")
    assert shown[0] == 0, shown[1]


def test_who_is_given_no_prefix_has_no_case_without_one(tmp_path: Path) -> None:
    run, suite = Run(tmp_path / "run"), folder_of(tmp_path / "suite", "a")
    plan = plans.extend(
        run, str(suite), [system("held-first-frame")], chosen=["metric:turned_away"], branches=["without-prefix"]
    )
    walk(run, plan, Options(), Silent())
    assert [str(clip.case) for clip in run.latest("clips", Clip).values()] == ["a/held-first-frame/0"]
    with pytest.raises(UnknownName, match="did you mean watching"):
        plans.extend(run, str(suite), [], chosen=[], branches=["watchin"])


def test_a_pair_of_branches_comes_out_of_one_forked_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def forked(commission: Commission) -> ForkPair:
        opened.append(str(commission.request.case))
        away, watching = (commission.workdir / f"{name}.mp4" for name in ("away", "watching"))
        encode([commission.image()] * 8, away, 16)
        encode([commission.image()] * 9, watching, 16)
        return ForkPair(Movie(away), Movie(watching), parts_at=3)

    plain = system("held-first-frame")
    made = replace(GENERATORS.get(plain.card.generator), pair=forked)
    monkeypatch.setitem(GENERATORS._plugins, plain.card.generator, made)
    able = plain.model_copy(update={"card": plain.card.model_copy(update={"can_fork": True})})
    run, suite = Run(tmp_path / "run"), folder_of(tmp_path / "suite", "a")
    plan = plans.extend(run, str(suite), [able], chosen=["metric:turned_away"], branches=["watching"])
    for _ in range(2):
        walk(run, plan, Options(), Silent())
    assert opened == ["a/held-first-frame/0"], "once, for both"
    clips = {clip.case.branch: clip for clip in run.latest("clips", Clip).values()}
    assert {branch: clip.frames for branch, clip in clips.items()} == {"": 8, "watching": 9}
    assert all("the same up to frame 3" in clip.provenance.note for clip in clips.values())
