"""Open a video file and walk its frames, with every failure told as a VideoError."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import av
import av.error
from av.container import InputContainer
from av.packet import Packet
from av.stream import Disposition
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from lookaway.errors import VideoError
from lookaway.limits import HELD_BYTES, PICTURE_PIXELS, PICTURE_SIDE, VIDEO_BYTES, VIDEO_FRAMES
from lookaway.video.damage import Damage, damage

FORMATS = "mp4, mov, webm, mkv, gif, avi or a folder of png or jpg frames"
ONE_FRAME_PER_PACKET = {"h264", "hevc", "vp8", "vp9", "av1", "gif", "mjpeg", "png", "ffv1", "prores"}

_VP8_SHOWN = 0x10  # RFC 6386, section 9.1

# Playlists and network addresses hidden in a file must not make us read anything else.
_ONLY_LOCAL_VIDEO = {
    "format_whitelist": "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,gif,avi",
    "protocol_whitelist": "file",
}
# Titles in no known alphabet: PyAV 19 always reads them, before it had to be told.
_ANY_TITLE = {} if int(av.__version__.partition(".")[0]) >= 19 else {"metadata_errors": "replace"}


@contextmanager
def open_video(path: Path) -> Iterator[tuple[InputContainer, VideoStream]]:
    """The container and its main video stream; the file is whole as far as its structure tells."""
    found = _check_file(path)
    try:
        with av.open(f"file:{path}", options=_ONLY_LOCAL_VIDEO, **_ANY_TITLE) as container:
            if found and not container.streams.video:
                raise _harmed(path, found)
            stream = _video_stream(path, container)
            if found:
                raise _broken(path, container, stream, found)
            yield container, stream
    except (av.error.FFmpegError, OSError) as error:
        if found:
            raise _harmed(path, found) from error
        reason = error.strerror or str(error)
        raise VideoError(f"{path}: cannot be read as video ({reason}); expected {FORMATS}") from error


def frames_of(path: Path, container: InputContainer, stream: VideoStream) -> Iterator[VideoFrame]:
    """Every frame in display order; a damaged or missing one ends in an error that counts the good ones."""
    decoded = packets = 0
    size: tuple[int, int] | None = None
    try:
        for packet in container.demux(stream):
            packets += is_shown(packet, stream)
            for frame in packet.decode():
                if frame.is_corrupt:
                    raise damaged(path, stream, decoded)
                check_extent(path, frame.width, frame.height, decoded + 1)
                size = size or (frame.width, frame.height)
                if (frame.width, frame.height) != size:
                    raise VideoError(f"{path}: changes size at frame {decoded}; encode it again at one size")
                yield frame
                decoded += 1
    except av.error.FFmpegError as error:
        if isinstance(error, MemoryError):
            raise VideoError(f"{path}: its decoding takes more memory than it may; scale it down") from error
        raise damaged(path, stream, decoded) from error
    if not decoded or (codec_name(stream) in ONE_FRAME_PER_PACKET and decoded != packets):
        raise damaged(path, stream, decoded, packets)


def is_shown(packet: Packet[VideoStream], stream: VideoStream) -> bool:
    """Whether a packet holds a picture that is shown: the edit list keeps it, and VP8 does not only refer to it."""
    if not packet.size or packet.is_discard:
        return False
    return codec_name(stream) != "vp8" or bool(memoryview(packet)[0] & _VP8_SHOWN)


def damaged(path: Path, stream: VideoStream, decoded: int, packets: int = 0) -> VideoError:
    total = max(stream.frames, packets)
    share = f"{decoded} of {total}" if total else f"only {decoded}"
    return VideoError(f"{path}: damaged: {share} frames decode; copy or generate it again")


def codec_name(stream: VideoStream) -> str:
    return stream.codec_context.codec.canonical_name


def to_seconds(ticks: int, stream: VideoStream) -> float:
    tick = stream.time_base or Fraction(1)
    return ticks * tick.numerator / tick.denominator


def has_timestamps(container: InputContainer) -> bool:
    """False for AVI: its frames are equally spaced, and reordered ones carry wrong stamps."""
    return container.format.name != "avi"


def check_extent(path: Path, width: int, height: int, frames: int) -> None:
    """Raise where a video of that size and length is beyond the limits."""
    if max(width, height) > PICTURE_SIDE:
        raise VideoError(f"{path}: {width}x{height} is too large; scale it to at most {PICTURE_SIDE} a side")
    if width * height > PICTURE_PIXELS:
        most = f"{PICTURE_PIXELS / 1e6:.0f} megapixels"
        raise VideoError(f"{path}: {width}x{height} is too large; scale it to at most {most} a frame")
    if frames > VIDEO_FRAMES:
        raise VideoError(f"{path}: has more than {VIDEO_FRAMES} frames; cut it into shorter clips")
    if frames * width * height * 3 > VIDEO_BYTES:
        most = f"{VIDEO_BYTES / 1e9:.0f} GB"
        raise VideoError(f"{path}: its frames of {width}x{height} come to more than {most}; cut or scale it down")


def check_held(path: Path, width: int, height: int, frames: int) -> None:
    """Raise where so many frames are too much to hold at once."""
    if frames * width * height * 3 > HELD_BYTES:
        most = f"{HELD_BYTES / 1e9:.1f} GB"
        raise VideoError(f"{path}: {frames} frames of {width}x{height} at once are more than {most}; scale it down")


def is_folder(path: Path) -> bool:
    with _denials_told(path):
        return path.is_dir()


@contextmanager
def _denials_told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise VideoError(f"{path}: cannot be opened ({error.strerror}); check its permissions") from error


def _check_file(path: Path) -> Damage | None:
    with _denials_told(path):
        if not path.exists():
            raise VideoError(f"{path}: no such file; expected {FORMATS}")
        if not path.is_file():
            raise VideoError(f"{path}: is a pipe, a socket or a device, not a file; expected {FORMATS}")
        if path.stat().st_size == 0:
            raise VideoError(f"{path}: the file is empty (0 bytes); copy or generate it again")
        return damage(path)


def _video_stream(path: Path, container: InputContainer) -> VideoStream:
    stream = container.streams.best("video")
    if not isinstance(stream, VideoStream):
        kinds = ", ".join(sorted({other.type for other in container.streams})) or "nothing"
        raise VideoError(f"{path}: has no video stream, only {kinds}; expected {FORMATS}")
    if _is_cover(stream):
        raise VideoError(f"{path}: has no video stream, only the picture of a cover; expected {FORMATS}")
    if stream.codec_context is None:
        raise VideoError(f"{path}: its codec is unknown here; encode it again, for example as h264")
    check_extent(path, stream.codec_context.width, stream.codec_context.height, stream.frames)
    # The stream may hold larger pictures than the file declares; the decoder then refuses before it makes room.
    stream.codec_context.options = {**stream.codec_context.options, "max_pixels": str(PICTURE_PIXELS)}
    return stream


def other_videos(container: InputContainer, stream: VideoStream) -> int:
    """How many further videos the file holds; pictures of covers are none."""
    return sum(one.index != stream.index and not _is_cover(one) for one in container.streams.video)


def _is_cover(stream: VideoStream) -> bool:
    return bool(stream.disposition & Disposition.attached_pic)


def _harmed(path: Path, found: Damage) -> VideoError:
    return VideoError(f"{path}: {found.kind}: {found.what}; copy or generate it again")


def _broken(path: Path, container: InputContainer, stream: VideoStream, found: Damage) -> VideoError:
    decodable = 0
    try:
        for frame in container.decode(stream):
            decodable += not frame.is_corrupt
    except av.error.FFmpegError:
        pass
    share = f"{decodable} of {stream.frames}" if stream.frames > decodable else f"only {decodable}"
    return VideoError(f"{path}: {found.kind}: {share} frames decode ({found.what}); copy or generate it again")
