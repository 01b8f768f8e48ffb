"""When each frame of a file is shown: from its timestamps where they can be believed, else by its nominal rate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
from av.container import InputContainer
from av.video.stream import VideoStream
from numpy.typing import NDArray

from lookaway.errors import VideoError
from lookaway.video.source import (
    ONE_FRAME_PER_PACKET,
    check_extent,
    codec_name,
    damaged,
    frames_of,
    has_timestamps,
    is_shown,
    open_video,
    to_seconds,
)

DEFAULT_FPS = 24.0
SLOWEST_FPS, FASTEST_FPS = 0.01, 1000.0
LONGEST_S = 86_400.0
SLACK_FRAMES = 2  # that a file may last longer or shorter than its header says


@dataclass(frozen=True)
class VideoClock:
    """`seconds` of every frame, ascending from 0; `length_s` runs to the end of the last one."""

    seconds: NDArray[np.float64]
    fps: float
    length_s: float
    variable: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Stamps:
    """Timestamp and duration of every frame shown, in the order of the file; how many others are not shown."""

    ticks: list[int | None]
    durations: list[int]
    hidden: int = 0


def is_rate(fps: float) -> bool:
    return SLOWEST_FPS <= fps <= FASTEST_FPS


def read_clock(path: Path) -> VideoClock:
    """The clock of a file; frames that its own header promises and that are not there are an error."""
    with open_video(path) as (container, stream):
        stamps = _read_stamps(path, container, stream)
        clock = _clock(path, container, stream, stamps)
        if not is_rate(clock.fps) or clock.length_s > LONGEST_S:
            raise VideoError(
                f"{path}: {len(clock.seconds)} frames at {clock.fps:.4g} fps last {clock.length_s:.4g} s: "
                "its timestamps or its rate are wrong; write it again at its true rate"
            )
        return clock


def nominal_fps(path: Path, stream: VideoStream) -> float:
    """The rate the file declares, for frames without a usable timestamp."""
    rates = _declared_rates(stream)
    if not rates:
        raise VideoError(f"{path}: has neither timestamps nor a frame rate; convert it to mp4")
    return float(rates[0])


def _declared_rates(stream: VideoStream) -> list[Fraction]:
    """Those that it knows; PyAV says of others None, or 0/0."""
    rates = (stream.average_rate, stream.guessed_rate, stream.base_rate)
    known = [rate for rate in rates if rate is not None and rate.numerator > 0 and rate.denominator > 0]
    return [Fraction(rate.numerator, rate.denominator) for rate in known]


def _read_stamps(path: Path, container: InputContainer, stream: VideoStream) -> _Stamps:
    """From packets where each is known to hold one frame, else from the frames themselves."""
    if codec_name(stream) not in ONE_FRAME_PER_PACKET:
        frames = [(frame.pts, frame.duration or 0) for frame in frames_of(path, container, stream)]
        missing = max(stream.frames - len(frames), 0)
        if missing > SLACK_FRAMES and not _is_mp4(container):  # such codecs may pack two frames, or none, in a packet
            raise damaged(path, stream, len(frames))
        return _Stamps([pts for pts, _ in frames], [duration for _, duration in frames], missing)
    stamps, packets, discarded = _Stamps([], []), 0, 0
    for packet in container.demux(stream):
        packets += packet.size > 0
        discarded += packet.size > 0 and packet.is_discard
        if is_shown(packet, stream):
            check_extent(path, stream.codec_context.width, stream.codec_context.height, len(stamps.ticks) + 1)
            stamps.ticks.append(packet.pts)
            stamps.durations.append(packet.duration or 0)
    missing = max(stream.frames - packets, 0)
    # An mp4 counts frames that its edit list cuts off; how long it lasts tells whether others are missing.
    if not stamps.ticks or (missing and not _is_mp4(container)):
        raise damaged(path, stream, len(stamps.ticks), packets)
    return replace(stamps, hidden=discarded + missing)


def _clock(path: Path, container: InputContainer, stream: VideoStream, stamps: _Stamps) -> VideoClock:
    if not has_timestamps(container):
        return _kept_promise(path, _nominal(path, stream, len(stamps.ticks)), stamps.hidden, None, 0.0)
    known = [tick for tick in stamps.ticks if tick is not None]
    if len(known) < len(stamps.ticks):
        return _nominal(path, stream, len(stamps.ticks), "some frames have no timestamp")
    if len(set(known)) < len(known) or (known != sorted(known) and not _may_reorder(container, stream)):
        return _nominal(path, stream, len(known), "timestamps do not increase")
    # Some muxers stamp in coding order; frames come in display order, where the same stamps ascend.
    ticks, durations = zip(*sorted(zip(known, stamps.durations, strict=True)), strict=True)
    clock = _stamped(list(ticks), durations[-1], stream)
    end = to_seconds(ticks[-1] + durations[-1] - (0 if _counts_from_zero(container) else ticks[0]), stream)
    return _kept_promise(path, clock, stamps.hidden, _promised_end(container, stream), end)


def _nominal(path: Path, stream: VideoStream, count: int, why: str = "") -> VideoClock:
    fps = nominal_fps(path, stream)
    notes = (f"{why}; frames are timed by the nominal rate of {fps:g} fps",) if why else ()
    return VideoClock(np.arange(count) / fps, fps, count / fps, False, notes)


def _stamped(ticks: list[int], last_duration: int, stream: VideoStream) -> VideoClock:
    """The rate varies unless one rate explains every stamp to a tick."""
    seconds = np.array([to_seconds(tick - ticks[0], stream) for tick in ticks])
    count, span, last_lasts = len(ticks), float(seconds[-1]), to_seconds(last_duration, stream)
    measured = (count - 1) / span if span else 1 / last_lasts if last_lasts else DEFAULT_FPS
    average, *guessed = *map(float, _declared_rates(stream)), measured
    for rate in (average, max(round(measured), 1), *guessed):
        if np.abs(seconds - np.arange(count) / rate).max() <= 1.01 * to_seconds(1, stream):
            return VideoClock(seconds, float(rate), span + 1 / rate)
    length = span + (last_lasts or 1 / measured)
    return VideoClock(seconds, count / length, length, True)


def _is_mp4(container: InputContainer) -> bool:
    return "mp4" in container.format.name


def _may_reorder(container: InputContainer, stream: VideoStream) -> bool:
    """Whether stamps may go back in the file because frames are stored in another order than shown.

    The decoder learns it from the first frames, which need not tell; an mp4 keeps both orders apart.
    """
    return bool(stream.codec_context.has_b_frames) or (_is_mp4(container) and codec_name(stream) in {"h264", "hevc"})


def _counts_from_zero(container: InputContainer) -> bool:
    """Matroska's header tells when the last frame ends, others how long all frames last."""
    return "matroska" in container.format.name


def _promised_end(container: InputContainer, stream: VideoStream) -> float | None:
    """The second at which the header says that the video is over, if it says so."""
    if stream.duration:
        return to_seconds(stream.duration, stream)
    hours, minutes, seconds = [*stream.metadata.get("DURATION", "").split(":"), "", ""][:3]
    try:
        return 3600 * float(hours) + 60 * float(minutes) + float(seconds)
    except ValueError:
        return container.duration / 1e6 if container.duration and len(container.streams) == 1 else None


def _kept_promise(path: Path, clock: VideoClock, hidden: int, promised: float | None, end: float) -> VideoClock:
    """The clock, with a note where the header says otherwise; an error where frames are missing for sure."""
    notes = [f"{hidden} of its frames are not shown (an edit list, or damage)"] if hidden else []
    if promised is None or abs(promised - end) <= SLACK_FRAMES / clock.fps:
        return replace(clock, notes=tuple(notes))
    if end < promised and (hidden or not clock.variable):
        count = len(clock.seconds)
        total = count + (hidden or round((promised - end) * clock.fps))
        raise VideoError(f"{path}: damaged: {count} of {total} frames are there; copy or generate it again")
    return replace(clock, notes=(*notes, f"its header says {promised:.2f} s, its frames end at {end:.2f} s"))
