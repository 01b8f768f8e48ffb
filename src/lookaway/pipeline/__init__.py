"""The walk: one call per stage, each resumable on its own."""

from __future__ import annotations

import platform
from importlib import metadata
from pathlib import Path

from lookaway import aggregate, protocols
from lookaway.errors import StoreError
from lookaway.metrics import METRICS
from lookaway.pipeline import controls, generate, judge, observe, plans, score, tasks
from lookaway.pipeline.stage import Options, Progress, Stage, StageReport, check_only, run_stage
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import Board, Plan, Score
from lookaway.reports import REPORTS
from lookaway.store import Run

STAGES: dict[str, Stage] = {
    s.name: s for s in (tasks.STAGE, controls.STAGE, generate.STAGE, observe.STAGE, judge.STAGE, score.STAGE)
}


def walk(
    run: Run, plan: Plan, options: Options, progress: Progress, skip: frozenset[str] = frozenset()
) -> list[StageReport]:
    """Every stage up to the scores; the judge only where one is chosen."""
    unwanted = skip if plan.judge is not None else skip | {"judge"}
    reports = [run_stage(stage, run, plan, options, progress) for name, stage in STAGES.items() if name not in unwanted]
    check_only(reports, options)
    return reports


def make_board(run: Run, plan: Plan) -> Board:
    """Stage `aggregate`: all scores of the plan as one Board."""
    return aggregate.board(
        suite=plan.suite,
        suite_version=plan.suite_version,
        systems=[s.name for s in plan.systems],
        protocols=[protocols.load(name) for name in plan.protocols],
        tasks=built_tasks(run, plan).values(),
        scores=run.table("scores", Score),
        scales=metric_scales(),
        not_measured=plans.not_measured(plan),
        environment={
            "lookaway": metadata.version("lookaway"),
            "python": platform.python_version(),
            "system": platform.system(),
            "machine": platform.machine(),
        },
    )


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
