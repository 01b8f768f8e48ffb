"""The walk: one call per stage, each resumable on its own."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import polars as pl

from lookaway import extras
from lookaway.analyses import Findings
from lookaway.analyses.board import NOT_COUNTED, board, findings_of, metric_scales
from lookaway.errors import MissingExtra, UsageError
from lookaway.metrics import METRICS
from lookaway.observers.elsewhere import lives_elsewhere
from lookaway.pipeline import (
    analyse,
    controls,
    exhibits,
    generate,
    judge,
    montages,
    observe,
    path_pictures,
    plans,
    report_folder,
    score,
    tasks,
)
from lookaway.pipeline.cards import check_card
from lookaway.pipeline.cases import generated_systems, planned_cases
from lookaway.pipeline.clips import current_clips, told_memory
from lookaway.pipeline.judged_clips import judged_clips
from lookaway.pipeline.planned import PlannedScore, planned_scores
from lookaway.pipeline.shown_cases import MOST_SHOWN, tasks_shown
from lookaway.pipeline.stage import Options, Progress, Stage, StageReport, check_only, check_selected, run_stage
from lookaway.pipeline.tasks import built_banks, built_tasks
from lookaway.pipeline.this_machine import passed_on
from lookaway.records import Board, CaseId, Clip, Label, Plan, Score, Table
from lookaway.reports import REPORTS
from lookaway.reports.case_parts import case_pages
from lookaway.reports.exhibits import Exhibits
from lookaway.store import Run, snapshot, write_whole

STAGES: dict[str, Stage] = {
    s.name: s for s in (tasks.STAGE, controls.STAGE, generate.STAGE, observe.STAGE, judge.STAGE, score.STAGE)
}


def walk(run: Run, plan: Plan, options: Options, progress: Progress) -> list[StageReport]:
    """Every stage up to the scores; the judge only where one is chosen."""
    check_plan(run, plan, options)
    plan = _with_what_is_installed(run, plan, progress)
    return [run_stage(stage, run, plan, options, progress) for stage in _stages(plan)]


def walk_one(name: str, run: Run, plan: Plan, options: Options, progress: Progress) -> StageReport:
    """One stage alone."""
    lost = plans.lost(run, plan)
    if name == "judge" and (gone := plans.lost_judges(plan)):
        raise UsageError(f"judge {gone[0]}: {lost[f'judge {gone[0]}']}")
    report = run_stage(STAGES[name], run, _with_what_is_installed(run, plan, progress), options, progress)
    check_selected(report, options)
    return report


def _with_what_is_installed(run: Run, plan: Plan, progress: Progress) -> Plan:
    for what, why in plans.lost(run, plan).items():
        progress.say(f"going on without {what}: {why}")
    return plans.installed(plan)


def _stages(plan: Plan) -> list[Stage]:
    return [stage for stage in STAGES.values() if stage.name != "judge" or plan.judges]


def check_plan(run: Run, plan: Plan, options: Options) -> None:
    """Refuse before anything is made what the plan cannot be walked with: extras, cards, a pattern of nothing."""
    plan = plans.installed(plan)
    check_extras(plan, run)
    for system in generated_systems(plan):
        try:
            check_card(system.card)
        except UsageError as error:
            raise UsageError(f"{error}{plans.way_out(run, 'model', [system.label])}") from error
    if options.only is not None:
        cases = [*tasks.STAGE.cases(run, plan), *(clip.case for clip in current_clips(run, plan))]
        check_only(options, cases, sorted(tasks.planned_tasks(plan)))


def check_extras(plan: Plan, run: Run | None = None) -> None:
    """Refuse before anything is made if something the plan needs is not installed.

    An observer that no protocol names and no first headline needs is let go: it abstains and says what to install.
    """
    used = [named for stage in _stages(plan) for named in stage.plugins(plan)]
    known = METRICS.all()
    first = [known[str(ref)] for p in plan.protocols for ref in p.headline[:1] if str(ref) in known]
    vital = {name for metric in first for name in metric.observers}.union(*(p.observers for p in plan.protocols))
    for kind, plugin in used:
        if kind == "observer" and plugin.name not in vital:
            continue
        extra = getattr(plugin, "extra", None)
        if extra is not None and extras.missing(extra) and not lives_elsewhere(plan.settings_of(plugin.name)):
            instead = getattr(plugin, "without_extra", "")
            instead = instead or ("" if run is None else _leave_out(run, plan, kind, plugin.name))
            raise MissingExtra(extra, f"'{plugin.name}'", instead)


def _leave_out(run: Run, plan: Plan, kind: str, name: str) -> str:
    """How to go on without a plugin, where the plan that needs it is written down."""
    match kind:
        case "judge":
            return plans.way_out(run, "judge", [name])
        case "generator":
            return plans.way_out(run, "model", [s.label for s in generated_systems(plan) if s.card.generator == name])
        case "observer":
            apart = {p.name: plan.model_copy(update={"protocols": (p,)}) for p in plan.protocols}
            needing = [p for p, alone in apart.items() if name in plans.planned_observers(alone)]
            return plans.way_out(run, "protocol", needing)
    return ""


def run_findings(run: Run, plan: Plan, labels: Sequence[Label] | None = None) -> list[Findings]:
    """What the analyses of each protocol may know of a run; if not given, labels are those written into it."""
    return findings_of(
        plan.protocols,
        built_tasks(run, plan),
        plan.systems,
        counted_scores(run, plan),
        metric_scales(),
        banks=built_banks(run, plan),
        labels=tuple(run.latest("labels", Label).values()) if labels is None else labels,
        judged=judged_clips(run, plan),
        memory_bytes=told_memory(run, plan),
    )


def make_board(run: Run, plan: Plan) -> Board:
    """Stage `analyse`: all scores of the plan as one Board, with the tables of its protocols' analyses."""
    run = snapshot(run)
    findings = run_findings(run, plan)
    counted = board(
        suite=plan.suite,
        suite_version=plan.suite_version,
        systems=plan.systems,
        findings=findings,
        not_measured=plans.not_measured(plan) | plans.lost(run, plan) | _not_made(run, plan),
        environment={
            "lookaway": metadata.version("lookaway"),
            "python": platform.python_version(),
            "system": platform.system(),
            "machine": platform.machine(),
        },
    )
    found = analyse.analysed(findings)
    more = {"tables": found.tables, "not_analysed": found.missing, "deviations": plans.deviations(plan)}
    return counted.model_copy(update=more)


def _not_made(run: Run, plan: Plan) -> dict[str, str]:
    """Planned clips that nobody has made yet; they are in no cell, so the board must say so."""
    asked = tasks.planned_tasks(plan)
    planned = set(planned_cases(plan, sorted(asked)))
    unbuilt = len(asked) - len(built_tasks(run, plan))
    missing = len(planned - {clip.case for clip in current_clips(run, plan)})
    go_on = f"not made yet; go on with: lookaway run --out {shlex.quote(str(run.root))}"
    lines = {f"{unbuilt} of {len(asked)} tasks": go_on, f"{missing} of {len(planned)} planned clips": go_on}
    return {what: why for what, why in lines.items() if not what.startswith("0 of")}


CASE = {"task": pl.String, "system": pl.String, "seed": pl.Int64, "branch": pl.String}
READING = ("protocol", "metric", "variant", "version", "instrument_key", "ask_key")


def counted_scores(run: Run, plan: Plan) -> pl.DataFrame:
    """Scores of the plan's cases by the plan's instruments, without those of clips that were taken back.

    Of a metric that is not installed here all that was recorded counts: nobody can tell what would be planned.
    """
    scores = run.table("scores", Score, without=NOT_COUNTED)
    if plan.cases:
        scores = scores.join(_table(plan.cases), on=list(CASE), how="semi", maintain_order="left")
    gone = {key for key, done in run.done("clips").items() if done.status == "withdrawn"}
    if gone:
        cases = [clip.case for clip in run.latest("clips", Clip, gone).values()]
        scores = scores.join(_table(cases), on=list(CASE), how="anti", maintain_order="left")
    return _by_planned_instruments(scores, plan)


def _by_planned_instruments(scores: pl.DataFrame, plan: Plan) -> pl.DataFrame:
    planned = [_columns_of(reading) for reading in planned_scores(plans.installed(plan))]
    schema = dict.fromkeys(READING, pl.String) | {"version": pl.Int64}
    wanted = pl.DataFrame(planned, schema=schema, orient="row").unique().with_columns(planned=pl.lit(True))
    known = wanted.select("protocol", "metric", "variant").unique().with_columns(known=pl.lit(True))
    marked = scores.join(wanted, on=READING, how="left", maintain_order="left").join(
        known, on=["protocol", "metric", "variant"], how="left", maintain_order="left"
    )
    return marked.filter(pl.col("planned") | pl.col("known").is_null()).drop("planned", "known")


def _columns_of(reading: PlannedScore) -> tuple[str, str, str, int, str, str]:
    metric = METRICS.get(reading.metric)
    who = (reading.instrument_key, reading.ask_key)
    return reading.protocol, metric.name, metric.variant, reading.version, *who


def _table(cases: Iterable[CaseId]) -> pl.DataFrame:
    return pl.DataFrame([tuple(dict(case).values()) for case in cases], schema=CASE, orient="row")


def placeless_board(board: Board, run: Run) -> Board:
    """The board as it may be passed on: its advice calls the run folder by its name alone and names no other place."""
    reasons = {
        "not_measured": board.not_measured,
        "not_analysed": board.not_analysed,
        "deviations": board.deviations,
    }
    update = {name: {what: passed_on(why, run.root) for what, why in known.items()} for name, known in reasons.items()}
    return board.model_copy(update=update)


def make_exhibits(
    run: Run,
    plan: Plan,
    tables: Iterable[Table] = (),
    apart: bool = False,
    progress: Progress | None = None,
    most: int = MOST_SHOWN,
) -> Exhibits:
    """Stage `exhibits`: all that the reports show beside the board, of at most so many clips (0: of all)."""
    run = snapshot(run)
    cases = [clip.case for clip in current_clips(run, plan)]
    chosen = set(tasks_shown(cases, built_tasks(run, plan), tables, most))
    shown = exhibits.gathered(run, plan, counted_scores(run, plan), chosen, apart, progress)
    return replace(shown, clips_left_out=sum(case.task not in chosen for case in cases))


def write_reports(
    run: Run, plan: Plan, board: Board, progress: Progress | None = None, most: int = MOST_SHOWN
) -> list[Path]:
    """Stage `report`: every registered format into the run folder, and pages of tasks beside where there are many."""
    board, shown = placeless_board(board, run), _shown(snapshot(run), plan, board, False, progress, most)
    again = f"lookaway report {run.root}"
    written = [
        write_whole(run.root / report.file, report.function(board, shown), again) for report in REPORTS.all().values()
    ]
    report_folder.write_pages(run.root, case_pages(board, shown), again)
    return written


def write_report_folder(
    run: Run, plan: Plan, board: Board, out: Path, progress: Progress | None = None, most: int = MOST_SHOWN
) -> Path:
    """The report with a page per task and all its videos, in a folder of its own that can be passed on."""
    board, shown = placeless_board(board, run), _shown(snapshot(run), plan, board, True, progress, most)
    return report_folder.write_folder(run.root, board, shown, out)


def _shown(run: Run, plan: Plan, board: Board, apart: bool, progress: Progress | None, most: int) -> Exhibits:
    pictures = path_pictures.path_pictures(run, plan, board.tables)
    beside = montages.montages(run, plan, board.tables)
    shown = make_exhibits(run, plan, board.tables, apart, progress, most)
    return replace(shown, montages=beside, paths=pictures)
