"""What came back: videos and where they came from."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lookaway.records.base import Record
from lookaway.records.requests import Fit
from lookaway.records.systems import CaseId

ClipStatus = Literal["ok", "refused", "filtered", "timed_out", "unreadable", "missing", "withdrawn", "failed"]


class Provenance(Record):
    """Where a clip came from; the runner writes it, a generator cannot forget it."""

    generator: str
    version: int
    checkpoint: str = "unknown"
    lookaway: str
    python: str
    seconds: float | None = None
    cost_usd: float | None = None
    memory_bytes: int | None = Field(None, description="what the model kept of the past at most, where it is told")
    source: str | None = Field(None, description="file name of an ingested video")
    prompt: str | None = Field(None, description="the prompt really used, where the generator tells")
    log: str | None = Field(None, description="blob: what the generator printed")
    note: str = ""


class Clip(Record):
    """The video of one case, or why there is none."""

    case: CaseId  # which task, system and seed
    request_key: str  # of the Request it answers; empty where a video was brought and nothing tells what was asked
    task_instance: str  # of the Task as it was then: another first frame is another instance
    status: ClipStatus  # ok exactly where there is a video
    reason: str = ""  # why there is none, in words; empty where there is one
    video: str | None = None  # blob
    frames: int | None = None  # counted, not declared
    fps: float | None = None  # on average, by its timestamps
    seconds: float | None = None  # from the first timestamp to the end of the last frame
    width: int | None = None  # in pixels, upright
    height: int | None = None  # in pixels, upright
    fit: Fit | None = Field(None, description="how its picture shows the task's first frame; None: the same shape")
    pace: float = Field(1.0, gt=0, description="seconds of the camera script per second of video")
    asked: str | None = Field(None, description="blob: the camera asked of a brought video whose task asks for none")
    provenance: Provenance  # what made it, or which file it was brought as


class Shown(Record):
    """What the frames of a known world's clip show, as its maker knows; for the oracle alone."""

    media: str  # sha256 of the video
    arrays: str  # blob: see shown.py
