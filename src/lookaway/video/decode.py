"""One forward pass over a video's frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import av.error
import numpy as np
from av.container import InputContainer
from av.video.format import VideoFormat
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

from lookaway.errors import VideoError
from lookaway.video.folder import common_size, folder_rate, frame_files, read_image
from lookaway.video.orientation import Orientation, orientation
from lookaway.video.resize import fitted_size, resize
from lookaway.video.source import (
    check_extent,
    check_held,
    codec_name,
    damaged,
    frames_of,
    has_timestamps,
    is_folder,
    is_shown,
    open_video,
)
from lookaway.video.timing import read_clock


@dataclass(frozen=True)
class Frame:
    """`seconds` counts from the first frame; `rgb` is (height, width, 3)."""

    index: int
    seconds: float
    rgb: NDArray[np.uint8]


def decode(path: Path, long_side: int | None = None, folder_fps: float | None = None) -> Iterator[Frame]:
    """Every frame in order, upright, one in memory at a time; the longer side at most `long_side`.

    What is transparent (gif, png) turns black.
    """
    if is_folder(path):
        yield from _folder_frames(path, None, long_side, folder_fps)
        return
    for index, seconds, turn, picture in _shown(path):
        yield Frame(index, seconds, _to_rgb(picture, turn, long_side))


def decode_some(path: Path, indices: Sequence[int], folder_fps: float | None = None) -> list[Frame]:
    """The frames at `indices`, in the order asked, equal bit for bit to those of a full decode."""
    wanted = set(indices)
    if not wanted:
        return []
    if is_folder(path):
        found = {frame.index: frame for frame in _folder_frames(path, wanted, None, folder_fps)}
    else:
        found = _without_unwanted_leaves(path, wanted) or _up_to_last(path, wanted)
    for index in indices:
        if index not in found:
            raise VideoError(f"{path}: has no frame {index}; probe() tells how many there are")
    return [found[index] for index in indices]


def _folder_frames(
    path: Path, wanted: set[int] | None, long_side: int | None, folder_fps: float | None
) -> Iterator[Frame]:
    files = frame_files(path)
    width, height = common_size(files)
    check_extent(path, width, height, len(files))
    check_held(path, width, height, len(wanted or ()))
    size = fitted_size(width, height, long_side)
    fps, _ = folder_rate(path, folder_fps)
    for index, file in enumerate(files):
        if wanted is None or index in wanted:
            yield Frame(index, index / fps, resize(read_image(file), size))


def _shown(path: Path) -> Iterator[tuple[int, float, Orientation, VideoFrame]]:
    """Frames with their index and second, and the orientation of the first, which is that of all."""
    clock, turn = read_clock(path), Orientation()
    with open_video(path) as (container, stream):
        for index, frame in enumerate(frames_of(path, container, stream)):
            if index == len(clock.seconds):
                raise damaged(path, stream, index)
            turn = turn if index else orientation(frame)
            yield index, float(clock.seconds[index]), turn, frame


def _up_to_last(path: Path, wanted: set[int]) -> dict[int, Frame]:
    found, last = {}, max(wanted)
    for index, seconds, turn, picture in _shown(path):
        if index in wanted:
            check_held(path, picture.width, picture.height, len(wanted))
            found[index] = Frame(index, seconds, _to_rgb(picture, turn))
        if index == last:
            break
    return found


def _without_unwanted_leaves(path: Path, wanted: set[int]) -> dict[int, Frame] | None:
    """The wanted frames, without decoding unwanted ones that no other frame refers to; None when in doubt."""
    found: dict[int, Frame] = {}
    clock = read_clock(path)
    with open_video(path) as (container, stream):
        check_held(path, stream.codec_context.width, stream.codec_context.height, len(wanted))
        shown = _naming_stamps(container, stream)
        if not wanted <= set(range(len(shown))):
            return None
        index_of = {shown[index]: index for index in wanted}
        try:
            container.seek(0)
            for picture in _wanted_or_referred_to(container, stream, index_of):
                if picture.pts in index_of and not picture.is_corrupt:
                    index = index_of[picture.pts]
                    found[index] = Frame(index, float(clock.seconds[index]), _to_rgb(picture, orientation(picture)))
                if len(found) == len(wanted):
                    return found
        except av.error.FFmpegError:
            return None
    return None


def _naming_stamps(container: InputContainer, stream: VideoStream) -> list[int]:
    """The timestamps in display order if each surely names one frame, else nothing.

    They do when every frame has its own, and display and coding order differ just when the codec reorders.
    """
    if codec_name(stream) not in {"h264", "hevc"} or not has_timestamps(container):
        return []
    coded = [packet.pts for packet in container.demux(stream) if is_shown(packet, stream)]
    shown = sorted({stamp for stamp in coded if stamp is not None})
    unique = len(shown) == len(coded)
    return shown if unique and (shown != coded) == bool(stream.codec_context.has_b_frames) else []


def _wanted_or_referred_to(
    container: InputContainer, stream: VideoStream, wanted_pts: dict[int, int]
) -> Iterator[VideoFrame]:
    for packet in container.demux(stream):
        needed = packet.pts in wanted_pts or not packet.size
        stream.codec_context.skip_frame = "DEFAULT" if needed else "NONREF"
        yield from packet.decode()


def _to_rgb(frame: VideoFrame, turn: Orientation, long_side: int | None = None) -> NDArray[np.uint8]:
    # One conversion thread: at these sizes swscale spends more on handing out work than on the work.
    width, height = fitted_size(frame.width, frame.height, long_side)
    layout = "rgba" if _has_alpha(frame.format.name) else "rgb24"
    pixels = frame.to_ndarray(format=layout, width=width, height=height, interpolation="AREA", threads=1)
    if layout == "rgba":
        opacity = pixels[..., 3:].astype(np.uint16)
        pixels = ((pixels[..., :3] * opacity + 127) // 255).astype(np.uint8)
    return turn.upright(np.asarray(pixels, dtype=np.uint8))


@lru_cache
def _has_alpha(pixel_format: str) -> bool:
    return any(component.is_alpha for component in VideoFormat(pixel_format).components)
