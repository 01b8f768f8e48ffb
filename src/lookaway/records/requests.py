"""How to say it: a task in a model's language."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from lookaway.records.asked import Box
from lookaway.records.base import Record, content_key
from lookaway.records.systems import CaseId, FitKind, InputPolicy


class Fit(Record):
    """How a picture of another shape shows the first frame."""

    how: FitKind
    window: Box = Field(description="the part of the frame that fills the picture; beyond 0 to 1 there are bars")


TriggerLanguage = Literal["prompt", "step", "action"]
CoverLanguage = Literal["prompt", "step", "script"]


class AskedEvent(Record):
    """Something that is to happen in the video, and how the model is told."""

    words: str
    start_s: float | None = Field(None, description="when it begins; of what hides, when all is hidden; None: unknown")
    end_s: float | None = Field(None, description="when what hides begins to go")
    told_by: TriggerLanguage | CoverLanguage | Literal["camera"] = "prompt"
    action: str = Field("", description="name of the action that stands for it, where one does")


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
    trigger: AskedEvent | None = Field(None, description="what is to set the process off; None: nothing, or not told")
    occlusion: AskedEvent | None = Field(None, description="what is to hide the subject; None: nothing, or itself")

    @model_serializer(mode="wrap")
    def _events_only_where_asked(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A request without events, as all were before they were recorded, keeps its key."""
        known: dict[str, Any] = handler(self)
        return {name: value for name, value in known.items() if value is not None or name not in _EVENTS}


_EVENTS = ("trigger", "occlusion")


class Request(Record):
    """One video to make; media are named by their hashes."""

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

    @property
    def key(self) -> str:
        return content_key("request", self)
