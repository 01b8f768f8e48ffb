"""A model that is a Python callable in this process, as a training loop has it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import PrivateAttr

from lookaway.generators import Commission, Made, generator, media
from lookaway.geometry.trajectory import Trajectory
from lookaway.records import Request
from lookaway.store import Blobs


class VideoRequest(Request):
    """What a callable gets: a request, and the media that its hashes name."""

    _blobs: Blobs = PrivateAttr()

    @classmethod
    def of(cls, request: Request, blobs: Blobs) -> VideoRequest:
        made = cls(**dict(request))
        made._blobs = blobs
        return made

    def image(self) -> NDArray[np.uint8]:
        """First frame as (height, width, 3) RGB at the size asked for."""
        return media.first_image(self, self._blobs)

    def prefix_clip(self) -> Path | None:
        """The true clip that the video must begin with, or None where the model starts from the first frame."""
        return media.prefix_clip(self, self._blobs)

    def control_files(self) -> dict[str, Path]:
        """What says the camera in the model's language, by file name; empty where words say it."""
        return media.control_files(self, self._blobs)

    def trajectory(self) -> Trajectory | None:
        """The camera to follow: what the model can obey, or what was asked where that is unknown."""
        return media.camera_to_follow(self, self._blobs)


Model = Callable[[VideoRequest], Made]

_callables: dict[str, Model] = {}


def lend(name: str, model: Model) -> None:
    """Make a callable known to this process under a system's name."""
    _callables[name] = model


@generator(version=1, can_make=_callables.__contains__)
def python(commission: Commission) -> Made:
    """Calls the function that `lookaway.evaluate` was given."""
    request = VideoRequest.of(commission.request, commission.blobs)
    return _callables[commission.card.name](request)
