"""Gemini as a judge: shown frames of ours as pictures, or the clip itself for the service to sample."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Literal, Self

from pydantic import Field, ValidationError

from lookaway.errors import CallFailed, MissingExtra, UsageError, problems
from lookaway.judges import Backend, Probe, Said, backend
from lookaway.judges.calls.asking import Received
from lookaway.judges.calls.budget import Cost, Price, told_cost
from lookaway.judges.calls.pacing import Limits
from lookaway.judges.frames import Encoding
from lookaway.judges.frames.native_video import MIME, NativeVideo, native_video
from lookaway.judges.gemini.reply import GeminiReply, read_gemini
from lookaway.judges.gemini.service import GeminiService
from lookaway.judges.gemini.uploads import Uploads
from lookaway.judges.prompting.forms import json_schema
from lookaway.places import state_folder
from lookaway.records import Record, Setting, Usage, content_key

URL = "https://generativelanguage.googleapis.com"
FRAMES = Encoding("jpeg", 92, long_side=768)  # one tile of the models that cut larger pictures into several

# The most tokens that a picture, or a frame of a video, becomes at each resolution, over the models of 2025 and 2026.
PICTURE_TOKENS = {"": 1120, "low": 280, "medium": 560, "high": 1120}
VIDEO_FRAME_TOKENS = {"": 280, "low": 70, "medium": 280, "high": 280}
LEAST_TOKENS = 60  # that any of them makes of a picture: fewer, and pictures are missing


class GeminiOptions(Record):
    """Settings of the judge `gemini`; those of every judge (`frames`, `samples`, …) are the runner's."""

    fps: float = Field(1.0, gt=0, le=24, description="that the service samples of a video")
    inline_mb: float = Field(4.0, ge=0, le=15, description="clips up to this go inside each question, larger ones once")
    resolution: Literal["", "low", "medium", "high"] = ""
    temperature: float = Field(0.0, ge=0, le=2, description="above 0 for votes that can differ")
    thinking: int | Literal["", "minimal", "low", "medium", "high"] = Field(
        "", description="a level, or its most tokens"
    )
    longest_reply: int = Field(2048, gt=0, description="in tokens, thoughts included")
    usd_in: float | None = Field(None, ge=0, description="of a million tokens")
    usd_out: float | None = Field(None, ge=0)
    concurrency: int = Field(8, gt=0)
    rpm: float | None = Field(None, gt=0, description="requests a minute")
    tpm: float | None = Field(None, gt=0, description="tokens a minute")
    attempts: int = Field(6, gt=0)
    attempt_s: float = Field(120.0, gt=0)
    url: str = URL

    @property
    def price(self) -> Price | None:
        return None if self.usd_in is None or self.usd_out is None else Price(self.usd_in, self.usd_out)


def options_of(settings: Mapping[str, Setting]) -> GeminiOptions:
    try:
        return GeminiOptions.model_validate(dict(settings))
    except ValidationError as error:
        raise UsageError(f"settings of gemini: {problems(error)}") from error


@backend(
    version=1,
    extra="gemini",
    encoding=FRAMES,
    unverified="Google's service; a server on the same machine stood in for it, spoken to by the true client",
)
def gemini(source: str, settings: Mapping[str, Setting]) -> Backend:
    """Gemini models, by name: `gemini:MODEL`. Votes and structured answers; token scores cannot be had."""
    if not source:
        raise UsageError("which Gemini model? Give its name, such as --judge gemini:gemini-2.5-flash")
    if importlib.util.find_spec("google") is None or importlib.util.find_spec("google.genai") is None:
        raise MissingExtra("gemini", "Gemini as a judge")
    return Gemini(source, options_of(settings))


class Gemini:
    """One Gemini model, open for questions."""

    def __init__(self, model: str, options: GeminiOptions) -> None:
        self._model, self._options = model, options
        self._service = GeminiService(options.url)
        self._uploads = Uploads(self._service, state_folder() / "gemini-uploads")
        self.limits = Limits(options.concurrency, options.rpm, options.tpm, options.attempts, options.attempt_s)
        asked = options.model_dump(include={"fps", "resolution", "temperature", "thinking", "longest_reply", "url"})
        self.identity = f"gemini:{model}:{content_key(asked)}"

    def estimate(self, probe: Probe) -> Cost:
        tokens_in = len(probe.prompt.encode()) + self._most_media_tokens(probe)
        tokens_out, price = self._options.longest_reply, self._options.price
        return Cost(1, tokens_in + tokens_out, price.of(tokens_in, tokens_out) if price else None)

    def _most_media_tokens(self, probe: Probe) -> int:
        words_of_a_time = 20
        each = (PICTURE_TOKENS if probe.video is None else VIDEO_FRAME_TOKENS)[self._options.resolution]
        return (self._frames(probe) + 1) * (each + words_of_a_time)

    def _frames(self, probe: Probe) -> int:
        """How many frames are sent, or sampled at least."""
        if probe.video is None:
            return len(probe.frames)
        return math.floor(native_video(probe.video).seconds * self._options.fps)

    async def send(self, probe: Probe) -> Received:
        parts = [*await self._parts(probe), {"text": probe.prompt}]
        raw = await self._service.generated(self._model, parts, self._config(probe))
        reply = read_gemini(raw)
        self._check_seen(reply, probe)
        return Received(raw, self._cost(reply))

    def read(self, raw: str, probe: Probe) -> Said:
        reply = read_gemini(raw)
        cost = self._cost(reply)
        usage = Usage(
            prompt_tokens=reply.tokens_in,
            reply_tokens=reply.tokens_out,
            media_tokens=reply.media_tokens,
            cost_usd=cost.usd if cost else None,
        )
        return Said(reply.text, None, reply.finish, usage)

    async def _parts(self, probe: Probe) -> list[dict[str, Any]]:
        if probe.video is not None:
            return [await self._video_part(native_video(probe.video))]
        parts: list[dict[str, Any]] = []
        for frame in probe.frames:
            parts.append({"text": f"Frame at {frame.seconds:.2f} s:"})
            parts.append({"inline_data": {"data": frame.data, "mime_type": f"image/{FRAMES.format}"}})
        return parts

    async def _video_part(self, video: NativeVideo) -> dict[str, Any]:
        sampling = {"video_metadata": {"fps": self._options.fps}}
        if len(video.data) <= self._options.inline_mb * 1e6:
            return {"inline_data": {"data": video.data, "mime_type": MIME}, **sampling}
        return {"file_data": {"file_uri": await self._uploads.uri(video), "mime_type": MIME}, **sampling}

    def _config(self, probe: Probe) -> dict[str, Any]:
        options = self._options
        config: dict[str, Any] = {
            "temperature": options.temperature,
            "seed": probe.sample,
            "max_output_tokens": options.longest_reply,
            "candidate_count": 1,
            "automatic_function_calling": {"disable": True},
        }
        if options.resolution:
            config["media_resolution"] = f"MEDIA_RESOLUTION_{options.resolution.upper()}"
        if isinstance(options.thinking, int):
            config["thinking_config"] = {"thinking_budget": options.thinking}
        elif options.thinking:
            config["thinking_config"] = {"thinking_level": options.thinking.upper()}
        if probe.form.kind == "structured":
            config |= {"response_mime_type": "application/json", "response_json_schema": json_schema(probe.form)}
        return config

    def _check_seen(self, reply: GeminiReply, probe: Probe) -> None:
        """Pictures that cost nothing were not looked at."""
        frames = self._frames(probe)
        if reply.media_tokens is not None and reply.media_tokens < LEAST_TOKENS * frames:
            raise CallFailed(
                "incomplete", f"frames were dropped: {frames} cannot make only {reply.media_tokens} tokens of pictures"
            )

    def _cost(self, reply: GeminiReply) -> Cost | None:
        return told_cost(reply.tokens_in, reply.tokens_out, self._options.price)

    async def __aenter__(self) -> Self:
        if self._service.has_key:
            await self._uploads.delete_left_behind()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        try:
            await self._uploads.close()
        finally:
            await self._service.close()
