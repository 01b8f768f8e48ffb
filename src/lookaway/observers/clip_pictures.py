"""Pictures as CLIP sees them: shown as its own processor does, one vector of length 1 each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookaway.observers.learned import LearnedSettings, LoadedModel, in_batches, loaded_model
from lookaway.observers.patch_matches import unit
from lookaway.observers.picture_sizes import CLIP, Picture, middle_square


def opened_clip(folder: Path) -> Any:
    """The half that sees, of a checkpoint that has the half that reads too."""
    from transformers import CLIPConfig, CLIPVisionModelWithProjection
    from transformers.utils import logging

    whole = CLIPConfig.from_pretrained(folder)
    whole.vision_config.projection_dim = whole.projection_dim
    told = logging.get_verbosity()
    logging.set_verbosity_error()  # else it lists every weight of the other half
    try:
        model, report = CLIPVisionModelWithProjection.from_pretrained(
            folder, config=whole.vision_config, output_loading_info=True
        )
    finally:
        logging.set_verbosity(told)
    if report["missing_keys"]:
        raise ValueError(f"{len(report['missing_keys'])} of its weights are not in the file")
    return model


def clip_model(observer: str, settings: LearnedSettings) -> LoadedModel:
    return loaded_model(observer, settings, opened_clip)


def clip_vectors(eyes: LoadedModel, pictures: Sequence[Picture], batch: int) -> NDArray[np.float32]:
    side = eyes.model.config.image_size
    return unit(in_batches(eyes, [middle_square(each, side, side, CLIP) for each in pictures], batch, _image_embeds))


def _image_embeds(model: Any, pixels: Any) -> Any:
    return model(pixels).image_embeds
