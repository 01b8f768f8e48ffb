"""Gemini's raw reply, read: a text that came to an end, or a failure that says what happened instead."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from lookaway.errors import CallFailed
from lookaway.judges.calls.bodies import read_body
from lookaway.judges.calls.budget import told_count
from lookaway.records import Finish, Record

REFUSALS = {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE"}
FINISHES: dict[str, Finish] = {"STOP": "complete", "MAX_TOKENS": "cut"}
PICTURES = {"IMAGE", "VIDEO"}


class GeminiReply(Record):
    """What the model said; thoughts are left out of the text but not out of the count."""

    model: str
    text: str
    finish: Finish
    tokens_in: int | None = None
    tokens_out: int | None = None
    media_tokens: int | None = None


class _Wire(BaseModel):
    model_config = ConfigDict(extra="ignore", alias_generator=to_camel, populate_by_name=True)


class _Part(_Wire):
    text: str = ""
    thought: bool = False


class _Content(_Wire):
    parts: list[_Part] = []


class _Candidate(_Wire):
    content: _Content = _Content()
    finish_reason: str | None = None
    finish_message: str = ""


class _Feedback(_Wire):
    block_reason: str | None = None
    block_reason_message: str = ""


class _Count(_Wire):
    modality: str = ""
    token_count: int = 0


class _Usage(_Wire):
    prompt_token_count: int
    candidates_token_count: int = 0
    thoughts_token_count: int = 0
    prompt_tokens_details: list[_Count] | None = None


class _Body(_Wire):
    candidates: list[_Candidate] = []
    prompt_feedback: _Feedback = _Feedback()
    usage_metadata: _Usage | None = None
    model_version: str = ""


def read_gemini(raw: str | bytes) -> GeminiReply:
    """The reply. Reading a kept one again calls nobody and needs no SDK."""
    body = read_body(raw, _Body)
    blocked = body.prompt_feedback
    if blocked.block_reason:
        raise CallFailed("refused", f"the prompt was blocked: {blocked.block_reason} {blocked.block_reason_message}")
    if len(body.candidates) != 1:
        raise CallFailed("malformed", f"{len(body.candidates)} candidates in the reply, where 1 was asked for")
    candidate, usage = body.candidates[0], body.usage_metadata
    return GeminiReply(
        model=body.model_version,
        text="".join(part.text for part in candidate.content.parts if not part.thought),
        finish=_finish(candidate),
        tokens_in=told_count(usage.prompt_token_count) if usage else None,
        tokens_out=told_count(usage.candidates_token_count + usage.thoughts_token_count) if usage else None,
        media_tokens=_media_tokens(usage) if usage else None,
    )


def _finish(candidate: _Candidate) -> Finish:
    reason = candidate.finish_reason
    if reason in REFUSALS:
        raise CallFailed("refused", f"the reply was stopped: {reason} {candidate.finish_message}".strip())
    if reason is None:
        raise CallFailed("truncated", "the reply does not say why it ended")
    if reason not in FINISHES:
        raise CallFailed("malformed", f"the reply ended with {reason} {candidate.finish_message}".strip())
    return FINISHES[reason]


def _media_tokens(usage: _Usage) -> int | None:
    """None where the service does not tell pictures from words."""
    if usage.prompt_tokens_details is None:
        return None
    return sum(count.token_count for count in usage.prompt_tokens_details if count.modality in PICTURES)
