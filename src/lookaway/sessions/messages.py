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
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from lookaway.images import BadImage, image_size, png_bytes, rgb_image
from lookaway.limits import MB, MESSAGE_PIXELS, PICTURE_SIDE, STEP_BYTES, STEP_FRAMES
from lookaway.records import Record
from lookaway.sessions.session import Picture

VERSION = 1


class OpenMessage(Record):
    do: Literal["open"] = "open"
    version: int = VERSION
    first_frame: str
    prompt: str
    seed: int
    width: int = Field(gt=0, le=PICTURE_SIDE)
    height: int = Field(gt=0, le=PICTURE_SIDE)
    fps: float = Field(gt=0, le=1000)
    context_s: float | None = Field(None, gt=0, description="how far the model may look back; null: as it likes")


class StepMessage(Record):
    do: Literal["step"] = "step"
    session: str
    step: int = Field(ge=0, description="number of this step")
    first: int = Field(ge=1, description="number of the first frame that it makes")
    frames: int = Field(ge=1, description="how many frames to make")
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


class SessionAnswer(BaseModel):
    """An answer may hold more than is asked for."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Opened(SessionAnswer):
    session: str
    prompt: str | None = None
    frame: str | None = None


class Stepped(SessionAnswer):
    """`step` and `first` are the server's own count, so that a lost or repeated chunk is noticed.

    `memory_bytes`, where a server tells it, is what the model keeps of the past by now.
    """

    session: str
    step: int
    first: int
    frames: tuple[str, ...]
    memory_bytes: int | None = Field(None, ge=0)


class Forked(SessionAnswer):
    session: str


class Closed(SessionAnswer):
    session: str


class Unable(SessionAnswer):
    error: str
    status: Literal["failed", "refused", "filtered", "timed_out"] = "failed"


def packed(picture: Picture) -> str:
    return base64.b64encode(png_bytes(picture)).decode()


def unpacked(text: str, size: tuple[int, int] | None = None) -> Picture:
    """The picture, or a ValueError; one of another size than `size`, (width, height), is not decoded at all."""
    try:
        data = base64.b64decode(text, validate=True)
        width, height = image_size(data, MESSAGE_PIXELS)
        if size is not None and (width, height) != size:
            raise ValueError(f"the picture is {width}x{height}, not {size[0]}x{size[1]}")
        return rgb_image(data, MESSAGE_PIXELS)
    except (binascii.Error, BadImage) as error:
        raise ValueError(f"no PNG in base64 ({error})") from error


def beyond_a_step(frames: int, first: Picture) -> str | None:
    """Why one step cannot make so many frames of that size, or None."""
    height, width = first.shape[:2]
    if frames > STEP_FRAMES:
        return f"a step makes at most {STEP_FRAMES} frames, not {frames}"
    if frames * first.nbytes > STEP_BYTES:
        return f"{frames} frames of {width}x{height} are more than the {STEP_BYTES // MB} MB that a step makes"
    return None
