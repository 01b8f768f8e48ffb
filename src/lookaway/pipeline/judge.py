"""Stage `judge`: what the planned metrics ask about a clip is put to their judges, with frames that we chose.

One process asks, as many questions at a time as the judges bear: cache, budget and pace are its own. Helpers of the
executor take frames off its hands, and models in memory. About each clip gates are asked first, and what lies
behind a gate only where it is open. A line is written the moment its answer exists.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from lookaway.errors import CallFailed, StoreError, UsageError
from lookaway.executors.helpers import Helpers
from lookaway.judges import JUDGES, Backend
from lookaway.judges.calls.budget import NO_LIMIT, SCHEMA, Budget, Cost
from lookaway.judges.calls.database import Database
from lookaway.judges.calls.hearing import Hearing
from lookaway.judges.calls.pool import as_finished
from lookaway.judges.calls.reply_cache import ReplyCache
from lookaway.judges.estimators.structured import TRIES
from lookaway.pipeline.answers import Asked, answered, asked_of, without_answer
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.due import asked_sheets, due, possible
from lookaway.pipeline.footage import Footage, Reel, reel_of
from lookaway.pipeline.items import Item
from lookaway.pipeline.planned import PlannedScore, planned_scores
from lookaway.pipeline.seats import Member
from lookaway.pipeline.shared_folder import check_mark, shared_mark
from lookaway.pipeline.sheets import Sheet, case_of, readable
from lookaway.pipeline.stage import (
    LOCAL,
    Entry,
    Failure,
    Job,
    Options,
    Stage,
    Writing,
    attempt,
    attempt_async,
    executor_of,
)
from lookaway.readings import Case
from lookaway.records import Answer, JudgeRole, Plan, Task
from lookaway.registry import Plugin
from lookaway.store import Done, Run

FILE = "judge.sqlite"  # in the run folder: what was spent and, unless a setting names another file, raw replies
RUN_BUDGET = "run"


@dataclass(frozen=True, eq=False)
class Matter:
    """What is asked about one clip: the items that are known now, and the readings that may yet need more."""

    sheet: Sheet
    items: Mapping[str, Item]
    said: Mapping[str, Answer]  # answers of before, by key
    done: Mapping[str, Done]  # and what they were given
    case: Case | None = None
    readings: tuple[PlannedScore, ...] = ()


def asking_scores(plan: Plan) -> list[PlannedScore]:
    return [reading for reading in planned_scores(plan) if reading.askings]


def jobs(run: Run, plan: Plan) -> list[Job]:
    readings = asking_scores(plan)
    if not readings:
        return []
    said, done = run.latest("answers", Answer), run.done("answers")
    found: dict[tuple[str, str], Job] = {}
    for sheet in (readable(run, sheet) for sheet in asked_sheets(run, plan, readings)):
        same = (sheet.clip.video or "", sheet.task.instance)
        if sheet.clip.video is None or sheet.clip.task_instance != sheet.task.instance or same in found:
            continue
        case = attempt(case_of, run, sheet)
        if isinstance(case, Failure):
            continue  # the score says so
        wanted = due(readings, sheet, case, said)
        if wanted:
            found[same] = job_about(Matter(sheet, wanted, said, done, case, tuple(readings)))
    return list(found.values())


def job_about(matter: Matter) -> Job:
    clip = matter.sheet.clip
    return Job(str(clip.case), clip.case.task, matter, {key: item.inputs for key, item in matter.items.items()})


def idle(run: Run, plan: Plan) -> str:
    """Why there is nothing to ask."""
    if not asking_scores(plan):
        return "no metric of this plan asks anything; add a protocol that does, such as --protocols questions"
    if not any(clip.video for clip in current_clips(run, plan)):
        return "there is no clip to ask about"
    return "the gates before every question are closed"


def _matter(job: Job) -> Matter:
    return cast(Matter, job.payload)


def _members(items: Iterable[Item]) -> dict[str, Member]:
    return {member.address: member for item in items for member in item.seat.members}


# ---------------------------------------------------------------- before anything is asked


def forecast(run: Run, plan: Plan, left: Sequence[Job], options: Options) -> str:
    """The most that the rest can cost, all gates being open; nothing to say of judges that are functions, unless a
    budget is set."""
    open_items = [(job, _at_most(job)) for job in left]
    members = _members(item for _, items in open_items for item in items)
    if all(member.judge.opens is None for member in members.values()) and options.ceilings == {}:
        return ""
    backends = {address: member.opened() for address, member in members.items()}
    estimates = [each for job, items in open_items for each in _estimates(run, job, items, backends)]
    told = []
    with _database(run, options) as database:
        for role, ceiling in {None: NO_LIMIT, **options.ceilings}.items():
            budget = Budget(database, role or RUN_BUDGET, ceiling)
            costs = [cost for of, cost in estimates if role in (None, of)]
            told.append(f"{f'{role}: ' if role else ''}{budget.forecast(costs)}")
    return "; ".join(told)


def spent(run: Run, options: Options) -> str:
    """What judging has cost in this run folder by now."""
    with _database(run, options) as database:
        return f"spent by now: {Budget(database, RUN_BUDGET, NO_LIMIT).spent}"


def _at_most(job: Job) -> list[Item]:
    """What is left to ask of a clip, and all that may follow."""
    matter = _matter(job)
    items = {key: item for key, item in matter.items.items() if key in job.todo}
    if matter.case is not None:
        more = possible(matter.readings, matter.sheet)
        items |= {key: item for key, item in more.items() if key not in matter.items}
    return list(items.values())


def _estimates(
    run: Run, job: Job, items: Sequence[Item], backends: Mapping[str, Backend]
) -> Iterator[tuple[JudgeRole, Cost]]:
    """What each call for these items can cost, and in which role."""
    footage = attempt(_filmed, run, _matter(job).sheet, items, Footage(blank=True))
    for item in [] if isinstance(footage, Failure) else items:
        costs = attempt(_costs, run, item, _matter(job).sheet.task, footage, backends)
        yield from [] if isinstance(costs, Failure) else [(item.ask.role, cost) for cost in costs]


def _costs(run: Run, item: Item, task: Task, footage: Footage, backends: Mapping[str, Backend]) -> list[Cost]:
    """Of every call for one item, further tries included."""
    found = []
    for asked in asked_of(item, task, footage, run.root):
        tries = TRIES if asked.put.form.kind == "structured" else 1
        for sample in range(asked.samples):
            found += [backends[asked.member.address].estimate(asked.probe(sample))] * tries
    return found


def _filmed(run: Run, sheet: Sheet, items: Sequence[Item], footage: Footage, later: Collection[str] = ()) -> Footage:
    """The footage with what these items show; of some media more is shown `later`."""
    media = {m for item in items for m in (item.media, item.beside) if m is not None}
    return footage.add({m: _reel(run, sheet, m) for m in media}, items, later)


def _shown_later(matter: Matter, met: Collection[str]) -> set[str]:
    """Media of which an answer that is still to come may say what else is shown."""
    if matter.case is None:
        return set()
    more = possible(matter.readings, matter.sheet).items()
    return {item.media for key, item in more if item.ask.window and key not in met}


def _reel(run: Run, sheet: Sheet, media: str) -> Reel:
    clip, path = sheet.clip, run.blobs.path(media)
    if media == clip.video and clip.frames and clip.fps and clip.width and clip.height:
        return Reel(path, clip.frames, clip.fps, clip.width, clip.height)
    return reel_of(path, still=media == sheet.task.first_frame)


@contextlib.contextmanager
def _database(run: Run, options: Options) -> Iterator[Database]:
    """Where it is kept what all judging of this run folder cost. A dry run leaves no file behind."""
    with contextlib.ExitStack() as stack:
        path = run.root / FILE
        if options.dry_run and not path.exists():
            path = Path(stack.enter_context(TemporaryDirectory(prefix="lookaway-"))) / FILE
        yield stack.enter_context(Database(path, SCHEMA))


@contextlib.contextmanager
def _cache(run: Run, member: Member) -> Iterator[ReplyCache]:
    """Raw replies. A function's are not kept: the file that it reads may change."""
    with contextlib.ExitStack() as stack:
        path = run.root / str(member.settings.get("cache", FILE))
        if member.judge.opens is None:
            path = Path(stack.enter_context(TemporaryDirectory(prefix="lookaway-"))) / FILE
        try:
            cache = ReplyCache(path)
        except StoreError as error:
            if "cache" not in member.settings:
                raise
            raise UsageError(f"{member.plugin}.cache: {error}; name a file of its own") from error
        yield stack.enter_context(cache)


# ---------------------------------------------------------------- asking


def together(run: Run, plan: Plan, jobs: Sequence[Job], options: Options, write: Writing) -> None:
    if jobs:
        with shared_mark(run.root, elsewhere=options.executor != LOCAL) as mark:
            asyncio.run(_ask_all(run, jobs, options, write, mark))


async def _ask_all(run: Run, jobs: Sequence[Job], options: Options, write: Writing, mark: str) -> None:
    members = _members(item for job in jobs for item in _at_most(job))
    executor, site = executor_of(options)
    async with contextlib.AsyncExitStack() as stack:
        helpers = await stack.enter_async_context(executor.help(site))
        database = stack.enter_context(_database(run, options))
        budget = Budget(database, RUN_BUDGET, options.ceilings.get(None, NO_LIMIT))
        roles: dict[str, Budget] = {
            role: Budget(database, role, most) for role, most in options.ceilings.items() if role is not None
        }
        hearings: dict[str, Hearing] = {}
        closed: dict[str, CallFailed] = {}
        for address, member in members.items():
            backend = await helpers.opened(member.opened) if member.judge.in_memory else member.opened()
            try:
                await stack.enter_async_context(backend)
            except CallFailed as failure:
                closed[address] = failure
                continue
            cache = stack.enter_context(_cache(run, member))
            hearings[address] = Hearing(backend, cache, budget, roles, member.instrument.passport)
        limited = {role: roles[role] if role is not None else budget for role in options.ceilings}
        most = max((hearing.concurrency for hearing in hearings.values()), default=1)
        clips = _clips_at_once(jobs, most)
        bench = Bench(run, write, hearings, closed, limited, clips, helpers, mark)
        async for _ in as_finished(jobs, bench.about_clip, clips):
            pass


def _clips_at_once(jobs: Sequence[Job], questions: int) -> int:
    """As few as keep so many questions in flight while some clips wait for their last answer."""
    fewest = min(len(job.todo) for job in jobs)
    return min(questions, 2 * -(-questions // fewest) + 1)


@dataclass(frozen=True, eq=False)
class Bench:
    """The judges of a run, open or closed, before which clips are put."""

    run: Run
    write: Writing
    hearings: Mapping[str, Hearing]  # by the member's address
    closed: Mapping[str, CallFailed]
    limited: Mapping[JudgeRole | None, Budget]  # budgets that have a ceiling, by role; None is that of all
    clips_at_once: int
    helpers: Helpers
    mark: str  # of the run folder, for helpers elsewhere
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    asked: dict[str, asyncio.Future[Answer]] = field(default_factory=dict)  # about clips that share a first frame

    async def about_clip(self, job: Job) -> None:
        """All that is to be asked about one clip, wave by wave: what is asked next depends on what was answered."""
        matter = _matter(job)
        said = {key: answer for key, answer in matter.said.items() if key not in job.todo}
        fresh: set[str] = set()  # answered here and now
        footage = Footage()
        while items := await asyncio.to_thread(_open_items, job, said, fresh):
            fresh |= {item.key for item in items}
            mine = [item for item in items if item.key not in self.asked]
            self.asked.update((item.key, asyncio.get_running_loop().create_future()) for item in mine)
            wave = replace(
                job,
                expects={item.key: item.inputs for item in mine},
                todo={item.key: _attempt(job, item) for item in mine},
            )
            later = _shown_later(matter, fresh | said.keys())
            async for entries in self._put(wave, mine, footage, later):
                self.write(wave, entries)
                for entry in entries:
                    if isinstance(entry.record, Answer):
                        self.asked[entry.key].set_result(entry.record)
            said |= {item.key: await self.asked[item.key] for item in items}
        self.write.finished(job)

    async def _put(
        self, job: Job, items: Sequence[Item], footage: Footage, later: Collection[str]
    ) -> AsyncIterator[list[Entry]]:
        """The entries of each item, as soon as they are there."""
        matter = _matter(job)
        over = {item.key: why for item in items if (why := self._over(item)) is not None}
        for item in items:
            if item.key in over:
                yield [without_answer(item, over[item.key], undone=True)]
        put = [item for item in items if item.key not in over]
        shown = await self._shown(matter.sheet, put, footage, later)
        if isinstance(shown, Failure):
            for item in put:
                yield [without_answer(item, shown, undone=True)]
            return
        each = list(zip(put, shown, strict=True))
        async with self.turn if self._is_tight(each) else contextlib.nullcontext():
            async for entries in as_finished(each, self._answered, max(1, len(put))):
                yield entries

    async def _shown(
        self, sheet: Sheet, items: Sequence[Item], footage: Footage, later: Collection[str]
    ) -> list[list[Asked] | Failure] | Failure:
        """The items as they are put; helpers elsewhere decode what they need, the footage of before not being there."""
        if self.helpers.apart:
            footage, later = Footage(), ()
        root = self.run.root.absolute() if self.mark else self.run.root
        call = self.helpers.call(_shown_and_worded, root, self.mark, sheet, list(items), footage, later)
        return await attempt_async(call)

    async def _answered(self, asked: tuple[Item, list[Asked] | Failure]) -> list[Entry]:
        item, each = asked
        return [without_answer(item, each)] if isinstance(each, Failure) else await answered(item, each, self.hearings)

    def _is_tight(self, each: Sequence[tuple[Item, list[Asked] | Failure]]) -> bool:
        """Whether a budget may end while clips are in flight: they are then asked about one by one, so that what is
        left makes whole clips."""
        for role, budget in self.limited.items():
            asked = [
                one
                for item, asks in each
                if not isinstance(asks, Failure)
                for one in asks
                if role in (None, item.ask.role)
            ]
            costs = [self.hearings[a.member.address].estimate(a.probe(n)) for a in asked for n in range(a.samples)]
            if not budget.forecast(costs * self.clips_at_once).fits:
                return True
        return False

    def _over(self, item: Item) -> CallFailed | None:
        """Why one of the item's judges is not asked any more."""
        for member in item.seat.members:
            if member.address in self.closed:
                return self.closed[member.address]
            if self.hearings[member.address].over is not None:
                return self.hearings[member.address].over
        return None


def _shown_and_worded(
    root: Path, mark: str, sheet: Sheet, items: Sequence[Item], footage: Footage, later: Collection[str]
) -> list[list[Asked] | Failure] | Failure:
    """Every item as it is asked; one after the other, so that they share what is decoded and encoded."""
    check_mark(root, mark)
    filmed = attempt(_filmed, Run(root), sheet, items, footage, later)
    if isinstance(filmed, Failure):
        return filmed
    return [attempt(asked_of, item, sheet.task, filmed, root) for item in items]


def _open_items(job: Job, said: Mapping[str, Answer], fresh: set[str]) -> list[Item]:
    """What can be asked now and is not answered; of what was known before, only what is to do."""
    matter = _matter(job)
    wanted = matter.items
    if matter.case is not None:
        wanted = due(matter.readings, matter.sheet, matter.case, said)
    left = [item for key, item in wanted.items() if key not in fresh and not _is_answered(matter, item, said)]
    return [item for item in left if item.key in job.todo or item.key not in job.expects]


def _attempt(job: Job, item: Item) -> int:
    """Which try at this item: a later one counts."""
    known = _matter(job).done.get(item.key)
    return job.todo.get(item.key, known.attempt + 1 if known is not None else 0)


def _is_answered(matter: Matter, item: Item, said: Mapping[str, Answer]) -> bool:
    return item.key in said and matter.done[item.key].inputs == item.inputs


def plugins(plan: Plan) -> list[tuple[str, Plugin]]:
    names = dict.fromkeys(name for judge in plan.judges for name in judge.plugins)
    return [("judge", JUDGES.get(name)) for name in names]


STAGE = Stage(
    "judge",
    "answers",
    jobs,
    plugins=plugins,
    together=together,
    redoes_failed=False,
    forecast=forecast,
    spent=spent,
    idle=idle,
)
