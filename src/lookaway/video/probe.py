"""What a video is: size, exact frame count, rate and length, measured from its timestamps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from lookaway.video import gif
from lookaway.video.folder import common_size, folder_rate, frame_files, numbering_note
from lookaway.video.orientation import orientation
from lookaway.video.source import check_extent, codec_name, frames_of, is_folder, open_video, other_videos
from lookaway.video.timing import read_clock

_HDR = {16: "PQ", 18: "HLG"}  # transfer characteristics of ITU-T H.273
_BT2020 = 9  # colour primaries of the same


@dataclass(frozen=True)
class VideoInfo:
    """`seconds` runs from the first timestamp to the end of the last frame; `fps` is the average rate.

    `rate_assumed` is true for a folder of frames whose rate nobody stated. `notes` say what is odd about the file and
    how it was read nevertheless.
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
    notes: tuple[str, ...] = ()


def probe(path: Path, folder_fps: float | None = None) -> VideoInfo:
    """Measured facts of a file or folder; the first frame is decoded, the others are counted."""
    if is_folder(path):
        return _probe_folder(path, folder_fps)
    clock = read_clock(path)
    with open_video(path) as (container, stream):
        first = next(frames_of(path, container, stream))
        turn = orientation(first)
        width, height = turn.size(first.width, first.height)
        check_extent(path, width, height, len(clock.seconds))
        others = other_videos(container, stream)
        notes = [*clock.notes, turn.note, _colour_note(first), _pixel_note(stream), _trailing_note(path, stream)]
        notes += [f"holds {others + 1} videos; stream {stream.index} is read"] if others else []
        return VideoInfo(
            path,
            width,
            height,
            len(clock.seconds),
            clock.fps,
            clock.length_s,
            clock.variable,
            codec_name(stream),
            notes=tuple(filter(None, notes)),
        )


def _colour_note(frame: VideoFrame) -> str:
    if frame.color_trc in _HDR:
        return f"HDR transfer ({_HDR[frame.color_trc]}); colours are read as SDR"
    return "wide gamut (bt2020); colours are read as SDR" if frame.color_primaries == _BT2020 else ""


def _pixel_note(stream: VideoStream) -> str:
    shape = stream.sample_aspect_ratio
    return f"pixels are {shape.numerator}:{shape.denominator}; they are read as square" if shape and shape != 1 else ""


def _trailing_note(path: Path, stream: VideoStream) -> str:
    extra = gif.bytes_after_end(path) if codec_name(stream) == "gif" else 0
    return f"{extra} bytes follow its end mark and are not read" if extra else ""


def _probe_folder(path: Path, folder_fps: float | None) -> VideoInfo:
    files = frame_files(path)
    width, height = common_size(files)
    check_extent(path, width, height, len(files))
    fps, assumed = folder_rate(path, folder_fps)
    codec = "+".join(sorted({file.suffix.lower().lstrip(".") for file in files}))
    notes = tuple(filter(None, [numbering_note(files)]))
    return VideoInfo(path, width, height, len(files), fps, len(files) / fps, False, codec, assumed, notes)
