"""How any stage runs: find what is left, do it, write each record the moment it exists, lose nothing."""

from __future__ import annotations

import fnmatch
import re
import time
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any, Protocol, TypeVar

from lookaway import extras
from lookaway.errors import LookawayError, MissingExtra, PluginChanged, StoreError, UsageError
from lookaway.executors import EXECUTORS, Executor, Group, Lost, Site
from lookaway.judges.calls.budget import Ceiling
from lookaway.pipeline.shared_folder import check_mark, forget_marks, shared_mark
from lookaway.places import safe_text
from lookaway.records import CaseId, Clip, JudgeRole, Plan, PluginVersion, Record, Reply, content_key
from lookaway.registry import Plugin, source_sha256
from lookaway.secrets import redacted, remember
from lookaway.store import Done, Run, Writer

T = TypeVar("T")
R = TypeVar("R", bound=Record)
LOCAL = "local"  # the executor that needs nothing


@dataclass(frozen=True)
class Options:
    """What a person may say about how to run; none of it changes a result."""

    fresh: bool = False
    limit: int | None = None
    only: str | None = None
    shard: tuple[int, int] = (1, 1)
    workers: int = 1  # 0: as many as the executor has room for
    dry_run: bool = False
    executor: str = LOCAL  # its name, and after a colon where it is: ray:10.0.0.1:6379
    retry_failed: bool = False  # of a stage that leaves failures alone: those, and nothing else
    ceilings: Mapping[JudgeRole | None, Ceiling] = field(
        default_factory=dict
    )  # of what judging may cost: a role, or all

    @property
    def partial(self) -> bool:
        return self.limit is not None or self.only is not None or self.shard != (1, 1)


@dataclass(frozen=True)
class Job:
    """One unit of work and the lines it must leave behind (key to inputs)."""

    name: str  # of the task, or of the case: task/system/seed
    group: str  # jobs of one group run one after the other in one process, sharing caches
    payload: Any
    expects: Mapping[str, str]
    todo: Mapping[str, int] = field(default_factory=dict)  # key to attempt, filled in by run_stage


@dataclass(frozen=True)
class Entry:
    """A line to write. Entries for other logs come first, so that a job's own line says they are there."""

    key: str
    record: Record
    log: str | None = None
    undone: bool = False  # it only says why nothing was tried, so the next run tries
    repeats: bool = False  # it repeats a failure of an earlier stage, which counts there


@dataclass(frozen=True)
class Failure:
    """Why something of ours or a plugin's went wrong."""

    reason: str
    error: LookawayError | None = None


Work = Callable[[Run, Job], list[Entry] | Failure]


class Together(Protocol):
    """How a stage does all its jobs in one process, many at a time: each line is written as soon as it is there."""

    def __call__(self, run: Run, plan: Plan, jobs: Sequence[Job], options: Options, write: Writing) -> None: ...


def nothing_to_end() -> None:
    """Of stages that start nothing."""


@dataclass(frozen=True)
class Stage:
    """What makes a stage: where it writes, what there is to do, and how one job is done, or all of them together."""

    name: str
    log: str
    jobs: Callable[[Run, Plan], list[Job]]
    work: Work | None = None
    plugins: Callable[[Plan], list[tuple[str, Plugin]]] = lambda plan: []
    together: Together | None = None
    redoes_failed: bool = True
    forecast: Callable[[Run, Plan, Sequence[Job], Options], str] = lambda run, plan, jobs, options: ""
    cases: Callable[[Run, Plan], Iterable[CaseId]] = lambda run, plan: ()  # of a stage of tasks: what --only may name
    ends: Callable[[], None] = nothing_to_end  # what it started in a process, such as programs; picklable
    spent: Callable[[Run, Options], str] = lambda run, options: ""  # what it has cost by now, where it foretold that
    idle: Callable[[Run, Plan], str] = lambda run, plan: ""  # why there is nothing to do
    on_device: Callable[[Job], Collection[str]] = lambda job: ()  # keys of a job that a GPU makes faster


@dataclass(frozen=True)
class Outcome:
    """What became of one job."""

    name: str
    status: str
    reason: str = ""


@dataclass(frozen=True)
class StageReport:
    stage: str
    total: int
    skipped: int
    outcomes: tuple[Outcome, ...]
    seconds: float
    passed_over: int  # by --only, --shard and --limit
    example: str
    left_failed: tuple[str, ...] = ()  # names of jobs with failures of before that were left alone

    @property
    def failures(self) -> list[Outcome]:
        return [o for o in self.outcomes if o.status == "failed"]


class Progress(Protocol):
    """Told about a stage's course; see cli/progress.py."""

    def say(self, text: str) -> None: ...
    def start(self, stage: str, total: int, skipped: int) -> None: ...
    def advance(self, outcomes: Sequence[Outcome]) -> None: ...
    def finish(self, report: StageReport) -> None: ...


def run_stage(stage: Stage, run: Run, plan: Plan, options: Options, progress: Progress) -> StageReport:
    """Do what is left of a stage. Jobs whose lines exist with the same inputs are skipped; failed ones run again,
    unless the stage leaves that to --retry failed.
    """
    started = time.monotonic()
    remember(signing_in(plan))
    check_plugins(run, stage.name, stage.plugins(plan), options)
    every = stage.jobs(run, plan)
    jobs = selected(every, options, stage.cases(run, plan) if options.only is not None else ())
    left, failed = _left(jobs, run.done(stage.log), stage.redoes_failed, options)
    if failed:
        progress.say(f"{stage.name}: {len(failed)} failed before and are left so; to do them again: --retry failed")
    if not every and (why := stage.idle(run, plan)):
        progress.say(f"{stage.name}: 0 to do: {why}")
    forecast = stage.forecast(run, plan, left, options) if left else ""
    if forecast:
        progress.say(f"{stage.name}: {forecast}")
    progress.start(stage.name, len(jobs), len(jobs) - len(left))
    outcomes: list[Outcome] = []
    if not options.dry_run:

        def tell(done: list[Outcome]) -> None:
            outcomes.extend(done)
            progress.advance(done)

        try:
            if stage.together is not None:
                stage.together(run, plan, left, options, Writing(stage.log, run, tell))
            if stage.work is not None:
                for done in _executed(stage, run, plan, left, options):
                    tell(done)
        finally:
            _close_writers()
            stage.ends()
        if forecast and (spent := stage.spent(run, options)):
            progress.say(f"{stage.name}: {spent}")
    report = StageReport(
        stage=stage.name,
        total=len(jobs),
        skipped=len(jobs) - len(left),
        outcomes=tuple(outcomes),
        seconds=time.monotonic() - started,
        passed_over=len(every) - len(jobs),
        example=every[0].name if every else "",
        left_failed=tuple(dict.fromkeys(failed)),
    )
    progress.finish(report)
    return report


def check_only(options: Options, cases: Iterable[CaseId], tasks: Iterable[str] = ()) -> None:
    """Refuse a pattern that speaks of none of these cases and tasks, before anything is made."""
    if options.only is None:
        return
    names = [*tasks, *map(str, cases)]
    if not any(map(speaks_of(options.only), names)):
        raise _nothing_matches(options, len(names), names[-1:])


def check_selected(report: StageReport, options: Options) -> None:
    """The same of one stage, which has done nothing if the pattern matched nothing."""
    if options.only is not None and options.shard == (1, 1) and not report.total:
        raise _nothing_matches(options, report.passed_over, [report.example] if report.example else [])


def _nothing_matches(options: Options, items: int, examples: Sequence[str]) -> UsageError:
    such = f", such as {examples[0]}" if examples else ""
    return UsageError(f"--only '{options.only}' matches none of the {items} items{such}")


def speaks_of(only: str) -> Callable[[str], bool]:
    """Whether --only means the item of that name: by its name, or a case by its task; without wildcards, by a part."""
    pattern = only if any(c in only for c in "*?[") else f"*{only}*"
    matches = re.compile(fnmatch.translate(pattern)).match
    return lambda name: bool(matches(name) or ("/" in name and matches(name.split("/")[0])))


def selected(jobs: list[Job], options: Options, cases: Iterable[CaseId] = ()) -> list[Job]:
    """Jobs that --only, --shard and --limit leave; where it names no task, the tasks of the `cases` that it names.

    Shards split by task in every stage, so each can walk alone.

    >>> jobs = [Job(f"{task}/mine/0", task, None, {}) for task in ("ball_left", "ball_right", "cup")]
    >>> [job.group for job in selected(jobs, Options(only="ball"))]
    ['ball_left', 'ball_right']
    >>> [job.group for job in selected(jobs, Options(only="*_right/mine/*"))]
    ['ball_right']
    >>> [[job.group for job in selected(jobs, Options(shard=(part, 2)))] for part in (1, 2)]
    [['cup'], ['ball_left', 'ball_right']]
    """
    if options.only is not None:
        wanted = speaks_of(options.only)
        of_cases = {case.task for case in cases if wanted(str(case))}
        jobs = [job for job in jobs if wanted(job.name)] or [job for job in jobs if job.name in of_cases]
    part, parts = options.shard
    jobs = [job for job in jobs if int(content_key(job.name.split("/")[0]), 16) % parts == part - 1]
    return jobs if options.limit is None else jobs[: options.limit]


def _left(
    jobs: list[Job], done: Mapping[str, Done], redoes_failed: bool, options: Options
) -> tuple[list[Job], list[str]]:
    """Jobs with what is to do of them, and the job of each failure that is left alone."""
    left: list[Job] = []
    alone: list[str] = []
    for job in jobs:
        todo = {}
        for key, inputs in job.expects.items():
            known = done.get(key)
            failed = known is not None and known.status == "failed"
            if options.retry_failed and not redoes_failed and not failed:
                continue
            if known is None:
                todo[key] = 0
            elif options.fresh or known.inputs != inputs or (failed and (redoes_failed or options.retry_failed)):
                todo[key] = known.attempt + 1
            elif failed:
                alone.append(job.name)
        if todo:
            left.append(replace(job, todo=todo))
    return left, alone


def executor_of(options: Options) -> tuple[Executor, Site]:
    """Who runs the jobs, and where: `ray:10.0.0.1:6379` is the executor `ray` at that address."""
    name, _, address = options.executor.partition(":")
    chosen = EXECUTORS.get(name)
    if address and not chosen.takes_address:
        raise UsageError(f"--executor {options.executor}: '{name}' runs here and takes no address")
    if chosen.extra is not None and extras.missing(chosen.extra):
        raise MissingExtra(chosen.extra, f"--executor {name}")
    return chosen, Site(options.workers, address)


def _executed(stage: Stage, run: Run, plan: Plan, left: list[Job], options: Options) -> Iterator[list[Outcome]]:
    """What became of each job, once all parts of it are done."""
    assert stage.work is not None
    if not left:
        return
    executor, site = executor_of(options)
    groups = _grouped(left, stage.on_device if executor.has_devices(site) else None)
    parts = Counter(job.name for group in groups for job in group.jobs)
    heard: dict[str, list[Outcome]] = {}
    with shared_mark(run.root, elsewhere=options.executor != LOCAL) as mark:
        root = run.root.absolute() if mark else run.root
        perform = Performing(stage.work, stage.log, root, signing_in(plan), mark, stage.ends)
        for done in executor.function(perform, groups, site):
            for outcome in [Outcome(done.job.name, "failed", done.reason)] if isinstance(done, Lost) else done:
                heard.setdefault(outcome.name, []).append(outcome)
                if len(heard[outcome.name]) == parts[outcome.name]:
                    yield [_worst(outcome.name, heard.pop(outcome.name))]


def _grouped(jobs: list[Job], on_device: Callable[[Job], Collection[str]] | None) -> list[Group]:
    """Jobs by group; where there are devices, what they make faster is a job apart."""
    groups: dict[tuple[str, bool], list[Job]] = {}
    for job in jobs:
        fast = set() if on_device is None else set(on_device(job))
        for device in (False, True):
            todo = {key: number for key, number in job.todo.items() if (key in fast) == device}
            if todo:
                groups.setdefault((job.group, device), []).append(replace(job, todo=todo))
    return [Group(mine, device) for (_, device), mine in groups.items()]


_writers: dict[Path, Writer] = {}


def _writer(run: Run, log: str) -> Writer:
    """This process's own file in a log, open until the stage or the worker ends."""
    if not _writers:
        Finalize(None, _close_writers, exitpriority=10)
    folder = run.log_folder(log)
    if folder not in _writers:
        _writers[folder] = run.writer(log)
    return _writers[folder]


def _close_writers() -> None:
    while _writers:
        _writers.popitem()[1].close()


def signing_in(plan: Plan) -> tuple[str, ...]:
    """The environment variables that the plan's models sign in with."""
    return tuple(str(s.card.settings["sign_in"]) for s in plan.systems if "sign_in" in s.card.settings)


@dataclass(frozen=True)
class Performing:
    """Does jobs of a stage in any process that reaches the run folder; picklable."""

    work: Work
    log: str
    root: Path
    variables: tuple[str, ...]  # that sign in
    mark: str  # a file that the run folder holds meanwhile; empty: nobody needs to look
    ends: Callable[[], None]

    def __call__(self, jobs: Sequence[Job]) -> list[Outcome]:
        remember(self.variables)  # a worker process knows nothing of what others read
        check_mark(self.root, self.mark)
        run = Run(self.root)
        return [_do(self.work, self.log, run, job) for job in jobs]

    def end(self) -> None:
        _close_writers()
        forget_marks()
        self.ends()


def _do(work: Work, log: str, run: Run, job: Job) -> Outcome:
    entries = work(run, job)
    if isinstance(entries, Failure):
        return Outcome(job.name, "failed", entries.reason)
    return _worst(job.name, _written(log, run, job, entries))


def _written(log: str, run: Run, job: Job, entries: list[Entry]) -> list[Outcome]:
    """What became of each of the job's own lines."""
    outcomes = []
    attempt = max(job.todo.values())
    for entry in entries:
        record = fit_to_keep(entry.record)
        if entry.log is not None:
            _writer(run, entry.log).append(entry.key, "", record, attempt)
        elif entry.key in job.todo:
            inputs = "" if entry.undone else job.expects[entry.key]
            _writer(run, log).append(entry.key, inputs, record, job.todo[entry.key])
            status, reason = getattr(record, "status", "ok"), getattr(record, "reason", "")
            outcomes.append(Outcome(job.name, "failed before" if entry.repeats else status, reason))
    return outcomes


def fit_to_keep(record: R) -> R:
    """The record, its free texts without secrets and places: whatever was said, this is where it is written down."""
    changes: dict[str, Any] = {}
    if reason := getattr(record, "reason", ""):
        changes["reason"] = safe_text(reason)
    if isinstance(record, Clip):
        made = record.provenance
        said = {"note": safe_text(made.note), "prompt": made.prompt and redacted(made.prompt)}
        changes["provenance"] = made.model_copy(update=said)
    if isinstance(record, Reply):
        changes["text"] = redacted(record.text)
    return record.model_copy(update=changes) if changes else record


def _worst(name: str, outcomes: Sequence[Outcome]) -> Outcome:
    worst = Outcome(name, "ok")
    for outcome in outcomes:
        if outcome.status == "failed" or worst.status == "ok":
            worst = outcome
    return worst


class Writing:
    """Writes lines of jobs that are done together, and tells what became of a job when that is finished."""

    def __init__(self, log: str, run: Run, tell: Callable[[list[Outcome]], None]) -> None:
        self._log, self._run, self._tell = log, run, tell
        self._outcomes: dict[str, list[Outcome]] = {}

    def __call__(self, job: Job, entries: list[Entry]) -> None:
        self._outcomes.setdefault(job.name, []).extend(_written(self._log, self._run, job, entries))

    def finished(self, job: Job) -> None:
        self._tell([_worst(job.name, self._outcomes.pop(job.name, []))])


def attempt(call: Callable[..., T], *given: Any) -> T | Failure:
    """The call's result, or its failure in words. The one place where a plugin's bug becomes a row's reason."""
    try:
        return call(*given)
    # a plugin may raise anything, and the run must go on; only an interrupt is not its to raise
    except (Exception, SystemExit, GeneratorExit) as error:  # noqa: BLE001
        return _failure(error)


async def attempt_async(call: Awaitable[T]) -> T | Failure:
    """The same for what must be awaited."""
    try:
        return await call
    except (Exception, SystemExit) as error:  # noqa: BLE001
        return _failure(error)


def _failure(error: BaseException) -> Failure:
    if isinstance(error, StoreError | MissingExtra):
        raise error  # every further row would fail alike
    if isinstance(error, LookawayError):
        return Failure(redacted(str(error)), error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return Failure(redacted(f"{type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno})"))


def check_plugins(run: Run, stage: str, plugins: list[tuple[str, Plugin]], options: Options) -> None:
    """Refuse to mix rows made by different code under one version number."""
    known = run.latest("plugins", PluginVersion)
    attempts = run.done("plugins")
    fresh_lines: list[tuple[str, PluginVersion, int]] = []
    for kind, plugin in plugins:
        now = PluginVersion(
            kind=kind, name=plugin.name, version=plugin.version, source_sha256=source_sha256(plugin.function)
        )
        key = content_key("plugin", kind, plugin.name, getattr(plugin, "variant", ""), plugin.version)
        before = known.get(key)
        if before == now:
            continue
        if before is not None and (not options.fresh or options.partial):
            raise PluginChanged(
                f"{kind} '{plugin.name}' is still version {plugin.version}, but its code is not the one that made the "
                f"rows in {run.root}; raise its version, or redo them all: lookaway stage {stage} {run.root} --fresh"
            )
        fresh_lines.append((key, now, attempts[key].attempt + 1 if before is not None else 0))
    if fresh_lines and not options.dry_run:
        with run.writer("plugins") as writer:
            for key, now, number in fresh_lines:
                writer.append(key, now.source_sha256, now, number)
