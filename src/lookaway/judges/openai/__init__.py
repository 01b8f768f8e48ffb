"""The judge `openai`: a model behind a server that speaks OpenAI's chat completions. See docs/judges.md."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, Literal
from weakref import WeakKeyDictionary

from pydantic import Field, ValidationError, field_validator

from lookaway.errors import CallFailed, UsageError, problems
from lookaway.judges import Backend, Probe, Said, backend
from lookaway.judges.calls.asking import Received
from lookaway.judges.calls.budget import Cost
from lookaway.judges.calls.pacing import Limits
from lookaway.judges.calls.pool import Pool
from lookaway.judges.estimators.spellings import NO, YES, Spellings, single_tokens
from lookaway.judges.frames import Encoding, SentFrame, TokenRule, dropped_media
from lookaway.judges.frames.native_video import native_video
from lookaway.judges.openai.chat import ChatRequest, Media, frames_media, joined, video_media
from lookaway.judges.openai.chat_reply import ChatReply, Position, read_reply
from lookaway.judges.openai.client import Client, Server
from lookaway.judges.prompting.forms import json_schema
from lookaway.records import Finish, Record, Setting, TokenScores, Usage

JPEG = Encoding("jpeg")
CELL = 28  # of the usual models, the one that makes the most tokens of a picture
NATIVE_TOKENS = 12_288
CHARACTERS_PER_TOKEN = 3  # fewer than any tokenizer needs for English
AROUND_IT = 64  # tokens of a chat template
FINISHES: dict[str, Finish] = {"stop": "complete", "length": "cut"}


class OpenAISettings(Record):
    """What `--set openai.NAME=VALUE` may say."""

    model: str = Field(min_length=1)
    revision: str = ""
    scores: Literal["auto", "ids", "top", "none"] = "auto"
    top: int = Field(20, ge=1)
    yes: tuple[str, ...] = YES
    no: tuple[str, ...] = NO
    yes_ids: tuple[int, ...] = ()
    no_ids: tuple[int, ...] = ()
    temperature: float = Field(0.0, ge=0)
    seed: int | None = None
    longest_word: int = Field(16, ge=1)
    longest_form: int = Field(1024, ge=1)
    hold_to_schema: bool = True
    more: dict[str, Any] = Field({})
    unique_ids: bool = True
    cell: int | None = Field(None, ge=1)
    concurrency: int = Field(16, ge=1)
    rpm: float | None = Field(None, gt=0)
    tpm: float | None = Field(None, gt=0)
    attempts: int = Field(6, ge=1)
    attempt_s: float = Field(120.0, gt=0)
    usd_in: float | None = Field(None, ge=0)
    usd_out: float | None = Field(None, ge=0)

    @field_validator("yes", "no", mode="before")
    @classmethod
    def _spellings(cls, given: object) -> object:
        return tuple(given.split("|")) if isinstance(given, str) else given

    @field_validator("yes_ids", "no_ids", mode="before")
    @classmethod
    def _ids(cls, given: object) -> object:
        return tuple(str(given).split(",")) if isinstance(given, str | int) else given

    @field_validator("more", mode="before")
    @classmethod
    def _json(cls, given: object) -> object:
        return json.loads(given) if isinstance(given, str) else given


@backend(
    version=2,
    extra="openai",
    encoding=JPEG,
    at_address=True,
    unverified="a served model with published weights; a true vLLM server with a tiny random one stood in for it",
)
def openai(source: str, settings: Mapping[str, Setting]) -> Backend:
    """A model behind an OpenAI-compatible server, such as vLLM: openai:URL and --set openai.model=NAME."""
    if not source:
        raise UsageError("where is the server? Give its address, such as --judge openai:http://localhost:8000/v1")
    try:
        return Chat(source, OpenAISettings.model_validate(dict(settings)))
    except ValidationError as error:
        known = ", ".join(OpenAISettings.model_fields)
        raise UsageError(f"--set openai.…: {problems(error)}; settings are: {known}") from None


class Chat:
    """Frames as pictures with their seconds, or the video itself; yes and no by token scores where they can be had."""

    def __init__(self, url: str, settings: OpenAISettings) -> None:
        told = settings.model_dump(include={"model", "revision", "more", "unique_ids", "usd_in", "usd_out"})
        self._server = Server(url=url, **told)
        self._settings = settings
        self._client = Client(self._server)
        self._spellings = _given_ids(settings)
        self._pictures: WeakKeyDictionary[SentFrame, Media] = WeakKeyDictionary()
        self._video = lru_cache(maxsize=settings.concurrency)(_video)
        self.limits = Limits(
            settings.concurrency,
            settings.rpm,
            settings.tpm,
            attempts=settings.attempts,
            attempt_s=settings.attempt_s,
            call_s=settings.attempt_s * (settings.attempts + 2),
        )

        self.identity = self._identity()

    def _identity(self) -> str:
        told = {"model", "temperature", "seed", "longest_word", "longest_form", "hold_to_schema", "more"}
        facts = self._settings.model_dump(include=told) | {"server": self._server.revision or self._server.url}
        return json.dumps(["openai", facts, self._scoring()], sort_keys=True)

    def _scoring(self) -> object:
        if self._settings.scores == "none":
            return "none"
        return self._spellings._asdict() if self._spellings else self._settings.top

    def request(self, probe: Probe) -> ChatRequest:
        said = self._settings
        media = joined([self._picture(frame) for frame in probe.frames])
        if probe.video is not None:
            media = self._video(probe.video)
        request: dict[str, Any] = {"temperature": said.temperature, "seed": said.seed, "sample": probe.sample}
        if probe.form.kind == "structured":
            schema = json_schema(probe.form) if said.hold_to_schema else None
            return ChatRequest(probe.prompt, media, max_tokens=said.longest_form, schema=schema, **request)
        if said.scores != "none" and self._spellings is not None:
            request["token_ids"] = (*self._spellings.yes, *self._spellings.no)
        elif said.scores != "none":
            request["top_logprobs"] = said.top
        return ChatRequest(probe.prompt, media, max_tokens=said.longest_word, **request)

    def _picture(self, frame: SentFrame) -> Media:
        """Encoded for the wire once, however many questions are asked about it."""
        if frame not in self._pictures:
            self._pictures[frame] = frames_media([frame.data], [frame.seconds], "image/jpeg")
        return self._pictures[frame]

    def estimate(self, probe: Probe) -> Cost:
        label = 20
        words = len(probe.prompt.encode()) + label * len(probe.frames)
        seen = NATIVE_TOKENS if probe.video is not None else 0
        cell = self._settings.cell or CELL
        for frame in probe.frames:
            height, width = frame.rgb.shape[:2]
            seen += math.ceil(height / cell) * math.ceil(width / cell) + 2
        tokens_in = math.ceil(words / CHARACTERS_PER_TOKEN) + seen + AROUND_IT
        longest = self._settings.longest_form if probe.form.kind == "structured" else self._settings.longest_word
        price = self._server.price
        return Cost(1, tokens_in + longest, price.of(tokens_in, longest) if price else None)

    async def send(self, probe: Probe) -> Received:
        received = await self._client.send(self.request(probe))
        self._check_frames(self.read(received.raw, probe), probe)
        return received

    def _check_frames(self, said: Said, probe: Probe) -> None:
        if self._settings.cell is None or said.usage.prompt_tokens is None:
            return
        rule = TokenRule(self._settings.cell, frames_per_step=1, most=1_000_000)
        dropped = dropped_media(said.usage.prompt_tokens, probe.frames, rule)
        if dropped is not None:
            raise CallFailed("incomplete", dropped)

    def read(self, raw: str, probe: Probe) -> Said:
        reply = read_reply(raw, self.request(probe))
        scores = self._token_scores(reply.positions[0]) if reply.positions else None
        finish = FINISHES.get(reply.finish_reason, "unknown")
        return Said(self._client.keyless(reply.text), scores, finish, self._usage(reply))

    def _token_scores(self, first: Position) -> TokenScores:
        if self._spellings is not None:
            return _exact(first, self._spellings)
        return _listed(first, self._settings.yes, self._settings.no)

    def _usage(self, reply: ChatReply) -> Usage:
        cost = self._client.cost(reply)
        usd = None if cost is None else cost.usd
        return Usage(prompt_tokens=reply.tokens_in, reply_tokens=reply.tokens_out, cost_usd=usd)

    async def __aenter__(self) -> Chat:
        await self._client.__aenter__()
        if self._settings.scores in ("auto", "ids") and self._spellings is None:
            self._spellings = await self._asked_spellings()
            self.identity = self._identity()
        return self

    async def _asked_spellings(self) -> Spellings | None:
        """Token ids of yes and no by the server's own tokenizer, or None where it offers none."""
        pool = Pool(self.limits)
        found: dict[str, list[int]] = {}
        for spelling in (*self._settings.yes, *self._settings.no):
            ids = await pool.call(lambda text=spelling: self._client.tokenized(text))  # type: ignore[misc]
            if ids is None:
                break
            found[spelling] = ids
        else:
            return single_tokens(found.__getitem__, self._settings.yes, self._settings.no)
        if self._settings.scores == "ids":
            raise UsageError(
                f"{self._server.url} has no /tokenize, so the ids of yes and no are unknown; give "
                "--set openai.yes_ids=… and openai.no_ids=…, or openai.scores=top"
            )
        return None

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._client.__aexit__(kind, error, at)


def _given_ids(settings: OpenAISettings) -> Spellings | None:
    if bool(settings.yes_ids) != bool(settings.no_ids):
        raise UsageError("openai.yes_ids and openai.no_ids go together")
    if not settings.yes_ids or settings.scores in ("top", "none"):
        return None
    return Spellings({i: f"yes {i}" for i in settings.yes_ids}, {i: f"no {i}" for i in settings.no_ids})


def _video(path: Path) -> Media:
    return video_media(native_video(path).data)


def _exact(first: Position, spellings: Spellings) -> TokenScores:
    """Every spelling has its score, so nothing is left out."""
    named = spellings.yes | spellings.no
    scores = {
        named[score.token_id]: score.logprob for score in (first.chosen, *first.others) if score.token_id in named
    }
    return TokenScores(logprobs=scores, yes=(*spellings.yes.values(),), no=(*spellings.no.values(),))


def _listed(first: Position, yes: tuple[str, ...], no: tuple[str, ...]) -> TokenScores:
    """What the likeliest tokens tell; none that is left out is likelier than the last of them."""
    masses: dict[str, float] = {}
    for score in first.others:
        word = _plain(score.token)
        masses[word] = masses.get(word, 0.0) + math.exp(score.logprob)
    least = min(score.logprob for score in first.others)
    scores = {word: math.log(mass) for word, mass in masses.items() if mass > 0}
    return TokenScores(logprobs=scores, yes=yes, no=no, unlisted_most=least)


def _plain(token: str) -> str:
    """Some servers tell a token as its tokenizer writes it, with a sign for the space before it."""
    return f" {token[1:]}" if token[:1] in ("Ġ", "▁") else token
