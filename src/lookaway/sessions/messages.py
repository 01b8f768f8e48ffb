"""What client and server say to each other: one JSON object asks, one answers. Pictures are PNG in base64.

{"do": "open", "version": 1, "first_frame": PNG, "prompt": "…", "seed": 0, "width": 320, "height": 180, "fps": 16.0}
    {"session": "a1"}               and perhaps "prompt", the one used, and "frame", frame 0 as the model shows it
{"do": "step", "session": "a1", "step": 0, "first": 1, "frames": 2, "action": {…}, "text": ""}
    {"session": "a1", "step": 0, "first": 1, "frames": [PNG, PNG]}
{"do": "fork", "session": "a1"}     {"session": "b2"}
{"do": "close", "session": "a1"}    {"session": "a1"}

Whatever cannot be done is answered with {"error": "why"}, in HTTP with a status of 400 or above.
"""

from __future__ import annotations

import base64
import binascii
import io
from typing import Annotated, Any, Literal

import numpy as np
from PIL import Image, UnidentifiedImageError
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from lookaway.images import png_bytes
from lookaway.records import Record
from lookaway.sessions.session import Picture

VERSION = 1


class OpenMessage(Record):
    do: Literal["open"] = "open"
    version: int = VERSION
    first_frame: str
    prompt: str
    seed: int
    width: int = Field(gt=0, le=16384)
    height: int = Field(gt=0, le=16384)
    fps: float = Field(gt=0, le=1000)
    context_s: float | None = Field(None, gt=0, description="how far the model may look back; null: as it likes")


class StepMessage(Record):
    do: Literal["step"] = "step"
    session: str
    step: int = Field(ge=0, description="number of this step")
    first: int = Field(ge=1, description="number of the first frame that it makes")
    frames: int = Field(ge=1, le=100_000, description="how many frames to make")
    action: dict[str, Any]
    text: str = ""


class ForkMessage(Record):
    do: Literal["fork"] = "fork"
    session: str


class CloseMessage(Record):
    do: Literal["close"] = "close"
    session: str


Message = OpenMessage | StepMessage | ForkMessage | CloseMessage
MESSAGES: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="do")])


class Answer(BaseModel):
    """An answer may hold more than is asked for."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Opened(Answer):
    session: str
    prompt: str | None = None
    frame: str | None = None


class Stepped(Answer):
    """`step` and `first` are the server's own count, so that a lost or repeated chunk is noticed."""

    session: str
    step: int
    first: int
    frames: tuple[str, ...]


class Forked(Answer):
    session: str


class Closed(Answer):
    session: str


class Unable(Answer):
    error: str
    status: Literal["failed", "refused", "filtered", "timed_out"] = "failed"


def packed(picture: Picture) -> str:
    return base64.b64encode(png_bytes(picture)).decode()


def unpacked(text: str) -> Picture:
    """The picture, or a ValueError."""
    try:
        with Image.open(io.BytesIO(base64.b64decode(text, validate=True))) as image:
            return np.asarray(image.convert("RGB"), np.uint8)
    except (binascii.Error, UnidentifiedImageError, OSError) as error:
        raise ValueError(f"no PNG in base64 ({error})") from error
