"""Stage `judge`: every question about a clip is put to the judge with frames that we chose, encoded once and hashed.

One process asks, as many questions at a time as the judge bears. A line is written the moment its answer exists.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import numpy as np

from lookaway.errors import CallFailed, StoreError, UsageError
from lookaway.judges import JUDGES, Backend
from lookaway.judges.calls.budget import NO_LIMIT, SCHEMA, Budget, Cost
from lookaway.judges.calls.database import Database
from lookaway.judges.calls.hearing import Hearing
from lookaway.judges.calls.pool import as_finished
from lookaway.judges.calls.reply_cache import ReplyCache
from lookaway.judges.estimators.structured import TRIES
from lookaway.judges.frames import SentFrame, ShownFrames, shown_frames
from lookaway.judges.frames.showing import shown_as
from lookaway.pipeline.answers import Asked, answered, without_answer
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.questions import Item, Way, answer_inputs, answer_key, items_of, opened, ways_of
from lookaway.pipeline.stage import Failure, Job, Options, Stage, Write, attempt
from lookaway.pipeline.tasks import built_banks, built_tasks
from lookaway.records import Bank, Clip, Plan, Task
from lookaway.registry import Plugin
from lookaway.store import Run
from lookaway.video import decode_some
from lookaway.video.resize import fitted_size

FILE = "judge.sqlite"  # in the run folder: what was spent and, unless a setting names another file, raw replies
BUDGET = "run"


def jobs(run: Run, plan: Plan) -> list[Job]:
    tasks, banks = built_tasks(run, plan), built_banks(run)
    clips = [c for c in current_clips(run, plan) if c.video and c.task_instance == tasks[c.case.task].instance]
    found: dict[tuple[str, str, int], Job] = {}
    for number, way in enumerate(ways_of(plan)):
        for clip in clips:
            task = tasks[clip.case.task]
            items = items_of(banks.get(task.id, Bank(task=task.id)), way)
            job = job_about(Matter(clip, task, tuple(items), way))
            if job.expects:
                found.setdefault((clip.video or "", task.instance, number), job)
    return list(found.values())


@dataclass(frozen=True)
class Matter:
    """What is asked about one clip, and how; `beside` is the clip that some item compares it with."""

    clip: Clip
    task: Task
    items: tuple[Item, ...]
    way: Way
    beside: Clip | None = None


def job_about(matter: Matter) -> Job:
    clip, way = matter.clip, matter.way
    assert clip.video is not None
    expects = {
        answer_key(clip.video, matter.task.instance, item, way): answer_inputs(way, item) for item in matter.items
    }
    return Job(str(clip.case), clip.case.task, matter, expects)


def _of(job: Job) -> tuple[str, Matter]:
    matter = cast(Matter, job.payload)
    assert matter.clip.video is not None
    return matter.clip.video, matter


def _todo(job: Job) -> list[Item]:
    media, matter = _of(job)
    return [i for i in matter.items if answer_key(media, matter.task.instance, i, matter.way) in job.todo]


def _by_way(jobs: Sequence[Job]) -> list[tuple[Way, list[Job]]]:
    """The jobs of each judge, one judge after the other."""
    found: dict[str, tuple[Way, list[Job]]] = {}
    for job in jobs:
        way = _of(job)[1].way
        found.setdefault(f"{way.planned}", (way, []))[1].append(job)
    return list(found.values())


# ---------------------------------------------------------------- before anything is asked


def forecast(run: Run, plan: Plan, left: Sequence[Job], options: Options) -> str:
    """The most that the rest can cost; nothing to say of a judge that is a function, unless a budget is set."""
    parted = _by_way(left)
    if all(JUDGES.get(way.judge).opens is None for way, _ in parted) and options.ceiling == NO_LIMIT:
        return ""
    backends = [(opened(way), jobs) for way, jobs in parted]
    estimates = [cost for backend, jobs in backends for job in jobs for cost in _estimates(run, job, backend)]
    with _budget(run, options) as budget:
        return str(budget.forecast(estimates))


def _estimates(run: Run, job: Job, backend: Backend) -> Iterator[Cost]:
    items = attempt(_asked, run, job, _as_if_shown)
    for asked in [] if isinstance(items, Failure) else items:
        tries = TRIES if asked.put.form.kind == "structured" else 1
        for sample in range(asked.samples):
            yield from [backend.estimate(asked.probe(sample))] * tries


def _as_if_shown(run: Run, clip: Clip, way: Way) -> ShownFrames:
    """Nothing is decoded: what frames cost is a matter of their number and size."""
    encoding = JUDGES.get(way.judge).encoding
    width, height = fitted_size(clip.width or 1, clip.height or 1, encoding.long_side)
    blank = np.broadcast_to(np.uint8(0), (height, width, 3))
    frames = tuple(SentFrame(i, round(i / (clip.fps or 1.0), 3), blank, "") for i in _indices(clip, way))
    return ShownFrames(way.rule, frames, (), ())


@contextlib.contextmanager
def _budget(run: Run, options: Options) -> Iterator[Budget]:
    """What all judging of this run folder may cost. A dry run leaves no file behind."""
    with contextlib.ExitStack() as stack:
        path = run.root / FILE
        if options.dry_run and not path.exists():
            path = Path(stack.enter_context(TemporaryDirectory(prefix="lookaway-"))) / FILE
        yield Budget(stack.enter_context(Database(path, SCHEMA)), BUDGET, options.ceiling)


@contextlib.contextmanager
def _cache(run: Run, way: Way) -> Iterator[ReplyCache]:
    """Raw replies. A function's are not kept: the file that it reads may change."""
    with contextlib.ExitStack() as stack:
        path = run.root / str(way.settings.get("cache", FILE))
        if JUDGES.get(way.judge).opens is None:
            path = Path(stack.enter_context(TemporaryDirectory(prefix="lookaway-"))) / FILE
        try:
            cache = ReplyCache(path)
        except StoreError as error:
            if "cache" not in way.settings:
                raise
            raise UsageError(f"{way.judge}.cache: {error}; name a file of its own") from error
        yield stack.enter_context(cache)


# ---------------------------------------------------------------- asking


def together(run: Run, plan: Plan, jobs: Sequence[Job], options: Options, write: Write) -> None:
    for way, mine in _by_way(jobs):
        with _cache(run, way) as cache, _budget(run, options) as budget:
            asyncio.run(_ask_all(run, mine, opened(way), cache, budget, write))


async def _ask_all(
    run: Run, jobs: Sequence[Job], backend: Backend, cache: ReplyCache, budget: Budget, write: Write
) -> None:
    async with contextlib.AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(backend)
        except CallFailed as closed:
            for job in jobs:
                _give_up(job, closed, write)
            return
        hearing = Hearing(backend, cache, budget)
        clips = _clips_at_once(jobs, backend.limits.concurrency)
        async for _ in as_finished(jobs, lambda job: _about_clip(run, job, hearing, write), clips):
            pass


def _clips_at_once(jobs: Sequence[Job], questions: int) -> int:
    """As few as keep so many questions in flight while some clips wait for their last answer."""
    fewest = min(len(job.todo) for job in jobs)
    return min(questions, 2 * -(-questions // fewest) + 1)


async def _about_clip(run: Run, job: Job, hearing: Hearing, write: Write) -> None:
    """All that is left to ask about one clip, at the same time."""
    if hearing.over is not None:
        return _give_up(job, hearing.over, write)
    items = await asyncio.to_thread(attempt, _asked, run, job, _shown)
    if isinstance(items, Failure):
        return _give_up(job, items, write)
    async for entries in as_finished(items, lambda asked: answered(asked, hearing), len(items)):
        write(job, entries)


def _give_up(job: Job, why: CallFailed | Failure, write: Write) -> None:
    media, matter = _of(job)
    write(job, [without_answer(media, matter.task, item, matter.way, why, undone=True) for item in _todo(job)])


def _shown(run: Run, clip: Clip, way: Way) -> ShownFrames:
    indices = _indices(clip, way)
    if not indices:
        return ShownFrames(way.rule, (), (), ())
    assert clip.video is not None
    return shown_frames(decode_some(run.blobs.path(clip.video), indices), way.rule, JUDGES.get(way.judge).encoding)


def _indices(clip: Clip, way: Way) -> list[int]:
    return way.rule.indices(clip.frames or 1, clip.fps or 1.0)


def _asked(run: Run, job: Job, look: Callable[[Run, Clip, Way], ShownFrames]) -> list[Asked]:
    """What is left to ask about a clip; it is looked at once, and once for each other way of showing it."""
    media, matter = _of(job)
    way = matter.way
    video = run.blobs.path(media) if way.rule.kind == "native" else None
    todo = _todo(job)
    seen = look(run, matter.clip, way)
    beside = look(run, matter.beside, way) if matter.beside is not None else None
    encoding = JUDGES.get(way.judge).encoding
    views = {showing: shown_as(showing, seen, beside, encoding) for showing in {item.showing for item in todo}}
    return [Asked(media, matter.task, item, way, views[item.showing], video) for item in todo]


def plugins(plan: Plan) -> list[tuple[str, Plugin]]:
    return [("judge", JUDGES.get(name)) for name in dict.fromkeys(judge.plugin for judge in plan.judges)]


STAGE = Stage("judge", "answers", jobs, plugins=plugins, together=together, redoes_failed=False, forecast=forecast)
