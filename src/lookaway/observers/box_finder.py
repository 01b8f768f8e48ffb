"""Where is the subject in the first frame, by its name alone? OWLv2, for videos whose box nobody drew."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from lookaway.errors import ObserveError
from lookaway.observers import Floats, Look, ObservedArrays, observer
from lookaway.observers.learned import LearnedSettings, LoadedModel, learned_settings, loaded_model
from lookaway.outcomes import Abstain
from lookaway.weights import needed

NAME = "box_finder"
MODEL = "google/owlv2-base-patch16-ensemble"
LEAST_SCORE = 0.2  # the publisher's own examples show boxes from 0.1 or 0.2 on; unverified on our clips
LEAST_SIDE = 0.01  # of the picture
PROMPT = "a photo of {}"
MEAN = np.array([0.48145466, 0.4578275, 0.40821073], np.float32)
STD = np.array([0.26862954, 0.26130258, 0.27577711], np.float32)


class BoxFound(ObservedArrays):
    """The likeliest place of the subject in the first frame."""

    seconds: Floats  # (1,) of the first frame
    box: Floats  # (4,) left, top, right, bottom as shares of the frame
    score: float  # 0 to 1, as the model says


class BoxFinderSettings(LearnedSettings):
    """What `--set box_finder.NAME=VALUE` may say."""

    model: str = MODEL
    least_score: float = Field(LEAST_SCORE, ge=0, le=1, description="a box with a lower score is none")


@observer(version=1, saw=BoxFound, extra="torch", weights=MODEL, unverified=True)
def box_finder(look: Look) -> BoxFound | Abstain:
    """The box in the first frame that looks most like what the task's subject is called, and how much it does."""
    subject = look.task.subject
    if subject is None:
        return Abstain("no subject is named, so there is nothing to find")
    settings = learned_settings(BoxFinderSettings, NAME, look)
    eyes = loaded_model(NAME, settings, _opened)
    boxes, scores = _boxes(eyes, look.frames.rgb[0], prompt_of(subject.name), needed(settings.model))
    shown = (boxes[:, 2] - boxes[:, 0] > LEAST_SIDE) & (boxes[:, 3] - boxes[:, 1] > LEAST_SIDE)
    scores = np.where(shown, scores, 0.0)
    best = int(scores.argmax())
    if not shown[best] or scores[best] < settings.least_score:
        told = f"the best score is {scores[best]:.2f}, below {settings.least_score:g}"
        return Abstain(f"nothing in the first frame looks like {subject.name} ({told})")
    return BoxFound(seconds=look.frames.seconds[:1], box=boxes[best], score=float(scores[best]))


def without_article(name: str) -> str:
    """`the man` -> `man`"""
    first, _, rest = name.strip().partition(" ")
    return rest.strip() if rest and first.lower() in ("the", "a", "an") else name.strip()


def prompt_of(name: str) -> str:
    """`the man` -> `a photo of a man`"""
    plain = without_article(name)
    return PROMPT.format(f"{'an' if plain[:1].lower() in 'aeiou' else 'a'} {plain}")


def square(rgb: NDArray[np.uint8], side: int) -> NDArray[np.float32]:
    """The picture in the upper left of a black square, scaled to a side and normalised: (3, side, side)."""
    height, width = rgb.shape[:2]
    padded = np.zeros((max(height, width),) * 2 + (3,), np.uint8)
    padded[:height, :width] = rgb
    how = cv2.INTER_AREA if len(padded) > side else cv2.INTER_LINEAR
    sized = cv2.resize(padded, (side, side), interpolation=how).astype(np.float32) / 255
    return np.asarray(((sized - MEAN) / STD).transpose(2, 0, 1), np.float32)


def _boxes(eyes: LoadedModel, rgb: NDArray[np.uint8], prompt: str, folder: Path) -> tuple[Floats, Floats]:
    """Every box that the model has (K, 4), within the picture, and its score for the prompt (K,)."""
    torch, vision = eyes.torch, eyes.model.config.vision_config
    words = tokenizer_in(folder)(
        [prompt],
        padding="max_length",
        truncation=True,
        max_length=eyes.model.config.text_config.max_position_embeddings,
        return_tensors="pt",
    )
    pixels = torch.from_numpy(square(rgb, vision.image_size)[None]).to(eyes.device, getattr(torch, eyes.dtype))
    with torch.inference_mode():
        seen = eyes.model(
            input_ids=words["input_ids"].to(eyes.device),
            attention_mask=words["attention_mask"].to(eyes.device),
            pixel_values=pixels,
        )
    centres = seen.pred_boxes[0].double().cpu().numpy()
    scores = torch.sigmoid(seen.logits[0, :, 0].double()).cpu().numpy()
    return _shares(centres, rgb.shape[1], rgb.shape[0]), scores


def _shares(centres: Floats, width: int, height: int) -> Floats:
    """Middle, width and height in shares of the square, as left, top, right and bottom in shares of the picture."""
    half, middle = centres[:, 2:] / 2, centres[:, :2]
    corners = np.concatenate([middle - half, middle + half], axis=1) * max(width, height)
    return np.clip(corners / [width, height, width, height], 0, 1)


def _opened(folder: Path) -> Any:
    from transformers import Owlv2ForObjectDetection

    return Owlv2ForObjectDetection.from_pretrained(folder)


@lru_cache(maxsize=1)
def tokenizer_in(folder: Path) -> Any:
    """Of the words; without its files the library would make one that knows no word, and say nothing."""
    from transformers import AutoTokenizer

    if not any((folder / file).is_file() for file in ("tokenizer.json", "vocab.json")):
        raise ObserveError("no tokenizer lies beside the weights; get tokenizer.json, or vocab.json and merges.txt")
    try:
        return AutoTokenizer.from_pretrained(folder)
    except (OSError, ValueError) as error:
        raise ObserveError(f"the tokenizer beside the weights cannot be read: {error}") from error
