"""What the hashes of a request name, read from a run's blobs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.framing import picture_of
from lookaway.geometry.trajectory import Trajectory
from lookaway.images import read_image
from lookaway.records import Request
from lookaway.store import Blobs


def first_image(request: Request, blobs: Blobs) -> NDArray[np.uint8]:
    """First frame as (height, width, 3) RGB at the size asked for."""
    frame = read_image(blobs.path(request.first_frame))
    return picture_of(frame, request.control.fit, (request.width, request.height))


def prefix_clip(request: Request, blobs: Blobs) -> Path | None:
    """The true clip that the video must begin with, or None where the model starts from the first frame."""
    return None if request.prefix is None else blobs.path(request.prefix)


def control_files(request: Request, blobs: Blobs) -> dict[str, Path]:
    """What says the camera in the model's language, by file name; empty where words say it."""
    return {name: blobs.path(blob) for name, blob in request.control.files.items()}


def camera_to_follow(request: Request, blobs: Blobs) -> Trajectory | None:
    """What the model can obey, or what was asked where that is unknown; None where no poses are asked."""
    path = request.control.effective or request.control.asked
    return None if path is None else Trajectory.load(blobs.path(path))
