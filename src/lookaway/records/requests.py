"""How to say it: a task in a model's language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, PrivateAttr

from lookaway.records.asked import Box
from lookaway.records.base import Record, content_key
from lookaway.records.systems import CaseId, FitKind, InputPolicy

if TYPE_CHECKING:
    from numpy import uint8
    from numpy.typing import NDArray

    from lookaway.geometry.trajectory import Trajectory


class Fit(Record):
    """How a picture of another shape shows the first frame."""

    how: FitKind
    window: Box = Field(description="the part of the frame that fills the picture; beyond 0 to 1 there are bars")


class Control(Record):
    """The request in the model's language, and what of it the model can obey."""

    kind: str
    text: str = ""
    files: dict[str, str] = Field({}, description="blobs handed to the model, by file name")
    asked: str | None = Field(None, description="blob: the trajectory asked for, which stays the target of evaluation")
    effective: str | None = Field(None, description="blob: the trajectory the model can obey; None: unknown")
    loss_deg: float | None = Field(None, description="largest angle between asked and effective view")
    loss_m: float | None = Field(None, description="largest distance between asked and effective place")
    warnings: tuple[str, ...] = ()
    input_policy: InputPolicy = "first_frame"
    fit: Fit | None = Field(None, description="of the first frame to the model's picture; None: the same shape")
    pace: float = Field(1.0, gt=0, description="seconds of the camera script per second of video; 1 unless stretched")


class Request(Record):
    """One video to make. `image()`, `prefix_clip()` and `trajectory()` load what the hashes name."""

    case: CaseId
    prompt: str
    first_frame: str
    prefix: str | None = Field(None, description="blob: true frames that the clip must start with")
    control: Control
    width: int
    height: int
    frames: int
    fps: float
    task_instance: str
    system_key: str

    _blobs: Path | None = PrivateAttr(default=None)

    @property
    def key(self) -> str:
        return content_key("request", self)

    def bound(self, blobs: Path) -> Request:
        """The same request, able to load its media from a run's blob folder."""
        copy = self.model_copy()
        copy._blobs = blobs
        return copy

    def image(self) -> NDArray[uint8]:
        """First frame as (height, width, 3) RGB at the size asked for."""
        from lookaway.geometry.framing import picture_of
        from lookaway.images import read_image
        from lookaway.store import Blobs

        frame = read_image(Blobs(self._bound_blobs()).path(self.first_frame))
        return picture_of(frame, self.control.fit, (self.width, self.height))

    def prefix_clip(self) -> Path | None:
        """The true clip that the video must begin with, or None where the model starts from the first frame."""
        from lookaway.store import Blobs

        return None if self.prefix is None else Blobs(self._bound_blobs()).path(self.prefix)

    def control_files(self) -> dict[str, Path]:
        """What says the camera in the model's language, by file name; empty where words say it."""
        from lookaway.store import Blobs

        blobs = Blobs(self._bound_blobs())
        return {name: blobs.path(blob) for name, blob in self.control.files.items()}

    def trajectory(self) -> Trajectory | None:
        """The camera to follow: what the model can obey, or what was asked where that is unknown."""
        from lookaway.geometry.trajectory import Trajectory
        from lookaway.store import Blobs

        path = self.control.effective or self.control.asked
        return None if path is None else Trajectory.load(Blobs(self._bound_blobs()).path(path))

    def _bound_blobs(self) -> Path:
        if self._blobs is None:
            raise ValueError("this Request is not bound to a run folder; use request.bound(run.blobs.root)")
        return self._blobs
