"""What the subject looks like to DINOv2, in a few frames of every stretch in which it is seen."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from lookaway.observers import Look, observer
from lookaway.observers.learned import LearnedSettings, in_batches, learned_settings, loaded_model
from lookaway.observers.patch_features import MODEL, opened_dinov2
from lookaway.observers.tracking.sights import Crop, SubjectSights, sights, subject_crop
from lookaway.outcomes import Abstain

NAME = "subject_features"
SIDE = 224  # pixels of a crop: sixteen patches of fourteen


class SubjectFeatures(SubjectSights):
    """As DINOv2 tells."""


class FeatureSettings(LearnedSettings):
    """What `--set subject_features.NAME=VALUE` may say."""

    model: str = MODEL
    tracker: str = Field(
        "subject_track", description="whose masks are cut out; give it where subject_track.by is given"
    )


@observer(version=2, saw=SubjectFeatures, extra="torch", weights=MODEL, unverified=True)
def subject_features(look: Look) -> SubjectFeatures | Abstain:
    """Class tokens of the subject alone, cut out by its masks, in a few frames of each stretch that shows it."""
    settings = learned_settings(FeatureSettings, NAME, look)
    eyes = loaded_model(NAME, settings, opened_dinov2)  # missing weights are told before the subject is followed

    def tokens(crops: list[Crop]) -> NDArray[np.float32]:
        return in_batches(eyes, crops, settings.batch, _class_token)

    return sights(SubjectFeatures, look, settings.tracker, functools.partial(subject_crop, side=SIDE), tokens)


def _class_token(model: Any, pixels: Any) -> Any:
    return model(pixels).last_hidden_state[:, 0]
