"""Observers that ask a program for one number per picture: CLIP-IQA+ and ImageReward, each in its own environment."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from pydantic import Field

from lookaway.errors import MissingPackage, MissingWeights, ObserveError
from lookaway.observers import Floats, Indices, Look, ObservedArrays, observer
from lookaway.observers.pipe import Message
from lookaway.observers.worker_calls import WorkerSettings, worker_answer, worker_settings
from lookaway.outcomes import Abstain
from lookaway.video import indices_uniform

REWARD = "THUDM/ImageReward"
ABOUT = "see docs/memobench.md"


class PictureScores(ObservedArrays):
    """One row per frame that was shown."""

    seconds: Floats
    frames: Indices
    score: Floats


class ClipIqa(PictureScores):
    """By CLIP-IQA+: 0 to 1."""


class ImageRewards(PictureScores):
    """By ImageReward, for the prompt: about -2 to 2."""


class QualitySettings(WorkerSettings):
    """What `--set clip_iqa.NAME=VALUE` may say."""

    stride: int = Field(4, gt=0, description="one frame in so many is shown")


class RewardSettings(WorkerSettings):
    """What `--set image_rewards.NAME=VALUE` may say."""

    frames: int = Field(5, gt=0, description="at most so many, evenly spread, are shown")


P = TypeVar("P", bound=PictureScores)


@observer(version=1, saw=ClipIqa, unverified=True)
def clip_iqa(look: Look) -> ClipIqa | Abstain:
    """CLIP-IQA+ of every fourth frame, run as a worker with the package `pyiqa`, which is not for commercial use."""
    settings = worker_settings(QualitySettings, ClipIqa.observer, look)
    return _scored(ClipIqa, look, settings, np.arange(0, len(look.frames), settings.stride))


@observer(version=1, saw=ImageRewards, weights=REWARD, unverified=True)
def image_rewards(look: Look) -> ImageRewards | Abstain:
    """ImageReward of five frames for the task's prompt, run as a worker with the package `image-reward`."""
    settings = worker_settings(RewardSettings, ImageRewards.observer, look)
    return _scored(ImageRewards, look, settings, np.array(indices_uniform(len(look.frames), settings.frames)))


def _scored(kind: type[P], look: Look, settings: WorkerSettings, frames: Indices) -> P | Abstain:
    try:
        answer = worker_answer(kind.observer, look, settings, frames.tolist(), {"prompt": look.task.prompt})
        if "abstain" in answer:
            return Abstain(str(answer["abstain"]))
        return kind(seconds=look.frames.seconds[frames], frames=frames, score=_scores(answer, len(frames)))
    except (MissingWeights, MissingPackage):
        raise
    except ObserveError as error:
        raise ObserveError(f"worker {kind.observer}: {error}") from error


def _scores(answer: Message, count: int) -> Floats:
    """One finite number per picture, or what is wrong with the answer."""
    if "error" in answer:
        raise ObserveError(str(answer["error"]))
    try:
        scores = np.array(answer.get("scores"), np.float64)
    except (TypeError, ValueError) as error:
        raise ObserveError(f"`scores` are no numbers: {error}; {ABOUT}") from error
    if scores.shape != (count,):
        raise ObserveError(f"`scores` is of shape {scores.shape}, and {count} pictures were shown; {ABOUT}")
    if not np.isfinite(scores).all():
        raise ObserveError(f"`scores` holds a number that is not finite; {ABOUT}")
    return scores
