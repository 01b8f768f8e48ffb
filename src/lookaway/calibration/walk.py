"""A calibration as a run: choose tasks, build them, choose cases, make and measure them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lookaway import extras, models, suites
from lookaway.calibration.judge_checks import CHECKS
from lookaway.calibration.measurable import planned_protocols
from lookaway.calibration.right_answers import RIGHT_ANSWERS
from lookaway.calibration.sample import (
    LARGE,
    LARGE_TASKS,
    SMALL,
    candidates,
    choose_cases,
    choose_tasks,
    is_small,
)
from lookaway.calibration.systems import Rung, rungs
from lookaway.errors import MissingExtra, UnknownName
from lookaway.pipeline import STAGES, check_extras, plans
from lookaway.pipeline.planned import check_settings
from lookaway.pipeline.seats import seat_of
from lookaway.pipeline.stage import Options, Progress, StageReport, check_only, run_stage
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import CaseId, Plan, PlannedJudge, Setting
from lookaway.store import Run


@dataclass(frozen=True)
class Wish:
    """What to calibrate on what; None where the suite's size decides."""

    suite: str
    faults: Sequence[str] | None = None  # with them, no other faults, stress models and baselines
    metrics: Sequence[str] | None = None
    tasks: int | None = None
    quotas: dict[str, int] = field(default_factory=dict)
    judges: Sequence[str] = ()
    settings: dict[str, Setting] = field(default_factory=dict)
    protocols: Sequence[str] = ()  # names or files; none: every registered metric
    banks: Path | None = None  # a folder of questions, put in place of the tasks' own


def calibrate(
    run: Run, wish: Wish, options: Options, progress: Progress, say: Callable[[str], None]
) -> tuple[Plan, list[StageReport]]:
    """Everything up to the scores; what is done already is skipped. A dry run stops where it cannot know more."""
    suite = suites.find(wish.suite)
    if suite.extra is not None and extras.missing(suite.extra):
        raise MissingExtra(suite.extra, f"suite '{suite.name}'")
    drafts = candidates(suite)
    small = is_small(drafts)
    chosen = chosen_rungs(wish.faults)
    tasks = choose_tasks(drafts, wish.tasks or (len(drafts) if small else LARGE_TASKS))
    plan = Plan(
        suite=wish.suite,
        suite_version=str(suite.version),
        systems=tuple(models.system(rung.system) for rung in chosen),
        tasks=tuple(draft.id for draft in suite.drafts()),
        protocols=planned_protocols(wish.protocols, wish.metrics, bool(wish.judges)),
        judges=tuple(map(PlannedJudge.parse, wish.judges)),
        settings=wish.settings,
        cases=tuple(CaseId(task=task, system="truth") for task in tasks),
    )
    keep = not options.dry_run
    if wish.banks is not None:
        plan = plan.model_copy(update={"bank": plans.kept_bank(run, wish.banks, tasks, keep)})
    check_extras(plan)
    for judge in plan.judges:
        for member in seat_of(plan, judge).members:
            member.opened()  # refuses what it cannot work with before anything is made
    check_settings(plans.installed(plan))
    plan = plans.sample(run, plan, keep)
    whole = replace(options, only=None, limit=None, shard=(1, 1))  # cases are chosen among all tasks
    reports = [run_stage(STAGES["tasks"], run, plan, whole, progress)]
    built = built_tasks(run, plan)
    if len(built) < len(tasks) and options.dry_run:
        return plan, reports
    quotas = replace(SMALL if small else LARGE, **wish.quotas)
    plan = with_cases(plan, choose_cases(chosen, built, quotas))
    say(in_words(chosen, plan.cases))
    plan = plans.sample(run, plan, keep)
    stages = [s for s in STAGES.values() if s.name != "tasks" and (s.name != "judge" or plan.judges)]
    stages += [CHECKS, RIGHT_ANSWERS] if plan.judges else []
    check_only(options, plan.cases)
    reports += [run_stage(stage, run, plan, options, progress) for stage in stages]
    return plan, reports


def in_words(chosen: Sequence[Rung], cases: Sequence[CaseId]) -> str:
    """How large the sample is: `1232 clips of 8 tasks: 8 truth, 120 harmless, …`."""
    kinds = {rung.system: rung.kind for rung in chosen}
    counts = Counter(kinds[case.system] for case in cases)
    parts = ", ".join(f"{number} {kind}" for kind, number in counts.items())
    return f"calibrating on {len(cases)} clips of {len({case.task for case in cases})} tasks: {parts}"


def with_cases(plan: Plan, cases: Iterable[CaseId]) -> Plan:
    """The plan about exactly these cases."""
    cases = tuple(cases)
    return plan.model_copy(update={"cases": cases, "seeds": tuple(sorted({case.seed for case in cases}))})


def chosen_rungs(names: Sequence[str] | None) -> list[Rung]:
    """All rungs, or those of the named models beside the truth and its harmless variations."""
    every = rungs()
    if names is None:
        return every
    always = ("truth", "harmless")
    optional = {rung.name for rung in every if rung.kind not in always}
    for name in names:
        if name not in optional:
            raise UnknownName("fault", name, optional)
    return [rung for rung in every if rung.kind in always or rung.name in names]
