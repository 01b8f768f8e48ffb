"""Write frames as a video that browsers play."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import cast
from uuid import uuid4

import av
import av.error
import numpy as np
from av.codec.context import Flags
from av.container import OutputContainer
from av.video.frame import VideoFrame
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc
from av.video.stream import VideoStream
from numpy.typing import NDArray

from lookaway.errors import VideoError
from lookaway.video.timing import FASTEST_FPS, SLOWEST_FPS, is_rate

# The macroblock tree adds floats in an order and precision that depend on the processor: the same frames gave files
# up to 25 levels apart, on some machines from one call to the next. Without it a true clip is a tenth larger.
REPEATABLE = {"libx264": {"mbtree": "0", "x264-params": "cpu-independent=1"}}


INTRA = {"g": "1", "bf": "0"}  # every frame by itself, in the order in which it is shown: a player seeks to any of them


def encode(
    frames: Iterable[NDArray[np.uint8]],
    path: Path,
    fps: float,
    crf: int = 12,
    codec: str = "libx264",
    *,
    intra: bool = False,
) -> None:
    """Write (height, width, 3) frames; the file appears under its name only when complete.

    Pixels are stored as BT.709 yuv420p, whose sides are even: an odd side gets a replicated row or column.
    The same frames give the same bytes with the same encoder build, whatever the process.
    """
    rest = iter(frames)
    first = next(rest, None)
    if first is None:
        raise VideoError(f"{path}: no frames to encode; nothing was written")
    if not is_rate(fps):
        raise VideoError(f"{path}: {fps} is not a frame rate; give a number from {SLOWEST_FPS:g} to {FASTEST_FPS:g}")
    _check(path, 0, first, first.shape)
    partial = path.with_name(f".{path.stem}.{uuid4().hex}{path.suffix}")
    try:
        container, stream = _open(path, partial, codec, fps, {"crf": str(crf)} | (INTRA if intra else {}))
        with container:
            _configure(stream, first)
            for index, rgb in enumerate(chain([first], rest)):
                _check(path, index, rgb, first.shape)
                container.mux(stream.encode(_to_yuv(rgb)))
            container.mux(stream.encode(None))
        _publish(partial, path)
    except av.error.FFmpegError as error:
        raise _refused(path, error) from error
    finally:
        partial.unlink(missing_ok=True)


def _open(
    path: Path, partial: Path, codec: str, fps: float, wishes: dict[str, str]
) -> tuple[OutputContainer, VideoStream]:
    try:
        container = av.open(f"file:{partial}", "w", options=_container_options(path))
        stream = container.add_stream(codec, _rate(fps), wishes | REPEATABLE.get(codec, {}))
    except ValueError as error:
        raise _refused(path, error) from error
    return container, cast(VideoStream, stream)


def _publish(partial: Path, path: Path) -> None:
    try:
        partial.replace(path)
    except OSError as error:
        raise _refused(path, error) from error


def _refused(path: Path, error: Exception) -> VideoError:
    return VideoError(f"{path}: cannot be written ({error}); check folder, suffix and codec")


def _container_options(path: Path) -> dict[str, str]:
    quiet = {"fflags": "+bitexact"}
    return quiet | ({"movflags": "+faststart"} if path.suffix in {".mp4", ".mov"} else {})


def _rate(fps: float) -> Fraction:
    """29.97 and its kin as the broadcast fraction they stand for, anything else as it is."""
    broadcast = Fraction(round(fps * 1.001) * 1000, 1001)
    return broadcast if abs(broadcast / fps - 1) < 1e-5 else Fraction(fps).limit_denominator(10_000)


def _configure(stream: VideoStream, first: NDArray[np.uint8]) -> None:
    context = stream.codec_context
    context.height, context.width = (side + side % 2 for side in first.shape[:2])
    context.pix_fmt = "yuv420p"
    context.colorspace, context.color_range = Colorspace.ITU709, ColorRange.MPEG
    context.color_primaries, context.color_trc = ColorPrimaries.BT709, ColorTrc.BT709
    context.thread_count = 1
    context.flags |= Flags.bitexact


def _check(path: Path, index: int, rgb: NDArray[np.uint8], shape: tuple[int, ...]) -> None:
    if rgb.dtype != np.uint8 or rgb.shape != shape or rgb.ndim != 3 or rgb.shape[2] != 3:
        raise VideoError(f"{path}: frame {index} is {rgb.dtype} {rgb.shape}; give uint8 (height, width, 3) of one size")


def _to_yuv(rgb: NDArray[np.uint8]) -> VideoFrame:
    height, width = rgb.shape[:2]
    even = np.pad(rgb, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
    frame = VideoFrame.from_ndarray(np.ascontiguousarray(even), format="rgb24")
    return frame.reformat(
        format="yuv420p",
        dst_colorspace=Colorspace.ITU709,
        dst_color_range=ColorRange.MPEG,
        interpolation="AREA",
        threads=1,
    )
