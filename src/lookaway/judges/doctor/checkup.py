"""Can a judge's answers be trusted? Asked of the judge itself, with pictures whose answers are known."""

from __future__ import annotations

import json
import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from lookaway.errors import CallFailed, CallProblem, ObserveError
from lookaway.judges import About, Backend, Probe, Said
from lookaway.judges.calls.pool import Pool
from lookaway.judges.doctor.canaries import NAMES, NEVER_SHOWN, blanks, canaries, question
from lookaway.judges.estimators.p_yes import p_yes
from lookaway.judges.estimators.structured import read
from lookaway.judges.estimators.thinking import Unreadable
from lookaway.judges.estimators.votes import vote
from lookaway.judges.frames import Encoding, SentFrame
from lookaway.judges.prompting.forms import YES_NO, Field, Form, instructions
from lookaway.records import Setting, TokenScores
from lookaway.video import encode

ATTEMPTS = 2
COUNTS = (1, 2, 4, 8)
LEAST_FRAME_TOKENS = 40  # that a picture adds: fewer are the words of its label
MOST_LOST = 0.2
VIDEO_FPS = 8.0  # of the video that shows each canary for a second
NOBODY = About("checkup", "0" * 64)
SCHEMA = Form(
    kind="structured",
    fields=(
        Field(name="colour", kind="choice", says="of the shape", options=("red", "green", "blue")),
        Field(name="corners", kind="integer", says="of the shape"),
        Field(name="moving", kind="boolean", says="whether it moves"),
    ),
)

# Where token scores do not come as set: settings that ask for less, in this order.
ASKING_FOR_LESS: Mapping[str, tuple[dict[str, Setting], ...]] = {"openai": ({"scores": "top"}, {"scores": "none"})}

ADVICE: dict[CallProblem, str] = {
    "unreachable": "start the server, and check the address: up to and with /v1 for openai",
    "barred": "see the key in the environment, and the account",
    "rejected": "check the model's name, and whether it takes pictures",
    "rate_limited": "wait, or ask for a higher quota",
    "timed_out": "try again; if it stays slow, raise attempt_s",
}


@dataclass(frozen=True)
class Finding:
    """One line: what was looked at, what was found, and what to do next."""

    name: str
    state: Literal["ok", "warn", "fail"]
    says: str
    then: str = ""


@dataclass(frozen=True)
class SuiteQuestion:
    """One question of a suite, and how many such calls judging one model takes."""

    name: str
    probe: Probe
    calls: int


@dataclass(frozen=True)
class CheckedJudge:
    """A judge to look at. With `folder`, pictures are shown as videos, which are written there."""

    name: str
    called: str
    opens: Callable[[Mapping[str, Setting]], Backend]
    settings: Mapping[str, Setting]
    encoding: Encoding
    suite: SuiteQuestion | None = None
    folder: Path | None = None
    votes: bool = False  # several samples are asked for, so that nobody counts on token scores


@dataclass
class Interview:
    """An open judge, how long each of its replies took, and which model it says it is."""

    subject: CheckedJudge
    backend: Backend
    seconds: list[float] = field(default_factory=list)
    model: str = ""

    def probe(self, prompt: str, frames: Sequence[SentFrame], form: Form = YES_NO) -> Probe:
        if self.subject.folder is None:
            return Probe(prompt, frames, NOBODY, form)
        path = self.subject.folder / f"{frames[0].sha256[:16]}-{len(frames)}.mp4"
        if not path.exists():
            encode([frame.rgb for frame in frames for _ in range(round(VIDEO_FPS))], path, VIDEO_FPS)
        return Probe(prompt, (), NOBODY, form, video=path)

    async def hear(self, probe: Probe) -> Said | CallFailed:
        start = time.monotonic()
        try:
            received = await Pool(self.backend.limits).call(lambda: self.backend.send(probe))
            said = self.backend.read(received.raw, probe)
        except CallFailed as failure:
            return failure
        self.seconds.append(time.monotonic() - start)
        self.model = _model_told(received.raw)
        return said

    async def ask(self, name: str, frames: Sequence[SentFrame]) -> Said | CallFailed:
        return await self.hear(self.probe(f"{question(name)}\n{instructions(YES_NO)}", frames))


def _model_told(raw: str) -> str:
    told = json.loads(raw)
    return str(told.get("model") or told.get("modelVersion") or "") if isinstance(told, dict) else ""


async def checkup(subject: CheckedJudge) -> list[Finding]:
    """Every finding, in the order in which a user must care."""
    refused: ObserveError | None = None
    for less in ({}, *ASKING_FOR_LESS.get(subject.name, ())):
        backend = subject.opens({**subject.settings, **less})
        backend.limits = replace(backend.limits, attempts=ATTEMPTS)
        try:
            async with backend:
                interview = Interview(subject, backend)
                hello = await interview.ask(NAMES[0], canaries(1, subject.encoding))
                if isinstance(hello, Said):
                    return [reached(interview), *scores(subject, hello, refused, less), *await _rest(interview)]
                failure: ObserveError = hello
        except ObserveError as closed:  # it could not even be opened
            failure = closed
        refused = refused or failure
        if isinstance(failure, CallFailed) and failure.problem != "incomplete":
            break
    assert refused is not None
    return [unreached(refused)]


async def _rest(interview: Interview) -> list[Finding]:
    found = [await frames(interview), await canary(interview), await schema(interview)]
    cost = await suite_cost(interview)
    return [*found, latency(interview), *cost]


def unreached(failure: ObserveError) -> Finding:
    then = ADVICE.get(failure.problem, "") if isinstance(failure, CallFailed) else ""
    return Finding("answers", "fail", str(failure), then)


def reached(interview: Interview) -> Finding:
    model = f"; the model calls itself {interview.model}" if interview.model else ""
    return Finding("answers", "ok", f"{interview.subject.called} is there{model}")


# ---------------------------------------------------------------- token scores


def scores(
    subject: CheckedJudge, hello: Said, refused: ObserveError | None, less: Mapping[str, Setting]
) -> list[Finding]:
    """Whether p_yes is exact, bounded, or not to be had."""
    if refused is not None:
        instead = " ".join(f"--set {subject.name}.{name}={value}" for name, value in less.items())
        kind = "p_yes with bounds" if hello.scores is not None else "votes only"
        return [Finding("p_yes", "fail", str(refused), f"{instead}: {kind}")]
    if hello.scores is None:
        then = f"--set {subject.name}.samples=5 --set {subject.name}.temperature=1 tells how sure it is"
        return [Finding("p_yes", "warn", "no token scores: votes only", "" if subject.votes else then)]
    return [_p_yes(hello.scores), _spellings(hello.scores)]


def _p_yes(told: TokenScores) -> Finding:
    made = p_yes(told)
    if made.status != "ok" or made.p_yes_low is None or made.p_yes_high is None:
        then = "ask for more of the likeliest tokens, or use a model that answers with one word"
        return Finding("p_yes", "fail", made.reason, then)
    width, mass = made.p_yes_high - made.p_yes_low, f"yes and no hold {made.answer_mass:.3f} of its belief"
    if _all_listed(told):
        return Finding("p_yes", "ok", f"exact: every spelling has its score; {mass}")
    return Finding("p_yes", "ok", f"bounded: known to {width:.4f} from the {len(told.logprobs)} likeliest; {mass}")


def _spellings(told: TokenScores) -> Finding:
    if _all_listed(told):
        return Finding("spellings", "ok", f"{len(told.yes)} of yes and {len(told.no)} of no are single tokens")
    listed = [sum(each in told.logprobs for each in side) for side in (told.yes, told.no)]
    says = f"the server tells no tokenizer; {listed[0]} of yes and {listed[1]} of no were among the likeliest"
    return Finding("spellings", "ok" if all(listed) else "warn", says)


def _all_listed(told: TokenScores) -> bool:
    return {*told.yes, *told.no} <= told.logprobs.keys()


# ---------------------------------------------------------------- frames


async def frames(interview: Interview) -> Finding:
    """How many frames of 1, 2, 4 and 8 are paid for."""
    counted: list[int] = []
    for count in COUNTS:
        said = await interview.ask(NAMES[0], canaries(count, interview.subject.encoding))
        if isinstance(said, CallFailed):
            return Finding("frames", "fail", f"{count} frames: {said}", _fewer(interview.subject.name, count // 2))
        if said.usage.prompt_tokens is None:
            return Finding("frames", "warn", "the server tells no token counts, so that dropped frames go unnoticed")
        counted.append(said.usage.prompt_tokens)
    return frames_paid_for(counted, interview.subject.name)


def frames_paid_for(counted: Sequence[int], name: str) -> Finding:
    """From prompt tokens at each of COUNTS; steps are compared with each other, since a model may merge frames."""
    steps = [
        (after - before, more - fewer)
        for before, after, fewer, more in zip(counted, counted[1:], COUNTS, COUNTS[1:], strict=False)
    ]
    each = max(tokens / added for tokens, added in steps)
    tokens = ", ".join(map(str, counted))
    if each < LEAST_FRAME_TOKENS:
        says = f"frames are dropped: {tokens} tokens for 1, 2, 4 and 8 of them"
        return Finding("frames", "fail", says, "is it a model that sees, and does the server take several pictures?")
    seen = 1 + round(sum(tokens for tokens, _ in steps) / each)
    if seen < (1 - MOST_LOST) * COUNTS[-1]:
        says = f"about {seen} of 8 frames are seen: {tokens} tokens for 1, 2, 4 and 8"
        return Finding("frames", "fail", says, _fewer(name, seen))
    return Finding("frames", "ok", f"all of 8 are paid for, about {each:.0f} tokens each: {tokens} for 1, 2, 4 and 8")


def _fewer(name: str, count: int) -> str:
    return f"raise the server's limit of pictures in a prompt, or --set {name}.frames=uniform:{max(1, count)}"


async def canary(interview: Interview) -> Finding:
    """Whether it tells what is in its frames from what is not."""
    subject = interview.subject
    shown, nothing = canaries(len(NAMES), subject.encoding), blanks(len(NAMES), subject.encoding)
    last = len(NAMES) - 1
    asked = [(f"frame {i + 1}", NAMES[i], shown, "yes") for i in (0, last // 2, last)]
    asked += [(f"no {name}", name, shown, "no") for name in NEVER_SHOWN]
    asked += [(f"no {name} in blank frames", name, nothing, "no") for name in (NAMES[0], NAMES[last])]
    wrong: list[str] = []
    for what, name, pictures, expected in asked:
        said = await interview.ask(name, pictures)
        if isinstance(said, CallFailed):
            return Finding("sight", "fail", f"{what}: {said}")
        if choice_of(said) != expected:
            wrong.append(what)
    if not wrong:
        return Finding(
            "sight", "ok", f"{len(asked)} of {len(asked)} known answers right: first, middle and last frame; blanks"
        )
    right = f"{len(asked) - len(wrong)} of {len(asked)} known answers right; wrong: {', '.join(wrong)}"
    return Finding("sight", "fail", right, "do not trust its answers before it tells these pictures apart")


def choice_of(said: Said) -> str | None:
    return vote(said.text, said.finish) if said.scores is None else p_yes(said.scores).choice


# ---------------------------------------------------------------- the rest


async def schema(interview: Interview) -> Finding:
    """Whether a schema is kept that the prompt says nothing of."""
    name = interview.subject.name
    probe = interview.probe("What do you see?", canaries(1, interview.subject.encoding), SCHEMA)
    said = await interview.hear(probe)
    then = "structured prompts then rest on their words alone, with one more try; yes and no are not concerned"
    if isinstance(said, CallFailed):
        return Finding("schema", "warn", str(said), then)
    reading = read(said.text, said.finish, SCHEMA)
    if isinstance(reading, Unreadable):
        return Finding("schema", "warn", f"{name} does not keep a JSON schema: {reading.reason}", then)
    repaired = f", after repairs: {', '.join(reading.repairs)}" if reading.repairs else ""
    return Finding("schema", "warn" if repaired else "ok", f"a JSON schema is kept{repaired}")


def latency(interview: Interview) -> Finding:
    taken = sorted(interview.seconds)
    says = f"{statistics.median(taken):.2f} s in the middle, {taken[-1]:.2f} s at most, of {len(taken)} replies"
    return Finding("latency", "ok", says)


async def suite_cost(interview: Interview) -> list[Finding]:
    """One of the suite's own questions is asked and its price taken for all."""
    suite = interview.subject.suite
    if suite is None:
        return []
    said = await interview.hear(suite.probe)
    if isinstance(said, CallFailed):
        return [Finding("cost", "fail", f"a question of {suite.name}: {said}")]
    usage, calls = said.usage, suite.calls
    if usage.prompt_tokens is None or usage.reply_tokens is None:
        most = interview.backend.estimate(suite.probe)
        return [
            Finding("cost", "warn", f"{suite.name}: {calls} calls a model; tokens untold, at most {most.tokens} a call")
        ]
    tokens = usage.prompt_tokens + usage.reply_tokens
    says = f"{suite.name}: {calls:,} calls a model and seed, about {tokens:,} tokens each, {calls * tokens:,} in all"
    hours = calls * interview.seconds[-1] / interview.backend.limits.concurrency / 3600
    says += f", {math.ceil(60 * hours)} min" if hours < 1 else f", {hours:.1f} h"
    if usage.cost_usd is None:
        name = interview.subject.name
        return [Finding("cost", "ok", says, f"--set {name}.usd_in=… and {name}.usd_out=… tell it in USD")]
    return [Finding("cost", "ok", f"{says}, {calls * usage.cost_usd:.3g} USD")]
