"""How much of the answer a model's inputs show: the settings of WRBench for models that are given a video of the scene.

- `source_only`: the task's own first frames, up to the return at most, or its first frame.
- `endpoint_masked`: the whole true clip, with a grey band over all heights at which the subject ever is, from the
  moment it is hidden on; so the model is shown the new views, and not what became of the subject.
- `full_target`: the whole true clip. What comes out is an upper bound of control, never evidence of memory.

A card asks for one by its `input_policy`; what was really given is recorded with the request.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lookaway import truth
from lookaway.controls import CONTROLS, Shape, task_shows
from lookaway.geometry.framing import picture_of
from lookaway.pipeline.branches import branched
from lookaway.records import Fit, InputPolicy, ModelCard, Reference, Task
from lookaway.store import Blobs
from lookaway.video import decode, encode

SOURCE_CRF = 8  # as true clips are kept
MASK_GREY = 128
MASK_MARGIN = 0.05  # of the height, above and below
NO_TRUTH = "there is no true clip to show it, so it is given what the task gives"
ALL_MASKED = "nobody knows where the subject is in the true clip, so whole frames are masked"


@dataclass(frozen=True)
class ShownSource:
    """A video of the scene that a model is given, and what it shows of the answer."""

    video: str | None  # blob
    shows: InputPolicy
    rows: tuple[float, float] = (0.0, 0.0)  # top and bottom of the masked band, as shares of the height
    masked_from_s: float | None = None
    notes: tuple[str, ...] = ()


def shown_source(own: Task, branch: str, card: ModelCard, reference: Reference | None, blobs: Blobs) -> ShownSource:
    """What the card's input policy gives of a task; in other branches than its own, what the task gives."""
    task = branched(own, branch)
    plain = ShownSource(task.prefix, task_shows(task))
    if branch or card.input_policy not in ("endpoint_masked", "full_target"):
        return plain
    if card.control not in CONTROLS.all() or not CONTROLS.get(card.control).shows_source:
        return plain
    if reference is None or reference.video is None:
        return ShownSource(plain.video, plain.shows, notes=(f"input policy {card.input_policy}: {NO_TRUTH}",))
    if card.input_policy == "full_target":
        return ShownSource(reference.video, "full_target")
    masks = truth.load(reference, blobs.root).masks
    band = None if masks is None else subject_rows(masks)
    notes = () if band is not None else (ALL_MASKED,)
    return ShownSource(reference.video, "endpoint_masked", band or (0.0, 1.0), hidden_from_s(task), notes)


def hidden_from_s(task: Task) -> float:
    """When the subject is first out of view; where it never is, as soon as the first frame was shown."""
    hidden = [interval.start_s for interval in task.phases if interval.phase == "hidden"]
    return min(hidden) if hidden else 0.5 / task.fps


def subject_rows(masks: NDArray[np.bool_]) -> tuple[float, float] | None:
    """Top and bottom of all places of the subject in any frame, with a margin; a band of the whole width.

    A mask that followed the subject would tell where it is.
    """
    rows = np.flatnonzero(masks.any(axis=(0, 2)))
    if not len(rows):
        return None
    height = masks.shape[1]
    return max(0.0, rows[0] / height - MASK_MARGIN), min(1.0, (rows[-1] + 1) / height + MASK_MARGIN)


def source_clip(source: ShownSource, task: Task, fit: Fit | None, shape: Shape, blobs: Blobs) -> str | None:
    """The video as pictures of the same size and part as the model's first frame."""
    size = (shape.width, shape.height)
    if source.video is None or (source.masked_from_s is None and size == (task.width, task.height)):
        return source.video
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "source.mp4"
        pictures = (picture_of(rgb, fit, size) for rgb in _frames(source, blobs))
        encode(pictures, path, task.fps, crf=SOURCE_CRF)
        return blobs.put_file(path)


def _frames(source: ShownSource, blobs: Blobs) -> Iterator[NDArray[np.uint8]]:
    assert source.video is not None
    for frame in decode(blobs.path(source.video)):
        rgb = frame.rgb
        if source.masked_from_s is not None and frame.seconds >= source.masked_from_s:
            top, bottom = (round(share * len(rgb)) for share in source.rows)
            rgb = rgb.copy()
            rgb[top:bottom] = MASK_GREY
        yield rgb
