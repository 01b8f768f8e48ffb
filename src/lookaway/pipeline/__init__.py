"""The walk: one call per stage, each resumable on its own."""

from __future__ import annotations

import platform
from importlib import metadata
from pathlib import Path

import polars as pl

from lookaway import aggregate, extras, suites
from lookaway.errors import MissingExtra, StoreError
from lookaway.metrics import METRICS
from lookaway.pipeline import controls, generate, judge, observe, plans, score, tasks
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.stage import Options, Progress, Stage, StageReport, check_only, run_stage
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import Board, CaseId, Clip, Plan, Score
from lookaway.reports import REPORTS
from lookaway.store import Run

STAGES: dict[str, Stage] = {
    s.name: s for s in (tasks.STAGE, controls.STAGE, generate.STAGE, observe.STAGE, judge.STAGE, score.STAGE)
}


def walk(run: Run, plan: Plan, options: Options, progress: Progress) -> list[StageReport]:
    """Every stage up to the scores; the judge only where one is chosen."""
    check_extras(plan)
    stages = [stage for stage in STAGES.values() if stage.name != "judge" or plan.judge is not None]
    reports = [run_stage(stage, run, plan, options, progress) for stage in stages]
    check_only(reports, options)
    return reports


def check_extras(plan: Plan) -> None:
    """Refuse before anything is made if something the plan needs is not installed."""
    used = [plugin for stage in STAGES.values() if stage.name != "judge" for _, plugin in stage.plugins(plan)]
    for plugin in used:
        extra = getattr(plugin, "extra", None)
        if extra is not None and extras.missing(extra):
            raise MissingExtra(extra, f"'{plugin.name}'")


def make_board(run: Run, plan: Plan) -> Board:
    """Stage `aggregate`: all scores of the plan as one Board."""
    return aggregate.board(
        suite=plan.suite,
        suite_version=plan.suite_version,
        systems=[s.name for s in plan.systems],
        protocols=plan.protocols,
        tasks=built_tasks(run, plan).values(),
        scores=_counted(run, run.table("scores", Score)),
        scales=metric_scales(),
        not_measured=plans.not_measured(plan) | _not_made(run, plan),
        environment={
            "lookaway": metadata.version("lookaway"),
            "python": platform.python_version(),
            "system": platform.system(),
            "machine": platform.machine(),
        },
    )


def _not_made(run: Run, plan: Plan) -> dict[str, str]:
    """Planned clips that nobody has made yet; they are in no cell, so the board must say so."""
    drafts = suites.find(plan.suite).drafts()
    planned = {
        CaseId(task=draft.id, system=system.name, seed=seed)
        for draft in drafts
        for system in controls.generated_systems(plan)
        for seed in plan.seeds
    }
    unbuilt = len(drafts) - len(built_tasks(run, plan))
    missing = len(planned - {clip.case for clip in current_clips(run, plan)})
    go_on = f"not made yet; go on with: lookaway run --out {run.root.name}"
    lines = {f"{unbuilt} of {len(drafts)} tasks": go_on, f"{missing} of {len(planned)} planned clips": go_on}
    return {what: why for what, why in lines.items() if not what.startswith("0 of")}


def _counted(run: Run, scores: pl.DataFrame) -> pl.DataFrame:
    """Scores without those of clips that were taken back."""
    gone = [c.case for c in run.latest("clips", Clip).values() if c.status == "withdrawn"]
    if not gone:
        return scores
    cases = pl.DataFrame(
        [case.model_dump() for case in gone], schema={"task": pl.String, "system": pl.String, "seed": pl.Int64}
    )
    return scores.join(cases, on=["task", "system", "seed"], how="anti", maintain_order="left")


def metric_scales() -> dict[tuple[str, str], aggregate.Scale]:
    """The scale of every registered metric that has a fixed range."""
    return {
        (m.name, m.variant): aggregate.Scale(*m.range, worst=m.range[0 if m.better == "higher" else 1])
        for m in METRICS.all().values()
        if m.range is not None
    }


def write_reports(run: Run, plan: Plan, board: Board) -> list[Path]:
    """Stage `report`: every registered format into the run folder."""
    written = []
    for report in REPORTS.all().values():
        path = run.root / report.file
        temporary = path.with_name(f".{path.name}.incoming")
        try:
            temporary.write_bytes(report.function(board, run, plan))
            temporary.replace(path)
        except OSError as error:
            raise StoreError(
                f"{path}: {error.strerror or error}; make room, then: lookaway report {run.root}"
            ) from error
        written.append(path)
    return written
