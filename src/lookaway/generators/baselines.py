"""Trivial baselines: what a clip is worth that shows no world at all, or not this one. They take any suite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.errors import GenerationError
from lookaway.generators import Commission, Made, TrueClips, generator
from lookaway.geometry.trajectory import Floats
from lookaway.records import Request
from lookaway.video import SharedFrames, resize

UNSEEN = (128, 128, 128)


@generator(version=1)
def held_first_frame(commission: Commission) -> Made:
    """Repeats the first frame."""
    return [commission.image()] * commission.request.frames


@generator(version=1)
def panned_first_frame(commission: Commission) -> Made:
    """Turns the first frame, a flat picture, with the asked camera; mid grey where it shows nothing.

    Shifts of the camera, covers and time are ignored.
    """
    path = commission.trajectory()
    if path is None:
        raise GenerationError(f"{commission.task.id}: needs camera poses, not '{commission.request.control.kind}'")
    first = commission.image()
    return (
        turned_picture(first, pose[:3, :3], intrinsics)
        for pose, intrinsics in zip(path.camera_to_world, path.intrinsics, strict=True)
    )


@generator(version=1)
def looped_first_half(commission: Commission) -> Made:
    """Plays the first half of the true clip twice."""
    clip = commission.true_clips().path(commission.task.id)
    if clip is None:
        raise GenerationError(
            f"{commission.task.id}: the suite has no true clip of this task, so there is no half to loop"
        )
    request = commission.request
    half = (request.frames + 1) // 2
    return _replayed(request, clip, np.arange(request.frames) % half / request.fps)


@generator(version=1)
def other_task(commission: Commission) -> Made:
    """Plays the true clip of another task of the suite, from another scene where there is one."""
    clip = _clip_of_another(commission.true_clips(), commission.task.id)
    if clip is None:
        raise GenerationError(f"{commission.task.id}: no other task of the suite has a true clip")
    request = commission.request
    return _replayed(request, clip, np.arange(request.frames) / request.fps)


def turned_picture(picture: NDArray[np.uint8], rotation: Floats, intrinsics: Floats) -> NDArray[np.uint8]:
    """A far-away picture as seen after the camera turned; `rotation` takes its new rays to the old camera's."""
    height, width = picture.shape[:2]
    to_old = intrinsics @ rotation @ np.linalg.inv(intrinsics)
    turned = cv2.warpPerspective(
        picture,
        np.linalg.inv(to_old),
        (width, height),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=UNSEEN,
    )
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    behind = to_old[2, 0] * x + to_old[2, 1] * y + to_old[2, 2] <= 0
    turned[behind] = UNSEEN
    return np.asarray(turned, np.uint8)


def _clip_of_another(clips: TrueClips, own: str) -> Path | None:
    """The next task by name, one of another scene before one of the same; always the same choice."""
    names = sorted(clips.scenes)
    at = names.index(own)
    others = [*names[at + 1 :], *names[:at]]
    others.sort(key=lambda name: clips.scenes[name] == clips.scenes[own])
    return next((clip for clip in map(clips.path, others) if clip is not None), None)


def _replayed(request: Request, clip: Path, seconds: Floats) -> Iterator[NDArray[np.uint8]]:
    """The clip's frames nearest to those seconds, at the size asked for; its last frame where it ends too early."""
    with SharedFrames.load(clip, long_side=None) as frames:
        for second in seconds:
            yield resize(frames.rgb[frames.index_at(float(second))], (request.width, request.height))
