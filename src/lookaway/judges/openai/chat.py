"""A question to a chat-completions server as one JSON body; a clip is encoded once for all its questions."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from lookaway.records import content_key


@dataclass(frozen=True)
class Media:
    """A clip as message parts, ready to send, and what went into them."""

    parts: tuple[bytes, ...] = field(repr=False)  # each one JSON
    sha256: tuple[str, ...]  # of the bytes that the server decodes
    seconds: tuple[float, ...]  # empty where the server samples a video itself


def frames_media(frames: Sequence[bytes], seconds: Sequence[float], mime: str = "image/png") -> Media:
    """Encoded images in order, each after a label with its time."""
    parts: list[bytes] = []
    for image, second in zip(frames, seconds, strict=True):
        parts.append(orjson.dumps({"type": "text", "text": f"Frame at {second:.2f} s:"}))
        parts.append(orjson.dumps({"type": "image_url", "image_url": {"url": _data_url(image, mime)}}))
    return Media(tuple(parts), tuple(hashlib.sha256(image).hexdigest() for image in frames), tuple(seconds))


def joined(each: Sequence[Media]) -> Media:
    """Several as one, in order."""
    return Media(
        tuple(part for media in each for part in media.parts),
        tuple(sha256 for media in each for sha256 in media.sha256),
        tuple(second for media in each for second in media.seconds),
    )


def video_media(video: bytes, mime: str = "video/mp4") -> Media:
    """One encoded video, of which the server chooses the frames."""
    part = orjson.dumps({"type": "video_url", "video_url": {"url": _data_url(video, mime)}})
    return Media((part,), (hashlib.sha256(video).hexdigest(),), ())


def _data_url(data: bytes, mime: str) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"


@dataclass(frozen=True)
class ChatRequest:
    """One question about one clip, and what its reply must hold."""

    prompt: str
    media: Media
    system: str = ""
    max_tokens: int = 16
    temperature: float = 0.0
    seed: int | None = None
    top_logprobs: int = 0  # how many of each position's likeliest tokens to tell
    token_ids: tuple[int, ...] = ()  # tell these tokens' scores instead, exactly; vLLM can
    schema: Mapping[str, Any] | None = None  # JSON schema of the reply
    sample: int = 0  # equal requests with different samples are asked separately

    @property
    def wants_scores(self) -> bool:
        return self.top_logprobs > 0 or bool(self.token_ids)

    def fields(self) -> dict[str, Any]:
        """The body without model and messages."""
        asked: dict[str, Any] = {"max_tokens": self.max_tokens, "temperature": self.temperature, "n": 1}
        if self.seed is not None:
            asked["seed"] = self.seed
        if self.wants_scores:
            asked |= {"logprobs": True, "top_logprobs": self.top_logprobs or 1}
        if self.token_ids:
            asked |= {"logprob_token_ids": list(self.token_ids), "return_tokens_as_token_ids": True}
        if self.schema is not None:
            named = {"name": "reply", "schema": dict(self.schema), "strict": True}
            asked["response_format"] = {"type": "json_schema", "json_schema": named}
        return asked

    def body(self, model: str, more: Mapping[str, Any]) -> bytes:
        """The whole body; `more` adds or replaces fields that one server needs."""
        content = [*map(orjson.Fragment, self.media.parts), {"type": "text", "text": self.prompt}]
        system = [{"role": "system", "content": self.system}] if self.system else []
        messages = [*system, {"role": "user", "content": content}]
        return orjson.dumps({"model": model, "messages": messages, **self.fields(), **more})

    def key(self, server: str, model: str, more: Mapping[str, Any]) -> str:
        """Equal for requests that ask the same of the same server."""
        asked = [self.system, self.prompt, self.fields(), dict(more), self.sample]
        return content_key("chat", server, model, asked, self.media.sha256, self.media.seconds)
