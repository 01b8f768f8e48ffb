"""Open-weight models in this process: nothing leaves the machine. Questions about one clip are answered together."""

from __future__ import annotations

import asyncio
import importlib.metadata
import math
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

from pydantic import Field, ValidationError

from lookaway.errors import CallFailed, MissingExtra, UsageError, problems
from lookaway.extras import missing
from lookaway.judges import Backend, Probe, Said, backend
from lookaway.judges.calls.asking import Received
from lookaway.judges.calls.budget import Cost
from lookaway.judges.calls.pacing import Limits
from lookaway.judges.estimators.spellings import NO, YES
from lookaway.judges.transformers.local_weights import checkpoint_folder
from lookaway.judges.transformers.vision_language import Sampling, Uttered, VisionLanguageModel, clip_key
from lookaway.observers.learned import first_device
from lookaway.records import Finish, Record, Setting, TokenScores, Usage, content_key
from lookaway.weights import weights_sha256

MODEL = "Qwen/Qwen3-VL-8B-Instruct"
FINEST_CELL = 28  # pixels a side that become one token, in the models that make the most of them
LABEL_TOKENS = 12
HOUR_S = 3600.0


class TransformersOptions(Record):
    """What `--set transformers.NAME=VALUE` may say."""

    device: str = Field("auto", description="cuda, cuda:1, mps, cpu; auto takes the first there is")
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = Field(
        "auto", description="auto is float32 on a CPU, else as the weights are stored"
    )
    media: Literal["auto", "video", "frames"] = Field(
        "auto", description="frames go as a video where the model has one"
    )
    batch: int = Field(8, gt=0, description="questions about one clip that are answered at once")
    temperature: float = Field(
        0.0, ge=0, le=2, description="0: yes and no by token scores; above: words are drawn, to be counted as votes"
    )
    longest_word: int = Field(16, gt=0, description="in tokens, of a yes or no in words")
    longest_form: int = Field(1024, gt=0, description="of a structured reply")


class RawReply(Record):
    """What the model said, as it is kept."""

    text: str
    finish: Finish
    scores: TokenScores | None
    prompt_tokens: int
    reply_tokens: int


@backend(
    version=3,
    extra="torch",
    weights=MODEL,
    unverified="published weights; tiny models of the true architectures with random weights stood in for them",
)
def transformers(source: str, settings: Mapping[str, Setting]) -> Backend:
    """Any image-text-to-text model, by hub name or folder; Qwen3-VL-8B-Instruct unless told otherwise."""
    if missing("torch"):
        raise MissingExtra("torch", "a judge in this process")
    try:
        return InProcess(source or MODEL, TransformersOptions.model_validate(dict(settings)))
    except ValidationError as error:
        known = ", ".join(TransformersOptions.model_fields)
        raise UsageError(f"--set transformers.…: {problems(error)}; settings are: {known}") from None


@dataclass
class _Batch:
    """Questions about one clip that wait for their turn together."""

    probes: list[Probe]
    answered: asyncio.Future[list[Uttered]] | None = None


class InProcess:
    """One model, open for questions. It is loaded when the first one comes, so kept replies need no weights."""

    def __init__(self, source: str, options: TransformersOptions) -> None:
        self._folder = checkpoint_folder(source)
        self._options = options
        self._device, self._dtype = _placed(options)
        self._model: VisionLanguageModel | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="judge")
        self._waiting: dict[tuple[str, ...], _Batch] = {}
        self._lock = threading.Lock()
        self.limits = Limits(concurrency=2 * options.batch, attempts=1, attempt_s=HOUR_S, call_s=HOUR_S)
        versions = [importlib.metadata.version(name) for name in ("torch", "transformers")]
        shaping = options.model_dump(include={"media", "temperature", "longest_word", "longest_form"})
        facts = (weights_sha256(self._folder), self._dtype, shaping, versions, YES, NO)
        self.identity = f"transformers:{content_key(*facts)}"

    def estimate(self, probe: Probe) -> Cost:
        if not probe.frames:
            raise UsageError("transformers takes frames, not videos: set transformers.frames to uniform:12 or the like")
        pixels = sum(math.prod(-(-side // FINEST_CELL) for side in frame.rgb.shape[:2]) for frame in probe.frames)
        words = len(probe.prompt.encode()) + LABEL_TOKENS * len(probe.frames)
        return Cost(1, pixels + words + self._longest(probe))

    async def send(self, probe: Probe) -> Received:
        batch, place = self._join(probe)
        assert batch.answered is not None
        said = (await asyncio.shield(batch.answered))[place]
        raw = RawReply.model_validate(said, from_attributes=True).model_dump_json()
        return Received(raw, Cost(1, said.prompt_tokens + said.reply_tokens))

    def read(self, raw: str, probe: Probe) -> Said:
        try:
            reply = RawReply.model_validate_json(raw)
        except ValidationError as error:
            raise CallFailed("malformed", f"the kept reply does not read: {problems(error)}") from error
        usage = Usage(prompt_tokens=reply.prompt_tokens, reply_tokens=reply.reply_tokens, cost_usd=0.0)
        return Said(reply.text, reply.scores, reply.finish, usage)

    def _join(self, probe: Probe) -> tuple[_Batch, int]:
        """A place among the waiting questions about this clip; the model takes them all when it is free."""
        clip = clip_key(probe.frames)
        with self._lock:
            batch = self._waiting.get(clip)
            if batch is None or len(batch.probes) == self._options.batch:
                batch = self._waiting[clip] = _Batch([])
                batch.answered = asyncio.get_running_loop().run_in_executor(self._thread, self._answers, clip, batch)
            batch.probes.append(probe)
            return batch, len(batch.probes) - 1

    def _answers(self, clip: tuple[str, ...], batch: _Batch) -> list[Uttered]:
        with self._lock:
            if self._waiting.get(clip) is batch:
                del self._waiting[clip]
        try:
            return self._uttered(batch.probes)
        except RuntimeError as error:
            if "out of memory" not in str(error):
                raise
            hint = "send fewer or smaller frames, or lower transformers.batch"
            raise CallFailed("rejected", f"the model ran out of memory; {hint}") from error

    def _uttered(self, probes: Sequence[Probe]) -> list[Uttered]:
        if self._model is None:
            self._model = VisionLanguageModel(self._folder, self._device, self._dtype, self._options.media)
        model, frames, said = self._model, probes[0].frames, dict[int, Uttered]()
        scored = [place for place, probe in enumerate(probes) if self._takes_scores(probe)]
        if scored:
            said |= dict(zip(scored, model.scored(frames, [probes[place].prompt for place in scored]), strict=True))
        for place, probe in enumerate(probes):
            if place not in said:
                said[place] = model.written(frames, probe.prompt, self._sampling(probe))
        return [said[place] for place in range(len(probes))]

    def _takes_scores(self, probe: Probe) -> bool:
        return probe.form.kind == "yes_no" and self._options.temperature == 0

    def _sampling(self, probe: Probe) -> Sampling:
        seed = content_key("sample", probe.prompt, clip_key(probe.frames), probe.sample)
        return Sampling(self._longest(probe), self._options.temperature, int(seed[:12], 16))

    def _longest(self, probe: Probe) -> int:
        return self._options.longest_word if probe.form.kind == "yes_no" else self._options.longest_form

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._thread.shutdown(cancel_futures=True)
        self._model = None


def _placed(options: TransformersOptions) -> tuple[str, str]:
    """The device and the precision that `auto` stands for."""
    import torch

    device = first_device(torch) if options.device == "auto" else options.device
    return device, "float32" if options.dtype == "auto" and device == "cpu" else options.dtype
