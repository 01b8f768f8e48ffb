"""What a video is: size, exact frame count, rate and length, measured from its timestamps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from lookaway.errors import VideoError
from lookaway.video.folder import DEFAULT_FPS, common_size, folder_rate, frame_files
from lookaway.video.source import (
    ONE_FRAME_PER_PACKET,
    check_extent,
    codec_name,
    frames_of,
    has_timestamps,
    is_folder,
    open_video,
    shown_packets,
    to_seconds,
)


@dataclass(frozen=True)
class VideoInfo:
    """`seconds` runs from the first timestamp to the end of the last frame; `fps` is the average rate.

    `rate_assumed` is true for a folder of frames whose rate nobody stated.
    """

    path: Path
    width: int
    height: int
    frames: int
    fps: float
    seconds: float
    variable_rate: bool
    codec: str
    rate_assumed: bool = False


def probe(path: Path, folder_fps: float | None = None) -> VideoInfo:
    """Measured facts of a file or folder; the first frame is decoded, the others are counted."""
    if is_folder(path):
        return _probe_folder(path, folder_fps)
    with open_video(path) as (container, stream):
        width, height = upright_size(next(frames_of(path, container, stream)))
    with open_video(path) as (container, stream):
        shown: list[tuple[int | None, int]] = []
        for each in _stamps(path, container, stream):
            shown.append(each)
            check_extent(path, width, height, len(shown))
        durations = {stamp: duration for stamp, duration in shown if stamp is not None}
        if has_timestamps(container) and len(durations) == len(shown):
            fps, length, variable = _timing(durations, stream)
        else:
            fps = nominal_fps(path, stream)
            length, variable = len(shown) / fps, False
        return VideoInfo(path, width, height, len(shown), fps, length, variable, codec_name(stream))


def upright_size(frame: VideoFrame) -> tuple[int, int]:
    """Width and height after the rotation that the file asks players for."""
    return (frame.height, frame.width) if frame.rotation % 180 else (frame.width, frame.height)


def nominal_fps(path: Path, stream: VideoStream) -> float:
    """The rate the file declares, for frames without a usable timestamp."""
    rates = _declared_rates(stream)
    if not rates:
        raise VideoError(f"{path}: has neither timestamps nor a frame rate; convert it to mp4")
    return float(rates[0])


def _declared_rates(stream: VideoStream) -> list[Fraction]:
    rates = (stream.average_rate, stream.guessed_rate, stream.base_rate)
    return [rate for rate in rates if rate is not None and rate > 0]


def _stamps(path: Path, container: InputContainer, stream: VideoStream) -> Iterator[tuple[int | None, int]]:
    """Timestamp and duration of every frame shown; from packets where each is known to hold one frame."""
    if codec_name(stream) in ONE_FRAME_PER_PACKET:
        yield from ((packet.pts, packet.duration or 0) for packet in shown_packets(container, stream))
    else:
        yield from ((frame.pts, frame.duration or 0) for frame in frames_of(path, container, stream))


def _timing(durations: dict[int, int], stream: VideoStream) -> tuple[float, float, bool]:
    """Rate, length, and whether the rate varies: it does unless one rate explains every stamp to a tick."""
    stamps = sorted(durations)
    seconds = np.array([to_seconds(stamp - stamps[0], stream) for stamp in stamps])
    count, span, last_lasts = len(stamps), float(seconds[-1]), to_seconds(durations[stamps[-1]], stream)
    measured = (count - 1) / span if span else 1 / last_lasts if last_lasts else DEFAULT_FPS
    average, *guessed = *map(float, _declared_rates(stream)), measured
    for rate in (average, max(round(measured), 1), *guessed):
        if np.abs(seconds - np.arange(count) / rate).max() <= 1.01 * to_seconds(1, stream):
            return float(rate), span + 1 / rate, False
    length = span + (last_lasts or 1 / measured)
    return count / length, length, True


def _probe_folder(path: Path, folder_fps: float | None) -> VideoInfo:
    files = frame_files(path)
    width, height = common_size(files)
    check_extent(path, width, height, len(files))
    fps, assumed = folder_rate(path, folder_fps)
    codec = "+".join(sorted({file.suffix.lower().lstrip(".") for file in files}))
    return VideoInfo(path, width, height, len(files), fps, len(files) / fps, False, codec, assumed)
