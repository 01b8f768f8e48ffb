"""A judge sits the exam: asked as in a run, frames and prompt by our rules, and never out of a cache of replies."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lookaway.errors import UsageError
from lookaway.judges.calls.budget import NO_LIMIT, Budget
from lookaway.judges.calls.hearing import Hearing
from lookaway.judges.calls.pool import as_finished
from lookaway.judges.calls.reply_cache import ReplyCache
from lookaway.judges.estimators import verdict_of
from lookaway.judges.exam import passports
from lookaway.judges.exam.operating_point import operating_point
from lookaway.judges.exam.paper import exam_paper
from lookaway.judges.prompting import load
from lookaway.pipeline.answers import asked_of, judge_call
from lookaway.pipeline.footage import Footage, reel_of
from lookaway.pipeline.instruments import served_at, without_passport
from lookaway.pipeline.items import Item
from lookaway.pipeline.seats import JudgeSeat, Member, seat_of
from lookaway.records import (
    Ask,
    ExamAnswer,
    ExamItem,
    ExamPaper,
    OperatingPoint,
    Passport,
    Plan,
    PlannedJudge,
    Question,
    Setting,
)
from lookaway.store import Blobs

ROUNDS = 2
MOST_ROUNDS = 4  # of six and six rounds there would be 462 halvings

Told = Callable[[str], None]  # how far it is


@dataclass(frozen=True)
class ExamSitting:
    """One judge's sitting, and where its passport is kept."""

    passport: Passport
    point: OperatingPoint
    file: Path


def sit(
    judge: str,
    settings: Mapping[str, Setting],
    rounds: int | None = None,
    secret: bytes | None = None,
    against: Path | None = None,
    told: Told = lambda said: None,
) -> list[ExamSitting]:
    """Every member of the judge sits the exam; `against` is a passport to compare with, in place of the last one."""
    planned = PlannedJudge.parse(judge)
    plan = Plan(suite="", suite_version="", protocols=(), judges=(planned,), settings=dict(settings))
    seat = seat_of(plan, planned)
    for member in seat.members:
        if member.judge.opens is None:
            raise UsageError(f"{member.plugin} is no model, and sits no exam; give openai:URL or transformers:MODEL")
    with tempfile.TemporaryDirectory(prefix="lookaway-") as folder:
        blobs = Blobs(Path(folder))
        told("the exam is rendered, once for this machine, or taken from the cache")
        paper = exam_paper(blobs, secret)
        return [
            _sat(replace(seat, members=(member,)), member, paper, blobs, rounds, against, told)
            for member in seat.members
        ]


def _sat(
    seat: JudgeSeat,
    member: Member,
    paper: ExamPaper,
    blobs: Blobs,
    rounds: int | None,
    against: Path | None,
    told: Told,
) -> ExamSitting:
    instrument = without_passport(member.instrument)
    address = passports.holder(instrument, served_at(member.judge, member.source))
    stored = _stored(address, paper, against)
    wanted = rounds or (ROUNDS if stored is None else 1 + max(answer.round for answer in stored.answers))
    if not 2 <= wanted <= MOST_ROUNDS:
        raise UsageError(f"--rounds is {wanted}; give 2 to {MOST_ROUNDS}: repeats tell chance from change")
    answers = asyncio.run(sitting(seat, member, paper, blobs, wanted, told))
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    passport = passports.issued(instrument, address, paper, answers, now, stored)
    point = operating_point(passport, paper)
    return ExamSitting(passport, point, passports.keep(passport, point))


def _stored(address: str, paper: ExamPaper, against: Path | None) -> Passport | None:
    if against is None:
        return passports.founded(passports.kept(address), paper.id)
    stored = passports.read(against, Passport)
    if stored.exam != paper.id:
        raise UsageError(f"{against}: a passport of the exam {stored.exam}, and this one is {paper.id}")
    return stored


async def sitting(
    seat: JudgeSeat, member: Member, paper: ExamPaper, blobs: Blobs, rounds: int, told: Told = lambda said: None
) -> list[ExamAnswer]:
    """All answers of all rounds; every other round goes backwards, so that what order and batching do to answers shows.

    One call that fails ends it: a passport has an answer to every question.
    """
    sheets: dict[str, list[ExamItem]] = {}
    for item in paper.items:
        sheets.setdefault(item.sheet, []).append(item)
    answers: list[ExamAnswer] = []
    async with member.opened() as backend:
        for number in range(rounds):
            with contextlib.ExitStack() as stack:
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lookaway-")))
                cache = stack.enter_context(ReplyCache(folder / "replies.sqlite"))
                hearing = Hearing(backend, cache, Budget(cache.database, "exam", NO_LIMIT))
                desk = ExamDesk(seat, paper, blobs, hearing, number)
                order = list(sheets.values())[:: -1 if number % 2 else 1]
                async for heard in as_finished(order, desk.about_clip, hearing.concurrency):
                    answers += heard
            told(f"round {number + 1} of {rounds}: {len(paper.items)} questions about {len(sheets)} clips answered")
    return sorted(answers, key=lambda answer: (answer.item, answer.round))


@dataclass(frozen=True, eq=False)
class ExamDesk:
    """Where one round is sat."""

    seat: JudgeSeat
    paper: ExamPaper
    blobs: Blobs
    hearing: Hearing
    round: int

    async def about_clip(self, items: Sequence[ExamItem]) -> list[ExamAnswer]:
        put = [self._put(item) for item in items]
        reels = {items[0].clip: reel_of(self.blobs.path(items[0].clip))}
        footage = await asyncio.to_thread(Footage().add, reels, put)
        return list(await asyncio.gather(*(self._answered(item, footage) for item in put)))

    def _put(self, item: ExamItem) -> Item:
        prompt = load(self.paper.prompt.partition("@")[0])
        question = Question(
            id=item.id, text=item.text, dimension=item.kind, polarity="positive", expected=item.expected
        )
        ask = Ask(prompt=self.paper.prompt, variant=prompt.variant, frames=self.paper.frames, samples=1)
        instance = self.paper.tasks[item.scene].instance
        return Item(item.id, ask, prompt, self.seat, item.clip, instance, questions=(question,))

    async def _answered(self, item: Item, footage: Footage) -> ExamAnswer:
        task = next(task for task in self.paper.tasks.values() if task.instance == item.instance)
        (asked,) = await asyncio.to_thread(asked_of, item, task, footage)
        call = await judge_call(asked, self.round, self.hearing)
        if call.failure is not None:
            raise call.failure
        verdict = verdict_of([call.replies], asked.put.form)
        return ExamAnswer(
            item=item.name, round=self.round, status=verdict.status, choice=verdict.choice, p_yes=verdict.p_yes
        )
