"""A vision-language model in this process. It reads a clip once; every question about it continues from there."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from PIL import Image

from lookaway.errors import CallFailed, ObserveError, UsageError
from lookaway.judges.estimators.spellings import single_tokens
from lookaway.judges.frames import SentFrame, TokenRule, dropped_media
from lookaway.records import Finish, TokenScores

Media = Literal["video", "frames"]
MILLISECONDS = 1000
FRAME_TOKENS = 768  # the most that a frame becomes, as in Qwen's own preparation of videos
OPEN_THOUGHT, NO_THOUGHT = "<think>", "\n\n</think>\n\n"
SAME_NATS = {"float32": 1e-3}  # how far a log-probability may move when a clip is read once for all questions
SAME_NATS_HALF = 0.5  # rounding in half precision moves it by a tenth or two


@dataclass(frozen=True)
class Uttered:
    """What the model said to one question."""

    text: str
    finish: Finish
    scores: TokenScores | None
    prompt_tokens: int
    reply_tokens: int


@dataclass(frozen=True)
class Sampling:
    longest: int
    temperature: float
    seed: int


@dataclass(frozen=True)
class _Clip:
    """A clip as the model remembers it: its tokens up to where questions begin, and its attention to them."""

    key: tuple[str, ...]
    tokens: list[int]
    memory: Any


class VisionLanguageModel:
    """Not to be shared between threads. Remembers the clip it was asked about last."""

    def __init__(self, folder: Path, device: str, dtype: str, media: Media | Literal["auto"]) -> None:
        import torch

        self._torch = torch
        self._processor, self.model = _loaded(folder, device, dtype)
        self._tokenizer = self._processor.tokenizer
        self.media: Media = _media(self._processor) if media == "auto" else media
        self._clip: _Clip | None = None
        self._reuse_proven = False

    def scored(self, frames: Sequence[SentFrame], prompts: Sequence[str]) -> list[Uttered]:
        """How each reply would begin, from the scores of all yes and no tokens; one pass for all prompts."""
        clip, questions = self._remembered(frames, prompts[0]), [self._question(frames, text) for text in prompts]
        return [
            self._beginning(row, clip, asked) for row, asked in zip(self._next(clip, questions), questions, strict=True)
        ]

    def written(self, frames: Sequence[SentFrame], prompt: str, how: Sampling) -> Uttered:
        """A whole reply; the same for the same seed."""
        torch = self._torch
        clip, asked = self._remembered(frames, prompt), self._question(frames, prompt)
        ids = torch.tensor([[*clip.tokens, *asked]], device=self.model.device)
        choice: dict[str, Any] = {"do_sample": False}
        if how.temperature:
            choice = {"do_sample": True, "temperature": how.temperature, "top_k": 0, "top_p": 1.0}
        with torch.inference_mode(), torch.random.fork_rng():
            torch.manual_seed(how.seed)
            made = self.model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                past_key_values=copy.deepcopy(clip.memory),
                max_new_tokens=how.longest,
                **choice,
            )
        reply = made[0, ids.shape[1] :].tolist()
        finish: Finish = "complete" if reply and reply[-1] in self._ends() else "cut"
        text = self._tokenizer.decode(reply, skip_special_tokens=True)
        return Uttered(text, finish, None, ids.shape[1], len(reply))

    def _beginning(self, logprobs: Any, clip: _Clip, asked: list[int]) -> Uttered:
        try:
            spelled = single_tokens(lambda text: self._tokenizer.encode(text, add_special_tokens=False))
        except ObserveError as error:
            raise CallFailed(
                "rejected", f"{error}: --set transformers.temperature=1 and transformers.samples=5"
            ) from error
        known = spelled.yes | spelled.no
        scores = TokenScores(
            logprobs={form: float(logprobs[token]) for token, form in known.items()},
            yes=tuple(spelled.yes.values()),
            no=tuple(spelled.no.values()),
        )
        likeliest = self._tokenizer.decode([int(logprobs.argmax())])
        return Uttered(likeliest, "unknown", scores, len(clip.tokens) + len(asked), 1)

    def _next(self, clip: _Clip, questions: Sequence[list[int]]) -> Any:
        """Log-probabilities of the token after each question. What pads a shorter one comes after it, unseen by it."""
        torch, device = self._torch, self.model.device
        longest = max(map(len, questions))
        padded = torch.tensor([asked + [0] * (longest - len(asked)) for asked in questions], device=device)
        ends = [len(asked) - 1 for asked in questions]
        kept = sorted(set(ends))
        memory = copy.deepcopy(clip.memory)
        memory.reorder_cache(torch.zeros(len(questions), dtype=torch.long, device=device))
        with torch.inference_mode():
            made = self.model(
                input_ids=padded, past_key_values=memory, logits_to_keep=torch.tensor(kept, device=device)
            ).logits
        rows = torch.stack([made[row, kept.index(end)] for row, end in enumerate(ends)])
        return torch.log_softmax(rows.float(), dim=-1)

    def _remembered(self, frames: Sequence[SentFrame], prompt: str) -> _Clip:
        key = clip_key(frames)
        if self._clip is None or self._clip.key != key:
            self._clip = None  # its memory goes before another takes its place
            self._clip = self._read(key, frames, prompt)
        return self._clip

    def _read(self, key: tuple[str, ...], frames: Sequence[SentFrame], prompt: str) -> _Clip:
        torch = self._torch
        inputs = self._inputs(frames, prompt)
        ids, asked = inputs["input_ids"][0].tolist(), self._question(frames, prompt)
        begins = len(ids) - len(asked)
        if ids[begins:] != asked:
            raise _unfit(self.model, "its prompt does not end with the question")
        self._check_seen(ids[:begins], frames)
        shape = inputs["input_ids"].shape
        clip = {name: value[:, :begins] if _shape(value) == shape else value for name, value in inputs.items()}
        with torch.inference_mode():
            memory = self.model(**clip, use_cache=True, logits_to_keep=1).past_key_values
        made = _Clip(key, ids[:begins], memory)
        self._prove_reuse(inputs, made, asked)
        return made

    def _prove_reuse(self, inputs: dict[str, Any], clip: _Clip, asked: list[int]) -> None:
        """The first question of all is also put from scratch: not every model reads clips without their question."""
        if self._reuse_proven:
            return
        torch = self._torch
        with torch.inference_mode():
            scratch = torch.log_softmax(self.model(**inputs, logits_to_keep=1).logits[0, -1].float(), dim=-1)
        likeliest = int(scratch.argmax())
        apart = abs(float(scratch[likeliest] - self._next(clip, [asked])[0, likeliest]))
        if apart > SAME_NATS.get(str(self.model.dtype).removeprefix("torch."), SAME_NATS_HALF):
            raise _unfit(self.model, f"a clip read before its question changes the answer by {apart:.3g} nats")
        self._reuse_proven = True

    def _check_seen(self, tokens: list[int], frames: Sequence[SentFrame]) -> None:
        names = ("image_token_id", "video_token_id", "image_token_index", "video_token_index")
        owners = (self._processor, self.model.config)
        media = {getattr(owner, name, None) for owner in owners for name in names}
        seen = sum(token in media for token in tokens)
        dropped = dropped_media(seen, frames, self._rule(frames))
        if dropped is not None:
            raise CallFailed("rejected", dropped)

    def _rule(self, frames: Sequence[SentFrame]) -> TokenRule:
        """What these frames must become; one token each where the processor does not tell."""
        video, count = self._as_video(frames), len(frames)
        eyes = self._processor.video_processor if video else self._processor.image_processor
        patch, merge = getattr(eyes, "patch_size", None), getattr(eyes, "merge_size", None)
        area = (eyes.size or {}).get("longest_edge")  # in pixels, where pictures keep their shape
        if not isinstance(patch, int) or not isinstance(merge, int) or not area:
            return TokenRule(most=count)
        cell, together = patch * merge, eyes.temporal_patch_size if video else 1
        fair = FRAME_TOKENS * math.ceil(count / together)
        budget = area // cell**2 // together * (1 if video else count)
        return TokenRule(cell, together, min(fair, budget))

    def _question(self, frames: Sequence[SentFrame], prompt: str) -> list[int]:
        """The tokens of what follows the last frame."""
        mark = str(self._processor.video_token if self._as_video(frames) else self._processor.image_token)
        after = self._rendered(frames, prompt).rpartition(mark)[2]
        return list(self._tokenizer.encode(after, add_special_tokens=False))

    def _rendered(self, frames: Sequence[SentFrame], prompt: str) -> str:
        """The model's own chat format, with no thoughts before the answer."""
        shown: list[dict[str, str]] = [{"type": "video"}]
        if not self._as_video(frames):
            shown = [
                part for frame in frames for part in (_text(f"Frame at {frame.seconds:.2f} s:"), {"type": "image"})
            ]
        told = [{"role": "user", "content": [*shown, _text(prompt)]}]
        template = str(self._processor.chat_template or self._tokenizer.chat_template)
        choices = {"enable_thinking": False} if "enable_thinking" in template else {}
        text = str(self._processor.apply_chat_template(told, add_generation_prompt=True, tokenize=False, **choices))
        opened = text.rstrip().endswith(OPEN_THOUGHT)
        return text.rstrip() + NO_THOUGHT if opened else text

    def _inputs(self, frames: Sequence[SentFrame], prompt: str) -> dict[str, Any]:
        text = self._rendered(frames, prompt)
        shown = _video(frames, self._processor) if self._as_video(frames) else _pictures(frames)
        try:
            made = self._processor(text=[text], return_tensors="pt", **shown)
        except ValueError as error:
            raise _unfit(self.model, f"its processor does not take these frames ({error})") from error
        made.pop("video_metadata", None)
        return dict(made.to(self.model.device, self.model.dtype))

    def _as_video(self, frames: Sequence[SentFrame]) -> bool:
        return self.media == "video" and len(frames) > 1

    def _ends(self) -> set[int]:
        ends = self.model.generation_config.eos_token_id
        return set(ends) if isinstance(ends, list) else {ends}


def clip_key(frames: Sequence[SentFrame]) -> tuple[str, ...]:
    """Equal for frames that a model cannot tell apart: the same pictures at the same times."""
    return tuple(f"{frame.sha256}@{frame.seconds}" for frame in frames)


def _text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def _shape(value: Any) -> Any:
    return getattr(value, "shape", None)


def _pictures(frames: Sequence[SentFrame]) -> dict[str, Any]:
    return {"images": [Image.fromarray(frame.rgb) for frame in frames]}


def _video(frames: Sequence[SentFrame], processor: Any) -> dict[str, Any]:
    """All frames at their true times: nothing is sampled again, and no frame rate is assumed."""
    from transformers.video_utils import VideoMetadata

    at = [round(frame.seconds * MILLISECONDS) for frame in frames]
    whole = at[-1] + (at[-1] - at[0]) // max(1, len(at) - 1)
    when = VideoMetadata(total_num_frames=max(whole, len(at)), fps=float(MILLISECONDS), frames_indices=at)
    asked: dict[str, Any] = {"do_sample_frames": False, "video_metadata": [when]}
    if hasattr(processor.video_processor, "cap_pixels_per_frame"):
        asked["cap_pixels_per_frame"] = True
    return {"videos": [[frame.rgb for frame in frames]], **asked}


def _media(processor: Any) -> Media:
    has_video = getattr(processor, "video_processor", None) is not None and hasattr(processor, "video_token")
    return "video" if has_video else "frames"


def _loaded(folder: Path, device: str, dtype: str) -> tuple[Any, Any]:
    try:
        from transformers import AutoModelForImageTextToText, AutoProcessor
    except RuntimeError as error:
        raise UsageError(f"torchvision does not fit torch ({error}); install builds that belong together") from error
    try:
        processor = AutoProcessor.from_pretrained(folder)
        model = AutoModelForImageTextToText.from_pretrained(folder, dtype=dtype)
    except (OSError, ValueError, ImportError) as error:
        raise UsageError(f"{folder}: no image-text-to-text model that can be loaded: {error}") from error
    try:
        return processor, model.to(device).eval()
    except (RuntimeError, AssertionError) as error:  # the latter where torch was built without the device
        raise UsageError(f"the model does not fit on device '{device}': {error}; set transformers.device") from error


def _unfit(model: Any, why: str) -> UsageError:
    return UsageError(
        f"{type(model).__name__} cannot be asked here: {why}; serve it with vLLM and judge with openai:ADDRESS"
    )
