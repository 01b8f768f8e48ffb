"""Judges answer one question about exact frames; the runner chooses frames, renders prompts, parses and records.

@judge(version=1)
def my_judge(probe):
    "What it is."
    return Said("Yes")
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, cast

from lookaway.judges.calls.asking import Received
from lookaway.judges.calls.budget import Cost
from lookaway.judges.calls.pacing import Limits
from lookaway.judges.frames import Encoding, SentFrame, TokenRule
from lookaway.judges.prompting.forms import YES_NO, Form
from lookaway.records import Finish, Question, Setting, TokenScores, Usage
from lookaway.registry import Registry

UNTOLD = Usage()
RAW = Encoding()


@dataclass(frozen=True)
class About:
    """What a probe is about, for judges that look replies up. Never to be sent or shown."""

    question: str
    media: str
    source: str = ""
    settings: Mapping[str, Setting] = field(default_factory=dict)
    run: Path | None = None  # the run folder
    instance: str = ""  # of the task
    prompt: str = ""  # its name
    variant: str = ""
    wording: str = ""  # in which it is put
    questions: tuple[Question, ...] = ()  # that are put
    clips: tuple[str, ...] = ()  # sha256 of what is shown, in the order in which it is
    ahead: bool = False  # the first of the frames goes ahead, to compare with


@dataclass(frozen=True)
class Probe:
    """One exact ask. A judge sees `prompt` and `frames`, and nothing else."""

    prompt: str
    frames: Sequence[SentFrame]
    about: About
    form: Form = YES_NO
    sample: int = 0
    video: Path | None = None  # in native-video mode: a file whose bytes are sent in place of frames, never its name


@dataclass(frozen=True)
class Said:
    """A judge's raw reply. Token scores, where it has them, say more than its text."""

    text: str
    scores: TokenScores | None = None
    finish: Finish = "unknown"
    usage: Usage = UNTOLD


class Backend(Protocol):
    """A model that is open for questions: one attempt at a time. Patience, cache and budget are the runner's."""

    limits: Limits
    identity: str  # names model, weights and whatever else changes a reply

    def estimate(self, probe: Probe) -> Cost:
        """The most that this probe can cost."""

    async def send(self, probe: Probe) -> Received:
        """One attempt: the whole raw reply as JSON, or a CallFailed that says what is wrong."""

    def read(self, raw: str, probe: Probe) -> Said:
        """The raw reply, read; called again for kept replies, so it asks nobody."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None: ...


Opens = Callable[[str, Mapping[str, Setting]], Backend]  # from the judge's source and settings
Ask = Callable[[Probe], Said] | Callable[[Probe], Awaitable[Said]]
Samples = Callable[[About], int]
Check = Callable[[str, Mapping[str, Setting]], None]  # of source and settings, before anything is asked


def one_sample(about: About) -> int:
    return 1


def no_check(source: str, settings: Mapping[str, Setting]) -> None:
    """Any source and settings will do."""


@dataclass(frozen=True)
class Judge:
    name: str
    version: int
    function: Ask | Opens
    extra: str | None
    doc: str
    concurrency: int = 1  # how many probes it takes at a time
    encoding: Encoding = RAW
    tokens: TokenRule | None = None  # where known: what its frames must cost, so that dropped ones are noticed
    samples: Samples = one_sample  # how many replies it has to one probe, unless a setting says so
    check: Check = no_check
    opens: Opens | None = None  # instead of a function that answers: a model that is open for a whole stage
    at_address: bool = False  # what it is given is where a model is served, and no part of who answers
    weights: str = ""  # on the hub, of the model that answers unless another is named
    unverified: str = ""  # what it was never run on here, and what stood in for it; empty: it was

    @property
    def in_memory(self) -> bool:
        """Whether it computes where it is opened, on a device if there is one."""
        return self.opens is not None and bool(self.weights)


JUDGES: Registry[Judge] = Registry("judge", "lookaway.judges")


def judge(
    *,
    version: int,
    extra: str | None = None,
    concurrency: int = 1,
    encoding: Encoding = RAW,
    tokens: TokenRule | None = None,
    samples: Samples = one_sample,
    check: Check = no_check,
) -> Callable[[Ask], Ask]:
    """Register a judge under its function's name. The function may be plain or `async`."""

    def register(function: Ask) -> Ask:
        name, doc = function.__name__, (function.__doc__ or "").strip()
        JUDGES.add(name, Judge(name, version, function, extra, doc, concurrency, encoding, tokens, samples, check))
        return function

    return register


def backend(
    *,
    version: int,
    extra: str | None = None,
    encoding: Encoding = RAW,
    at_address: bool = False,
    weights: str = "",
    unverified: str = "",
) -> Callable[[Opens], Opens]:
    """Register a model, behind a server or in memory, under the name of the function that opens it.

    `unverified` says what it was never run on, and what stood in for it.
    """

    def register(opens: Opens) -> Opens:
        name, doc = opens.__name__, (opens.__doc__ or "").strip()
        told = Judge(name, version, opens, extra, doc, encoding=encoding, opens=opens, at_address=at_address)
        JUDGES.add(name, replace(told, weights=weights, unverified=unverified))
        return opens

    return register


async def ask(judge: Judge, probe: Probe) -> Said:
    """The judge's reply; a plain function runs in a thread, so that it holds up nobody."""
    function = cast(Ask, judge.function)
    if inspect.iscoroutinefunction(function):
        return cast(Said, await function(probe))
    return cast(Said, await asyncio.to_thread(function, probe))
