"""A clip as a file for services that sample videos themselves: its pictures only, and nothing that names them."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import av
import av.error
from av.container import InputContainer, OutputContainer

from lookaway.errors import CallFailed

MIME = "video/mp4"


@dataclass(frozen=True)
class NativeVideo:
    """An mp4 without sound and without tags."""

    data: bytes = field(repr=False)
    sha256: str
    seconds: float


@lru_cache(maxsize=16)
def native_video(path: Path) -> NativeVideo:
    """The pictures of a file, packed anew but not encoded anew; tags may hold a model's name or a prompt."""
    made = io.BytesIO()
    try:
        with av.open(str(path)) as source, av.open(made, "w", "mp4", options={"fflags": "+bitexact"}) as target:
            seconds = _copied(source, target)
    except (av.error.FFmpegError, ValueError, IndexError) as error:
        raise CallFailed("rejected", f"{path}: cannot be packed as mp4 ({error}); send frames instead") from error
    data = made.getvalue()
    return NativeVideo(data, hashlib.sha256(data).hexdigest(), seconds)


def _copied(source: InputContainer, target: OutputContainer) -> float:
    """Copy the first video stream; returns how long it lasts."""
    pictures = source.streams.video[0]
    copy = target.add_stream_from_template(pictures)
    end_s = 0.0
    for packet in source.demux(pictures):
        if packet.dts is None or packet.pts is None:
            continue
        end_s = max(end_s, float((packet.pts + (packet.duration or 0)) * packet.time_base))
        packet.stream = copy
        target.mux(packet)
    return end_s
