"""From one item about one clip to its answer: probes, replies, one further try where a form was not kept."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

from lookaway.errors import CallFailed, ObserveError
from lookaway.judges import JUDGES, About, Judge, Probe, Said
from lookaway.judges.calls.budget import Cost
from lookaway.judges.calls.hearing import Hearing
from lookaway.judges.estimators import verdict_of
from lookaway.judges.estimators.structured import may_ask_again, second_prompt
from lookaway.judges.frames import ShownFrames, dropped_media
from lookaway.judges.prompting import Rendered, render
from lookaway.judges.prompting.context import Topic
from lookaway.pipeline.questions import Item, Way, answer_key
from lookaway.pipeline.stage import Entry, Failure, attempt_async
from lookaway.records import Answer, Reply, Spent, Task, content_key
from lookaway.secrets import redacted


@dataclass(frozen=True, eq=False)
class Asked:
    """One item as it is put about one clip; `video` is the clip itself in native-video mode."""

    media: str
    task: Task
    item: Item
    way: Way
    seen: ShownFrames
    video: Path | None = None

    @cached_property
    def put(self) -> Rendered:
        wording = self.item.wording or self.way.wording
        return render(self.item.prompt, Topic(self.task, self.item.questions), self.seen.frames, wording)

    @cached_property
    def judge(self) -> Judge:
        return JUDGES.get(self.way.judge)

    @property
    def about(self) -> About:
        return About(self.item.name, self.media, self.way.source, self.way.settings)

    @property
    def samples(self) -> int:
        return self.way.samples or self.judge.samples(self.about)

    def probe(self, sample: int) -> Probe:
        return Probe(self.put.text, self.seen.frames, self.about, self.put.form, sample, self.video)


@dataclass(frozen=True)
class _Sample:
    """The replies to one sample of an item, or why there is none; `cost` is that of all its calls."""

    replies: list[Reply]
    cost: Cost
    failure: CallFailed | None = None


async def answered(asked: Asked, hearing: Hearing) -> list[Entry]:
    """The replies, and the answer they come to or why there is none."""
    samples = await attempt_async(_heard(asked, hearing))
    if isinstance(samples, Failure):
        return [without_answer(asked.media, asked.task, asked.item, asked.way, samples)]
    replies = [reply for sample in samples for reply in sample.replies]
    failure = next((sample.failure for sample in samples if sample.failure is not None), None)
    key = answer_key(asked.media, asked.task.instance, asked.item, asked.way)
    kept = {content_key("reply", key, reply.sample, reply.again): reply for reply in replies}
    cost = sum((sample.cost for sample in samples), Cost())
    facts = {"replies": tuple(kept), "spent": Spent(calls=cost.calls, tokens=cost.tokens, usd=cost.usd)}
    if failure is None:
        facts |= asdict(verdict_of(replies, asked.put.form, asked.way.votes))
    else:
        facts |= {"reason": redacted(str(failure))}
    answer = Answer.model_validate(dict(_unread(asked.media, asked.task, asked.item, asked.way)) | facts)
    undone = failure is not None and failure.never_put
    logged = [Entry(reply_key, reply, log="replies") for reply_key, reply in kept.items()]
    return [*logged, Entry(key, answer, undone=undone)]


def without_answer(
    media: str, task: Task, item: Item, way: Way, why: Failure | CallFailed, undone: bool = False
) -> Entry:
    """Why an item has no answer; `undone` where nobody was asked, so that the next run asks."""
    reason = why.reason if isinstance(why, Failure) else redacted(str(why))
    unread = _unread(media, task, item, way)
    key = answer_key(media, task.instance, item, way)
    return Entry(key, unread.model_copy(update={"reason": reason}), undone=undone)


def _unread(media: str, task: Task, item: Item, way: Way) -> Answer:
    ask = way.ask_of(item)
    return Answer(
        media=media,
        task_instance=task.instance,
        question=item.name,
        instrument=way.instrument.label,
        instrument_key=way.instrument.key,
        ask=ask.label,
        ask_key=ask.key,
        status="failed",
    )


async def _heard(asked: Asked, hearing: Hearing) -> list[_Sample]:
    """Sample by sample, up to the first that fails."""
    samples: list[_Sample] = []
    for number in range(asked.samples):
        samples.append(await _sample(asked, number, hearing))
        if samples[-1].failure is not None:
            break
    return samples


async def _sample(asked: Asked, number: int, hearing: Hearing) -> _Sample:
    """One reply; where it does not keep the form, one more, which is told what was wrong."""
    probe = asked.probe(number)
    first = await hearing.hear(probe)
    if first.said is None:
        return _Sample([], first.cost, first.failure)
    reply = _reply(asked, probe, first.said)
    wrong = may_ask_again([(reply.text, reply.finish)], probe.form) if probe.form.kind == "structured" else None
    if wrong is None:
        return _Sample([reply], first.cost)
    probe = replace(probe, prompt=second_prompt(probe.prompt, wrong))
    second = await hearing.hear(probe)
    cost = first.cost + second.cost
    if second.said is None:
        return _Sample([reply], cost, second.failure)
    return _Sample([reply, _reply(asked, probe, second.said, again=True)], cost)


def _reply(asked: Asked, probe: Probe, said: Said, again: bool = False) -> Reply:
    judge, seen = asked.judge, asked.seen
    if judge.tokens is not None and said.usage.prompt_tokens is not None:
        dropped = dropped_media(said.usage.prompt_tokens, probe.frames, judge.tokens)
        if dropped is not None:
            raise ObserveError(f"{judge.name}: {dropped}")
    ask, instrument = asked.way.ask_of(asked.item), asked.way.instrument
    return Reply(
        media=asked.media,
        question=asked.item.name,
        instrument=instrument.label,
        instrument_key=instrument.key,
        ask=ask.label,
        ask_key=ask.key,
        prompt_sha256=hashlib.sha256(probe.prompt.encode()).hexdigest(),
        prompt=asked.put.origin,
        frame_rule=str(seen.rule),
        frame_indices=tuple(frame.index for frame in probe.frames),
        frames_sha256=(asked.media,) if probe.video else tuple(frame.sha256 for frame in probe.frames),
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
