"""What a model that is given words takes for the subject, frame by frame: how surely, and how much of the picture.

SAM 3 looks at every frame in which the subject should be back, and at a few in which it should be in view and gone.
What it is told is the subject's name in one of five forms; each form is an observer of its own. See docs/memobench.md.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from lookaway.geometry.phase_frames import Keyframes, mapped_phases
from lookaway.observers import Floats, Indices, Look, ObservedArrays, observer
from lookaway.observers.box_finder import tokenizer_in, without_article
from lookaway.observers.box_prompted import side_of, squeezed, whole_model
from lookaway.observers.learned import HALF, LearnedSettings, LoadedModel, in_batches, learned_settings, loaded_model
from lookaway.outcomes import Abstain
from lookaway.truth import true_keyframes
from lookaway.weights import needed

MODEL = "facebook/sam3"
KEPT = 24  # masks of a frame
LOOKED_AT = 8  # frames in which it should be in view, and as many in which it should be gone
NO_NAME = "no subject is named, so there are no words to look for"
NO_PHASES = "the subject of the true clip does not leave the view and come back, or there is no true clip"

Form = Literal["phrase", "the", "detect", "photo", "first_word"]
FORMS: dict[Form, Callable[[str], str]] = {
    "phrase": str,
    "the": "the {}".format,
    "detect": "detect {} in the scene".format,
    "photo": "a photo of {}".format,
    "first_word": lambda phrase: phrase.split()[0],
}


class TextMasks(ObservedArrays):
    """One row per frame that was looked at, and in it the masks from the surest down; zeros where there are no more."""

    frames: Indices  # (K,) of the clip
    seconds: Floats  # (K,)
    clip_frames: int  # how many the clip has
    confidence: NDArray[np.float32]  # (K, KEPT) that this is what the words say, 0 to 1
    coverage: NDArray[np.float32]  # (K, KEPT) share of the picture
    boxes: NDArray[np.float32]  # (K, KEPT, 4) left, top, right, bottom as shares of the frame
    left_out: NDArray[np.float32]  # (K,) confidence of the surest mask that is not kept; 0 none


class TextMasksThe(TextMasks):
    """The same of `the …`."""


class TextMasksDetect(TextMasks):
    """The same of `detect … in the scene`."""


class TextMasksPhoto(TextMasks):
    """The same of `a photo of …`."""


class TextMasksFirstWord(TextMasks):
    """The same of the first word."""


class TextMasksSettings(LearnedSettings):
    """What `--set text_masks.NAME=VALUE` may say."""

    model: str = MODEL
    prompt: Form = Field("phrase", description="how the subject's name is put")


T = TypeVar("T", bound=TextMasks)


@observer(version=1, saw=TextMasks, extra="torch", weights=MODEL, unverified=True)
def text_masks(look: Look) -> TextMasks | Abstain:
    """Masks of what the subject is called, in every frame in which it should be back and in a few before."""
    return _masks(look, TextMasks, "phrase")


@observer(version=1, saw=TextMasksThe, extra="torch", weights=MODEL, unverified=True)
def text_masks_the(look: Look) -> TextMasksThe | Abstain:
    """The same of `the …`."""
    return _masks(look, TextMasksThe, "the")


@observer(version=1, saw=TextMasksDetect, extra="torch", weights=MODEL, unverified=True)
def text_masks_detect(look: Look) -> TextMasksDetect | Abstain:
    """The same of `detect … in the scene`."""
    return _masks(look, TextMasksDetect, "detect")


@observer(version=1, saw=TextMasksPhoto, extra="torch", weights=MODEL, unverified=True)
def text_masks_photo(look: Look) -> TextMasksPhoto | Abstain:
    """The same of `a photo of …`."""
    return _masks(look, TextMasksPhoto, "photo")


@observer(version=1, saw=TextMasksFirstWord, extra="torch", weights=MODEL, unverified=True)
def text_masks_first_word(look: Look) -> TextMasksFirstWord | Abstain:
    """The same of the first word of the subject's name."""
    return _masks(look, TextMasksFirstWord, "first_word")


def prompt_in(form: Form, name: str) -> str:
    """`the red ball` in form `photo` -> `a photo of red ball`"""
    return FORMS[form](without_article(name))


def frames_to_look_at(frames: int, keys: Keyframes) -> Indices:
    """Every frame that either rule calls returned, and some of the visible and of the hidden ones by the paper's."""
    paper, released = (mapped_phases(frames, keys, rule) for rule in ("paper", "released"))
    before = [_spread(paper.visible, LOOKED_AT), _spread(paper.hidden, LOOKED_AT)]
    return np.asarray(np.unique(np.concatenate([*before, paper.returned, released.returned])), np.int64)


def _spread(frames: Indices, most: int) -> Indices:
    return np.asarray(frames[np.unique(np.linspace(0, len(frames) - 1, min(most, len(frames))).astype(int))])


def _masks(look: Look, kind: type[T], form: Form) -> T | Abstain:
    subject = look.task.subject
    keys = true_keyframes(look.truth, look.task) if look.truth is not None else None
    if subject is None or keys is None:
        return Abstain(NO_NAME if subject is None else NO_PHASES)
    settings = learned_settings(TextMasksSettings, kind.observer, look)
    form = settings.prompt if "prompt" in look.settings else form
    eyes = loaded_model(TextMasks.observer, settings, _opened)  # one model, whatever it is told
    frames = frames_to_look_at(len(look.frames), keys)
    words = _words(eyes, prompt_in(form, subject.name), needed(settings.model))
    parts = np.array_split(frames, -(-len(frames) // settings.batch))  # a picture takes 12 MB, a return may be long
    run = partial(_found, eyes.torch, words)
    seen = [in_batches(eyes, _pictures(eyes, look, part), settings.batch, run) for part in parts]
    found = _surest(np.concatenate(seen), KEPT + 1)
    return kind(
        frames=frames,
        seconds=look.frames.seconds[frames],
        clip_frames=len(look.frames),
        confidence=found[:, :KEPT, 0],
        coverage=found[:, :KEPT, 1],
        boxes=found[:, :KEPT, 2:],
        left_out=found[:, KEPT, 0],
    )


def _pictures(eyes: LoadedModel, look: Look, frames: Indices) -> list[NDArray[np.float32]]:
    return [squeezed(look.frames.rgb[i], side_of(eyes), HALF, HALF) for i in frames]


def _words(eyes: LoadedModel, prompt: str, folder: Path) -> dict[str, Any]:
    longest = eyes.model.config.text_config.max_position_embeddings
    told = tokenizer_in(folder)(
        [prompt], padding="max_length", truncation=True, max_length=longest, return_tensors="pt"
    )
    return {name: told[name].to(eyes.device) for name in ("input_ids", "attention_mask")}


def _found(torch: Any, words: dict[str, Any], model: Any, pixels: Any) -> Any:
    """Of every mask in every picture: confidence, coverage, box (B, masks, 6)."""
    asked = {name: one.expand(len(pixels), -1) for name, one in words.items()}
    seen = model(pixel_values=pixels, **asked)
    confidence = seen.pred_logits.float().sigmoid() * seen.presence_logits.float().sigmoid()
    coverage = (seen.pred_masks > 0).float().mean((-2, -1))
    return torch.cat([confidence[..., None], coverage[..., None], seen.pred_boxes.float().clamp(0, 1)], dim=-1)


def _surest(found: NDArray[np.float32], most: int) -> NDArray[np.float32]:
    """The masks of each frame from the surest down; zeros where there are fewer."""
    order = np.argsort(-found[..., 0], axis=1, kind="stable")[:, :most]
    kept = np.take_along_axis(found, order[..., None], axis=1)
    return np.pad(kept, ((0, 0), (0, most - kept.shape[1]), (0, 0)))


def _opened(folder: Path) -> Any:
    """The part of the published weights that goes by words."""
    return whole_model("Sam3Model", folder)
