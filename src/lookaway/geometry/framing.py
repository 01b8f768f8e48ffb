"""First frames brought to another shape of picture, and what that does to boxes and fields of view.

A crop keeps the middle; bars keep everything; a stretch bends the proportions. Whatever was done, frame and picture
have a part in common, and what is measured is measured there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.trajectory import pinhole
from lookaway.records import Box, Fit, FitKind, Subject, Task
from lookaway.video import resize

WHOLE: Box = (0.0, 0.0, 1.0, 1.0)
ALIKE = 0.01  # sides whose ratios differ by less make pictures of the same shape


def fit_between(frame: tuple[int, int], picture: tuple[int, int], how: FitKind) -> Fit | None:
    """How a frame of one (width, height) fills a picture of another; None where both have the same shape."""
    wider = picture[0] * frame[1] / (picture[1] * frame[0])
    if abs(wider - 1) <= ALIKE:
        return None
    if how == "stretch":
        return Fit(how=how, window=WHOLE)
    across = (how == "crop") == (wider < 1)  # does the width of the window differ from the frame's, or its height?
    share = wider if across else 1 / wider
    low, high = 0.5 - share / 2, 0.5 + share / 2
    return Fit(how=how, window=(low, 0.0, high, 1.0) if across else (0.0, low, 1.0, high))


def task_fit(task: Task, picture: tuple[int, int], how: FitKind) -> Fit | None:
    """The fit of a task's first frame; one that would cut off a subject gets bars instead."""
    fit = fit_between((task.width, task.height), picture, how)
    if fit is not None and any(not _within(subject.box, frame_part(fit)) for subject in task.subjects):
        return fit_between((task.width, task.height), picture, "pad")
    return fit


def frame_part(fit: Fit | None) -> Box:
    """The part of the first frame that the picture shows."""
    left, top, right, bottom = WHOLE if fit is None else fit.window
    return max(0.0, left), max(0.0, top), min(1.0, right), min(1.0, bottom)


def picture_part(fit: Fit | None) -> Box:
    """The part of the picture that shows the first frame, and no bars."""
    return WHOLE if fit is None else _inside(frame_part(fit), fit.window)


def fitted_task(task: Task, fit: Fit | None) -> Task:
    """The task as it is asked in the part that frame and picture have in common."""
    if fit is None:
        return task
    part = frame_part(fit)
    across, down = part[2] - part[0], part[3] - part[1]
    subjects = tuple(_moved(subject, part) for subject in task.subjects)
    half = np.tan(np.deg2rad(task.hfov_deg / 2)) * across
    return task.model_copy(
        update={
            "subjects": subjects,
            "hfov_deg": float(2 * np.rad2deg(np.arctan(half))),
            "width": max(1, round(task.width * across)),
            "height": max(1, round(task.height * down)),
        }
    )


def picture_lens(task: Task, fit: Fit | None, size: tuple[int, int]) -> NDArray[np.float64]:
    """Pixel intrinsics of the whole picture, bars and all."""
    left, top, right, bottom = WHOLE if fit is None else fit.window
    focal = pinhole(task.width, task.height, task.hfov_deg)[0, 0]
    across, down = size[0] / (task.width * (right - left)), size[1] / (task.height * (bottom - top))
    return np.array([[focal * across, 0, size[0] / 2], [0, focal * down, size[1] / 2], [0, 0, 1.0]])


def cut(pictures: NDArray[Any], part: Box, rows: int = 1) -> NDArray[Any]:
    """A part of pictures whose rows are that axis, columns the next; as much is cut off on either side."""
    if part == WHOLE:
        return pictures
    height, width = pictures.shape[rows : rows + 2]
    left, top = (min(round(share * side), (side - 1) // 2) for share, side in ((part[0], width), (part[1], height)))
    keep = (slice(None),) * rows + (slice(top, height - top), slice(left, width - left))
    return pictures[keep]


def picture_of(frame: NDArray[np.uint8], fit: Fit | None, size: tuple[int, int]) -> NDArray[np.uint8]:
    """A first frame as a picture of that (width, height); bars are black."""
    if fit is None:
        return resize(frame, size)
    shown = cut(frame, frame_part(fit), rows=0)
    left, top, right, bottom = picture_part(fit)
    width, height = (
        max(1, round(side * share)) for side, share in zip(size, (right - left, bottom - top), strict=True)
    )
    picture = np.zeros((size[1], size[0], 3), np.uint8)
    x, y = (size[0] - width) // 2, (size[1] - height) // 2
    picture[y : y + height, x : x + width] = resize(shown, (width, height))
    return picture


def common_part(pictures: NDArray[np.uint8], fit: Fit | None, aspect: float) -> NDArray[np.uint8]:
    """What pictures (N, H, W, 3) show of the first frame, of that width to height, with its proportions restored."""
    if fit is None:
        return pictures
    shown = cut(pictures, picture_part(fit))
    if fit.how != "stretch":
        return shown
    height, width = shown.shape[1:3]
    size = (
        (width, max(1, round(width / aspect))) if width < height * aspect else (max(1, round(height * aspect)), height)
    )
    return np.stack([resize(picture, size) for picture in shown])


def seen_fit(frame: NDArray[np.uint8], picture: NDArray[np.uint8]) -> Fit | None:
    """How a picture was made of a first frame, as far as it shows: the fit under which the two differ least."""
    size, own = ((image.shape[1], image.shape[0]) for image in (picture, frame))
    fits = [fit for how in FIT_KINDS if (fit := fit_between(own, size, how)) is not None]
    small = (64, max(2, round(64 * size[1] / size[0])))
    mine = resize(picture, small).astype(np.float64)
    return min(fits, key=lambda fit: float(np.abs(picture_of(frame, fit, small) - mine).mean()), default=None)


FIT_KINDS: tuple[FitKind, ...] = ("crop", "pad", "stretch")


def _inside(box: Box, part: Box) -> Box:
    """A box of the whole in shares of a part of it."""
    across, down = part[2] - part[0], part[3] - part[1]
    left, right = ((box[k] - part[0]) / across for k in (0, 2))
    top, bottom = ((box[k] - part[1]) / down for k in (1, 3))
    return left, top, right, bottom


def _moved(subject: Subject, part: Box) -> Subject:
    left, top, right, bottom = (min(1.0, max(0.0, side)) for side in _inside(subject.box, part))
    return subject.model_copy(update={"box": (left, top, right, bottom)})


def _within(box: Box, part: Box) -> bool:
    return part[0] <= box[0] and part[1] <= box[1] and box[2] <= part[2] and box[3] <= part[3]
