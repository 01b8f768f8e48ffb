"""A task at the size, length and rate of one model."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lookaway.controls import Shape
from lookaway.images import png_bytes, read_image
from lookaway.records import Bank, ModelCard, Reference, Task
from lookaway.store import Blobs
from lookaway.suites import Draft
from lookaway.suites.known_world import SIZE, build_known_world
from lookaway.video import resize


@dataclass(frozen=True)
class Shaped:
    """A built task and the size of its pictures."""

    task: Task
    reference: Reference | None
    bank: Bank | None
    size: tuple[int, int]


def shaped(draft: Draft, card: ModelCard | None, blobs: Blobs) -> Shaped:
    """A known world is filmed anew; of any other task the first frame is stretched and the camera resampled.

    What was filmed by others keeps its own size and rate: the true clip, and the frame that the task's box is about.
    """
    if card is not None and draft.build is build_known_world:
        return _filmed_anew(draft, card, blobs)
    task, reference, bank = draft.built(blobs)
    first = read_image(blobs.path(task.first_frame))
    height, width = first.shape[:2]
    if card is None:
        return Shaped(task, reference, bank, (width, height))
    shape = Shape.of(task, card)
    size = (shape.width, shape.height)
    task = task.model_copy(
        update={
            "first_frame": blobs.put_bytes(png_bytes(resize(first, size)), ".png"),
            "fps": shape.fps,
            "seconds": _seconds(task.seconds, shape.frames, shape.fps, card),
        }
    )
    return Shaped(task, reference and reference.model_copy(update={"instance": task.instance}), bank, size)


def _filmed_anew(draft: Draft, card: ModelCard, blobs: Blobs) -> Shaped:
    fps, size = card.fps or draft.fps, (card.width or SIZE[0], card.height or SIZE[1])
    frames = card.frames or round(draft.seconds * fps) + 1
    lasting = replace(draft, fps=fps, seconds=_seconds(draft.seconds, frames, fps, card))
    return Shaped(*build_known_world(lasting, blobs, size), size)


def _seconds(own: float, frames: int, fps: float, card: ModelCard) -> float:
    return own if card.frames is None else (frames - 1) / fps
