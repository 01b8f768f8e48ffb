"""From one item to its answer: a call per member, wording and sample, one further try where a form was not kept."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

from lookaway.errors import CallFailed, ObserveError
from lookaway.judges import About, Probe, Said
from lookaway.judges.calls.budget import Cost
from lookaway.judges.calls.hearing import Hearing
from lookaway.judges.estimators import Verdict, verdict_of
from lookaway.judges.estimators.structured import may_ask_again, second_prompt, with_seconds
from lookaway.judges.frames import SentFrame, ShownFrames, dropped_media, looked_over
from lookaway.judges.prompting import Rendered, render
from lookaway.pipeline.footage import Footage
from lookaway.pipeline.items import Item
from lookaway.pipeline.seats import Member
from lookaway.pipeline.stage import Entry, Failure, attempt_async
from lookaway.records import Answer, Reply, Spent, Task, content_key
from lookaway.secrets import redacted


@dataclass(frozen=True, eq=False)
class Asked:
    """One item as it is put to one member in one wording; `video` is the clip itself in native-video mode.

    `row` is the number of its frame, from 1 on, where frames are shown one by one.
    """

    item: Item
    task: Task
    member: Member
    wording: str
    seen: ShownFrames
    ahead: SentFrame | None = None
    video: Path | None = None
    run: Path | None = None  # the run folder, where there is one
    row: int | None = None

    @cached_property
    def put(self) -> Rendered:
        ahead, topic = self.ahead is not None, self.item.topic(self.task)
        return render(self.item.prompt, topic, self.frames, self.wording, reference=ahead, first_row=self.row or 1)

    @property
    def frames(self) -> tuple[SentFrame, ...]:
        return self.seen.frames if self.ahead is None else (self.ahead, *self.seen.frames)

    @property
    def about(self) -> About:
        item, member = self.item, self.member
        return About(
            item.name,
            item.media,
            member.source,
            member.settings,
            run=self.run,
            instance=item.instance,
            prompt=item.prompt.name,
            variant=item.prompt.variant,
            wording=self.wording,
            questions=item.questions,
            clips=item.clips,
            ahead=self.ahead is not None,
        )

    @property
    def samples(self) -> int:
        return self.item.ask.samples or self.member.judge.samples(self.about)

    def probe(self, sample: int) -> Probe:
        return Probe(self.put.text, self.frames, self.about, self.put.form, sample, self.video)


def asked_of(item: Item, task: Task, footage: Footage, run: Path | None = None) -> list[Asked]:
    """The item in every wording, for every member of its seat; frame by frame, where its prompt is about each alone."""
    return [
        Asked(item, task, member, wording, seen, footage.reference(item, member), footage.video(item), run, row)
        for member in item.seat.members
        for wording in item.ask.wordings
        for row, seen in _showings(item, footage.shown(item, member))
    ]


def _showings(item: Item, seen: ShownFrames) -> list[tuple[int | None, ShownFrames]]:
    """All frames together, or each alone, with its number."""
    rows = item.prompt.form.rows
    if rows is None or rows.of != "single_frames":
        return [(None, seen)]
    return [(number, looked_over([frame], seen.rule)) for number, frame in enumerate(seen.frames, 1)]


@dataclass(frozen=True)
class JudgeCall:
    """The replies to one call and its further try, or why there is none; `cost` is that of both."""

    replies: list[Reply]
    cost: Cost
    failure: CallFailed | None = None


async def answered(item: Item, each: Sequence[Asked], hearings: Mapping[str, Hearing]) -> list[Entry]:
    """The replies, and the answer they come to or why there is none."""
    calls = await attempt_async(_heard(each, hearings))
    if isinstance(calls, Failure):
        return [without_answer(item, calls)]
    failure = next((call.failure for call in calls if call.failure is not None), None)
    replies = [reply for call in calls for reply in call.replies]
    kept = {_reply_key(item, reply): reply for reply in replies}
    cost = sum((call.cost for call in calls), Cost())
    facts = {"replies": tuple(kept), "spent": Spent(calls=cost.calls, tokens=cost.tokens, usd=cost.usd)}
    if failure is None:
        facts |= asdict(_verdict(each, calls, item.ask.votes))
    else:
        facts |= {"reason": redacted(str(failure))}
    answer = Answer.model_validate(dict(_unread(item)) | facts)
    undone = failure is not None and failure.never_put
    logged = [Entry(reply_key, reply, log="replies") for reply_key, reply in kept.items()]
    return [*logged, Entry(item.key, answer, undone=undone)]


def _reply_key(item: Item, reply: Reply) -> str:
    rows = item.prompt.form.rows
    alone = (reply.frame_indices,) if rows is not None and rows.of == "single_frames" else ()
    return content_key("reply", item.key, reply.instrument_key, reply.prompt, reply.sample, reply.again, *alone)


def _verdict(each: Sequence[Asked], calls: Sequence[JudgeCall], votes: str) -> Verdict:
    """What the calls come to; of frames shown one by one the rows of all, or the first that cannot be read."""
    put = [asked for asked in each for _ in range(asked.samples)]
    told = []
    for row in dict.fromkeys(asked.row for asked in put):
        mine = [call.replies for asked, call in zip(put, calls, strict=True) if asked.row == row]
        first = next(asked for asked in put if asked.row == row)
        found = verdict_of(mine, first.put.form, votes)
        found = replace(found, fields=with_seconds(found.fields, first.put.form, first.frames))
        if row is not None and found.status != "ok":
            return replace(found, reason=f"frame {row}: {found.reason or found.status}")
        told.append(found)
    rows = each[0].put.form.rows
    if rows is None or len(told) == 1:
        return told[0]
    return replace(told[0], fields={rows.name: [line for found in told for line in found.fields[rows.name]]})


def without_answer(item: Item, why: Failure | CallFailed, undone: bool = False) -> Entry:
    """Why an item has no answer; `undone` where nobody was asked, so that the next run asks."""
    reason = why.reason if isinstance(why, Failure) else redacted(str(why))
    return Entry(item.key, _unread(item).model_copy(update={"reason": reason}), undone=undone)


def _unread(item: Item) -> Answer:
    return Answer(
        media=item.media,
        beside=item.beside,
        task_instance=item.instance,
        question=item.name,
        instrument=item.seat.instrument.label,
        instrument_key=item.seat.instrument.key,
        ask=item.ask.label,
        ask_key=item.ask.key,
        status="failed",
    )


async def _heard(each: Sequence[Asked], hearings: Mapping[str, Hearing]) -> list[JudgeCall]:
    """Call by call, up to the first that fails."""
    calls: list[JudgeCall] = []
    for asked in each:
        for number in range(asked.samples):
            calls.append(await judge_call(asked, number, hearings[asked.member.address]))
            if calls[-1].failure is not None:
                return calls
    return calls


async def judge_call(asked: Asked, number: int, hearing: Hearing) -> JudgeCall:
    """One reply; where it does not keep the form, one more, which is told what was wrong."""
    probe = asked.probe(number)
    first = await hearing.hear(probe, asked.item.ask.role)
    if first.said is None:
        return JudgeCall([], first.cost, first.failure)
    reply = _reply(asked, probe, first.said)
    wrong = may_ask_again([(reply.text, reply.finish)], probe.form) if probe.form.kind == "structured" else None
    if wrong is None:
        return JudgeCall([reply], first.cost)
    probe = replace(probe, prompt=second_prompt(probe.prompt, wrong))
    second = await hearing.hear(probe, asked.item.ask.role)
    cost = first.cost + second.cost
    if second.said is None:
        return JudgeCall([reply], cost, second.failure)
    return JudgeCall([reply, _reply(asked, probe, second.said, again=True)], cost)


def _reply(asked: Asked, probe: Probe, said: Said, again: bool = False) -> Reply:
    judge, seen, item = asked.member.judge, asked.seen, asked.item
    if judge.tokens is not None and said.usage.prompt_tokens is not None:
        dropped = dropped_media(said.usage.prompt_tokens, probe.frames, judge.tokens)
        if dropped is not None:
            raise ObserveError(f"{judge.name}: {dropped}")
    instrument = asked.member.instrument
    return Reply(
        media=item.media,
        question=item.name,
        instrument=instrument.label,
        instrument_key=instrument.key,
        ask=item.ask.label,
        ask_key=item.ask.key,
        prompt_sha256=hashlib.sha256(probe.prompt.encode()).hexdigest(),
        prompt=asked.put.origin,
        frame_rule=str(seen.rule),
        frame_indices=tuple(frame.index for frame in probe.frames),
        frames_sha256=(item.media,) if probe.video else tuple(frame.sha256 for frame in probe.frames),
        frame_seconds=tuple(frame.seconds for frame in probe.frames),
        black_frames=seen.black,
        repeated_frames=seen.repeated,
        sample=probe.sample,
        again=again,
        text=said.text,
        scores=said.scores,
        finish=said.finish,
        usage=said.usage,
    )
