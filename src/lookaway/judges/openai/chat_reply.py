"""A chat-completions server's raw reply, read: all that was asked for is there, or a failure says what is not."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import BaseModel, ConfigDict

from lookaway.errors import CallFailed
from lookaway.judges.calls.bodies import read_body
from lookaway.judges.calls.budget import told_count
from lookaway.judges.openai.chat import ChatRequest
from lookaway.records import Record

TOKEN_ID = "token_id:"  # how vLLM writes a token when it is asked for ids


class TokenScore(Record):
    """A token that could have come here; `token_id` where the server tells ids instead of texts."""

    token: str
    logprob: float
    token_id: int | None = None


class Position(Record):
    """One generated token and the alternatives that the server told."""

    chosen: TokenScore
    others: tuple[TokenScore, ...]


class ChatReply(Record):
    """What a model said, with token scores where they were asked for."""

    id: str
    model: str
    text: str
    finish_reason: str
    positions: tuple[Position, ...] = ()
    tokens_in: int | None = None
    tokens_out: int | None = None


class _Wire(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Top(_Wire):
    token: str
    logprob: float


class _Token(_Top):
    top_logprobs: list[_Top] = []


class _Logprobs(_Wire):
    content: list[_Token] | None = None


class _Message(_Wire):
    role: Literal["assistant"] = "assistant"
    content: str | None = None
    refusal: str | None = None


class _Choice(_Wire):
    index: int = 0
    message: _Message
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class _Usage(_Wire):
    prompt_tokens: int
    completion_tokens: int = 0


class _Error(_Wire):
    message: str = ""


class _Body(_Wire):
    id: str = ""
    model: str = ""
    choices: list[_Choice] = []
    usage: _Usage | None = None
    error: _Error | str | None = None


def read_reply(raw: str | bytes, asked: ChatRequest) -> ChatReply:
    """The reply to `asked`. Reading a kept reply again calls nobody."""
    body = read_body(raw, _Body)
    if body.error is not None:
        said = body.error if isinstance(body.error, str) else body.error.message
        raise CallFailed("server", said or "an error that it does not explain")
    if len(body.choices) != 1:
        raise CallFailed("malformed", f"{len(body.choices)} choices in the reply, where 1 was asked for")
    choice = body.choices[0]
    if choice.message.refusal or choice.finish_reason == "content_filter":
        raise CallFailed("refused", choice.message.refusal or "stopped by the service's content filter")
    if choice.message.content is None:
        raise CallFailed("malformed", "the reply has no text")
    if choice.finish_reason is None:
        raise CallFailed("truncated", "the reply does not say why it ended")
    return ChatReply(
        id=body.id,
        model=body.model,
        text=choice.message.content,
        finish_reason=choice.finish_reason,
        positions=_positions(choice.logprobs, asked) if asked.wants_scores else (),
        tokens_in=told_count(body.usage.prompt_tokens) if body.usage else None,
        tokens_out=told_count(body.usage.completion_tokens) if body.usage else None,
    )


def _positions(told: _Logprobs | None, asked: ChatRequest) -> tuple[Position, ...]:
    if told is None or not told.content:
        raise CallFailed(
            "incomplete",
            "no token scores in the reply, though they were asked for; votes need none: openai.scores=none",
        )
    positions = tuple(
        Position(chosen=_score(token), others=tuple(_score(other) for other in token.top_logprobs))
        for token in told.content
    )
    first = {score.token_id for score in (positions[0].chosen, *positions[0].others)}
    unscored = [number for number in asked.token_ids if number not in first]
    if unscored:
        raise CallFailed(
            "incomplete",
            f"no scores of tokens {unscored[:8]}, though asked for; does the server know "
            "logprob_token_ids? If not: --set openai.scores=top",
        )
    if not asked.token_ids and not positions[0].others:
        raise CallFailed("incomplete", "the reply scores its own tokens only; does the server know top_logprobs?")
    return positions


def _score(told: _Top) -> TokenScore:
    if math.isnan(told.logprob):
        raise CallFailed("malformed", f"the score of token '{told.token[:20]}' is no number")
    number = told.token.removeprefix(TOKEN_ID)
    by_id = told.token.startswith(TOKEN_ID) and number.isdigit()
    return TokenScore(token=told.token, logprob=told.logprob, token_id=int(number) if by_id else None)
