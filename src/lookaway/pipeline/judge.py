"""Stage `judge`: every question about a clip is put to the judge with frames that we chose, encoded once and hashed.

One process asks, as many questions at a time as the judge bears. A line is written the moment its answer exists.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import numpy as np

from lookaway.errors import CallFailed
from lookaway.judges import JUDGES, Backend
from lookaway.judges.budget import NO_LIMIT, SCHEMA, Budget, Cost
from lookaway.judges.cache import Cache
from lookaway.judges.database import Database
from lookaway.judges.estimators.structured import TRIES
from lookaway.judges.frames import SentFrame, Shown, shown
from lookaway.judges.hearing import Hearing
from lookaway.judges.pool import as_finished
from lookaway.pipeline.answers import Asked, answered, without_answer
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.questions import Item, Way, answer_inputs, answer_key, items_of, open_judge, way_of
from lookaway.pipeline.stage import Failure, Job, Options, Stage, Write, attempt
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import Clip, Plan, Task
from lookaway.registry import Plugin
from lookaway.store import Run
from lookaway.video import decode_some
from lookaway.video.resize import fitted_size

FILE = "judge.sqlite"  # in the run folder: what was spent and, unless a setting names another file, raw replies
BUDGET = "run"


def jobs(run: Run, plan: Plan) -> list[Job]:
    way = way_of(plan)
    tasks = built_tasks(run, plan)
    found: dict[str, Job] = {}
    for clip in current_clips(run, plan):
        task = tasks[clip.case.task]
        if clip.video is None or clip.task_instance != task.instance:
            continue
        expects = {
            answer_key(clip.video, task.instance, item.name, way.judge): answer_inputs(way, item)
            for item in items_of(task, way)
        }
        if expects:
            job = Job(str(clip.case), clip.case.task, (clip, task), expects)
            found.setdefault(f"{clip.video}/{task.instance}", job)
    return list(found.values())


def _of(job: Job) -> tuple[str, Clip, Task]:
    clip, task = cast(tuple[Clip, Task], job.payload)
    assert clip.video is not None
    return clip.video, clip, task


def _todo(job: Job, way: Way) -> list[Item]:
    media, _, task = _of(job)
    return [i for i in items_of(task, way) if answer_key(media, task.instance, i.name, way.judge) in job.todo]


# ---------------------------------------------------------------- before anything is asked


def forecast(run: Run, plan: Plan, left: Sequence[Job], options: Options) -> str:
    """The most that the rest can cost; nothing to say of a judge that is a function, unless a budget is set."""
    way = way_of(plan)
    if JUDGES.get(way.judge).opens is None and options.ceiling == NO_LIMIT:
        return ""
    backend = open_judge(plan)
    estimates = [cost for job in left for cost in _estimates(run, job, way, backend)]
    with _budget(run, options) as budget:
        return str(budget.forecast(estimates))


def _estimates(run: Run, job: Job, way: Way, backend: Backend) -> Iterator[Cost]:
    """Nothing is decoded: what frames cost is a matter of their number and size."""
    clip = _of(job)[1]
    indices = _indices(clip, way)
    encoding = JUDGES.get(way.judge).encoding
    width, height = fitted_size(clip.width or 1, clip.height or 1, encoding.long_side)
    blank = np.broadcast_to(np.uint8(0), (height, width, 3))
    frames = tuple(SentFrame(i, round(i / (clip.fps or 1.0), 3), blank, "") for i in indices)
    items = attempt(_asked, run, job, way, Shown(way.rule, frames, (), ()))
    for asked in [] if isinstance(items, Failure) else items:
        tries = TRIES if asked.put.form.kind == "structured" else 1
        for sample in range(asked.samples):
            yield from [backend.estimate(asked.probe(sample))] * tries


@contextlib.contextmanager
def _budget(run: Run, options: Options) -> Iterator[Budget]:
    """What all judging of this run folder may cost. A dry run leaves no file behind."""
    with contextlib.ExitStack() as stack:
        path = run.root / FILE
        if options.dry_run and not path.exists():
            path = Path(stack.enter_context(TemporaryDirectory(prefix="lookaway-"))) / FILE
        yield Budget(stack.enter_context(Database(path, SCHEMA)), BUDGET, options.ceiling)


@contextlib.contextmanager
def _cache(run: Run, way: Way) -> Iterator[Cache]:
    """Raw replies. A function's are not kept: the file that it reads may change."""
    with contextlib.ExitStack() as stack:
        path = run.root / str(way.settings.get("cache", FILE))
        if JUDGES.get(way.judge).opens is None:
            path = Path(stack.enter_context(TemporaryDirectory(prefix="lookaway-"))) / FILE
        yield stack.enter_context(Cache(path))


# ---------------------------------------------------------------- asking


def together(run: Run, plan: Plan, jobs: Sequence[Job], options: Options, write: Write) -> None:
    way = way_of(plan)
    backend = open_judge(plan)
    if jobs:
        with _cache(run, way) as cache, _budget(run, options) as budget:
            asyncio.run(_ask_all(run, jobs, way, backend, cache, budget, write))


async def _ask_all(
    run: Run, jobs: Sequence[Job], way: Way, backend: Backend, cache: Cache, budget: Budget, write: Write
) -> None:
    async with contextlib.AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(backend)
        except CallFailed as closed:
            for job in jobs:
                _give_up(job, way, closed, write)
            return
        hearing = Hearing(backend, cache, budget)
        clips = _clips_at_once(jobs, backend.limits.concurrency)
        async for _ in as_finished(jobs, lambda job: _about_clip(run, job, way, hearing, write), clips):
            pass


def _clips_at_once(jobs: Sequence[Job], questions: int) -> int:
    """As few as keep so many questions in flight while some clips wait for their last answer."""
    fewest = min(len(job.todo) for job in jobs)
    return min(questions, 2 * -(-questions // fewest) + 1)


async def _about_clip(run: Run, job: Job, way: Way, hearing: Hearing, write: Write) -> None:
    """All that is left to ask about one clip, at the same time."""
    if hearing.over is not None:
        return _give_up(job, way, hearing.over, write)
    seen = await asyncio.to_thread(attempt, _shown, run, _of(job)[1], way)
    items = seen if isinstance(seen, Failure) else attempt(_asked, run, job, way, seen)
    if isinstance(items, Failure):
        return _give_up(job, way, items, write)
    async for entries in as_finished(items, lambda asked: answered(asked, hearing), len(items)):
        write(job, entries)


def _give_up(job: Job, way: Way, why: CallFailed | Failure, write: Write) -> None:
    media, _, task = _of(job)
    write(job, [without_answer(media, task, item, way, why, undone=True) for item in _todo(job, way)])


def _shown(run: Run, clip: Clip, way: Way) -> Shown:
    indices = _indices(clip, way)
    if not indices:
        return Shown(way.rule, (), (), ())
    assert clip.video is not None
    return shown(decode_some(run.blobs.path(clip.video), indices), way.rule, JUDGES.get(way.judge).encoding)


def _indices(clip: Clip, way: Way) -> list[int]:
    return way.rule.indices(clip.frames or 1, clip.fps or 1.0)


def _asked(run: Run, job: Job, way: Way, seen: Shown) -> list[Asked]:
    media, _, task = _of(job)
    video = run.blobs.path(media) if way.rule.kind == "native" else None
    return [Asked(media, task, item, way, seen, video) for item in _todo(job, way)]


def plugins(plan: Plan) -> list[tuple[str, Plugin]]:
    return [("judge", JUDGES.get(way_of(plan).judge))]


STAGE = Stage("judge", "answers", jobs, plugins=plugins, together=together, redoes_failed=False, forecast=forecast)
