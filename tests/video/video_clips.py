"""Small clips whose every frame is known."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.video.frame import VideoFrame
from numpy.typing import NDArray

Picture = NDArray[np.uint8]


def numbered(index: int, width: int = 64, height: int = 48) -> Picture:
    """A flat grey that tells the index, so a frame out of place is seen after any codec."""
    return np.full((height, width, 3), 20 + 8 * (index % 28), np.uint8)


def index_seen(rgb: Picture) -> int:
    return round((float(np.median(rgb)) - 20) / 8)


def textured(count: int, width: int = 160, height: int = 96) -> list[Picture]:
    rng = np.random.default_rng(7)
    scene = rng.integers(0, 256, (height // 8 + 20, width // 8 + 20, 3), np.uint8).repeat(8, 0).repeat(8, 1)
    return [scene[2 * i : 2 * i + height, 3 * i : 3 * i + width].copy() for i in range(count)]


def write(
    path: Path,
    pictures: list[Picture],
    codec: str = "libx264",
    pix_fmt: str = "yuv420p",
    rate: Fraction = Fraction(24),
    stamps_ms: list[int] | None = None,
    rotation: int = 0,
    container: dict[str, str] | None = None,
    **options: str,
) -> Path:
    """Write with PyAV alone, so that reading is not tested against our own writer."""
    quick = {"movflags": "+faststart"} if path.suffix == ".mp4" else {}
    with av.open(str(path), "w", options=quick if container is None else container) as target:
        stream = target.add_stream(codec, rate, options)
        stream.height, stream.width = pictures[0].shape[:2]
        stream.pix_fmt = pix_fmt
        if stamps_ms:
            stream.codec_context.time_base = stream.time_base = Fraction(1, 1000)
        if rotation:
            stream.set_display_rotation(rotation)
        for index, picture in enumerate(pictures):
            frame = VideoFrame.from_ndarray(picture, format="rgb24")
            if stamps_ms:
                frame.pts, frame.time_base = stamps_ms[index], Fraction(1, 1000)
            target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    return path


def stamped_in_coding_order(path: Path) -> Path:
    """The same pictures as a careless muxer would stamp them."""
    wrong = path.with_name(f"careless_{path.name}")
    with av.open(str(path)) as source, av.open(str(wrong), "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        packets = [packet for packet in source.demux(video=0) if packet.size]
        for packet, stamp in zip(packets, sorted(each.pts for each in packets), strict=True):
            packet.pts = packet.dts = stamp
            packet.stream = stream
            target.mux(packet)
    return wrong


def cut(path: Path, share: float) -> Path:
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    return path
