"""Rerunning skips what is there; a changed input is done again; nothing is counted twice."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lookaway.api import Silent
from lookaway.errors import PluginChanged, UsageError
from lookaway.pipeline import STAGES, counted_scores, make_board, plans, walk
from lookaway.pipeline.stage import Job, Options, StageReport, run_stage, selected
from lookaway.records import PluginVersion, Score
from lookaway.store import Run


def left_to_do(run: Run, **options: object) -> dict[str, int]:
    reports = walk(run, plans.load(run), Options(dry_run=True, only="*_ball_*", **options), Silent())
    return {report.stage: report.total - report.skipped for report in reports}


def test_a_finished_run_has_nothing_left_to_do(own_run: Run) -> None:
    assert set(left_to_do(own_run).values()) <= {0, 3}  # three more balls of the suite were never asked for
    reports = walk(own_run, plans.load(own_run), Options(only="parlour0_ball*"), Silent())
    assert all(report.outcomes == () for report in reports)


def test_fresh_does_it_again_under_a_higher_attempt_and_the_board_is_the_same(own_run: Run) -> None:
    plan = plans.load(own_run)
    before = make_board(own_run, plan)
    report = run_stage(STAGES["score"], own_run, plan, Options(fresh=True), Silent())
    assert len(report.outcomes) == 8
    assert {done.attempt for done in own_run.done("scores").values()} == {1}
    assert make_board(own_run, plan) == before


def test_losing_one_log_line_costs_one_job(own_run: Run) -> None:
    plan = plans.load(own_run)
    before = make_board(own_run, plan)
    logs = sorted(own_run.log_folder("scores").glob("*.jsonl"))
    last = logs[-1]
    lines = last.read_bytes().splitlines(keepends=True)
    last.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])  # the tail of a killed writer
    report = run_stage(STAGES["score"], own_run, plan, Options(), Silent())
    assert len(report.outcomes) == 1
    assert make_board(own_run, plan) == before


def test_a_changed_upstream_record_is_scored_again(own_run: Run) -> None:
    plan = plans.load(own_run)
    before = own_run.table("scores", Score).height
    changed = plans.amend(own_run, settings={"view.note": "other"})
    observed = run_stage(STAGES["observe"], own_run, changed, Options(), Silent())
    scored = run_stage(STAGES["score"], own_run, changed, Options(), Silent())
    assert len(observed.outcomes) == len(scored.outcomes) == 8
    assert own_run.table("scores", Score).height > before, "what another instrument saw is kept"
    assert counted_scores(own_run, changed).height == 8 * len(plans.planned_metrics(changed))
    assert counted_scores(own_run, plan).height == 8 * len(plans.planned_metrics(plan))


def test_the_same_version_with_other_code_is_an_error(own_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plans.load(own_run)
    monkeypatch.setattr("lookaway.pipeline.stage.source_sha256", lambda function: "other code")
    with pytest.raises(PluginChanged, match=r"metric 'turn_share' is still version 1.*raise its version.*--fresh"):
        run_stage(STAGES["score"], own_run, plan, Options(), Silent())
    with pytest.raises(PluginChanged):
        run_stage(STAGES["score"], own_run, plan, Options(fresh=True, limit=1), Silent())
    run_stage(STAGES["score"], own_run, plan, Options(fresh=True), Silent())
    recorded = [v for v in own_run.latest("plugins", PluginVersion).values() if v.kind == "metric"]
    assert {version.source_sha256 for version in recorded} == {"other code"}
    assert len(recorded) == len(plans.planned_metrics(plan))


def jobs(count: int) -> list[Job]:
    return [Job(f"task{i}/model/0", f"task{i}", None, {str(i): ""}) for i in range(count)]


def test_shards_split_the_work_without_gap_or_overlap() -> None:
    parts = [selected(jobs(40), Options(shard=(i, 3))) for i in (1, 2, 3)]
    names = [job.name for part in parts for job in part]
    assert sorted(names) == sorted(job.name for job in jobs(40))
    assert all(parts)


def test_a_shard_walks_alone(own_run: Run) -> None:
    """Every stage gives a shard the same tasks, so that no shard waits for what another one makes."""
    plan = plans.load(own_run)
    shard = Options(shard=(1, 2))
    mine = {job.name for job in selected(STAGES["tasks"].jobs(own_run, plan), shard)}
    for name in ("controls", "generate", "observe", "score"):
        jobs = STAGES[name].jobs(own_run, plan)
        kept = {job.name.split("/")[0] for job in selected(jobs, shard)}
        assert kept == mine & {job.name.split("/")[0] for job in jobs}, name


def test_only_and_limit_choose(own_run: Run) -> None:
    assert [j.name for j in selected(jobs(40), Options(only="task7/"))] == ["task7/model/0"]
    assert len(selected(jobs(40), Options(limit=5))) == 5
    with pytest.raises(UsageError, match=r"--only 'tusk' matches none of the \d+ items, such as \w+/\w+/0"):
        walk(own_run, plans.load(own_run), Options(only="tusk"), Silent())


def test_two_workers_give_the_same_records_as_one(own_run: Run) -> None:
    plan = plans.load(own_run)
    before = {k: s.value for k, s in own_run.latest("scores", Score).items()}
    report: StageReport = run_stage(STAGES["score"], own_run, plan, Options(fresh=True, workers=2), Silent())
    assert len(report.outcomes) == 8
    assert {k: s.value for k, s in own_run.latest("scores", Score).items()} == before


def test_an_interrupted_command_says_how_to_go_on(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).parent / "lookaway"), "demo", "--out", str(tmp_path / "d"), "--workers", "2"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert process.stderr.readline()  # it has begun
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "run the same command to go on" in said
    assert "Traceback" not in said
