"""A clip as one small picture that a page can play: frames side by side."""

from __future__ import annotations

import base64
import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from lookaway.reports.exhibits import FlipBook
from lookaway.store import Run
from lookaway.video import SharedFrames, indices_uniform, resize

FRAMES = 16
LONG_SIDE = 176  # pixels
QUALITY = 52  # of WebP: a page of fifty clips stays below three megabytes


def flip_book(run: Run, media: str) -> FlipBook:
    """Evenly spread frames of a clip, the first and the last among them."""
    with SharedFrames.load(run.blobs.path(media), long_side=LONG_SIDE) as frames:
        chosen = [frames[i] for i in indices_uniform(len(frames), FRAMES)]
        pictures = [_small(np.asarray(frame.rgb)) for frame in chosen]
        seconds = tuple(round(float(frame.seconds), 3) for frame in chosen)
    height, width = pictures[0].shape[:2]
    return FlipBook(picture_uri(np.concatenate(pictures, axis=1), QUALITY), seconds, width, height)


def picture_uri(rgb: NDArray[np.uint8], quality: int) -> str:
    """A picture as a data URI."""
    file = io.BytesIO()
    Image.fromarray(rgb).save(file, "WEBP", quality=quality, method=4)
    return f"data:image/webp;base64,{base64.b64encode(file.getvalue()).decode()}"


def _small(rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
    scale = min(1.0, LONG_SIDE / max(rgb.shape[:2]))
    size = (max(1, round(rgb.shape[1] * scale)), max(1, round(rgb.shape[0] * scale)))
    return np.asarray(resize(rgb, size), dtype=np.uint8)
