"""More than a hundred kinds of odd media, each with what it must come to: right numbers, or a named reason."""

from __future__ import annotations

import math
import os
import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.video.frame import VideoFrame
from numpy.typing import NDArray
from PIL import Image

Picture = NDArray[np.uint8]
FRAMES, WIDTH, HEIGHT, FPS = 8, 64, 48, 24.0


@dataclass(frozen=True)
class Right:
    """What a probe must say."""

    frames: int = FRAMES
    width: int = WIDTH
    height: int = HEIGHT
    fps: float = FPS
    within: float = 1e-3  # of the rate
    note: str = ""  # that must be among the notes, as a pattern


@dataclass(frozen=True)
class Refused:
    """With a reason that matches."""

    why: str


@dataclass(frozen=True)
class OddKind:
    name: str
    make: Callable[[Path], Path]  # in a folder
    comes_to: Right | Refused
    large: bool = False  # takes more than a moment to make or to read


def pictures(count: int = FRAMES, width: int = WIDTH, height: int = HEIGHT) -> list[Picture]:
    """A slope that moves, so that no two frames are alike and codecs have something to do."""
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    return [
        np.stack([(x * 3 + 9 * i) % 256, (y * 4) % 256, (x + y + 5 * i) % 256], -1).astype(np.uint8)
        for i in range(count)
    ]


def film(
    path: Path,
    codec: str,
    pix_fmt: str,
    shown: list[Picture] | None = None,
    rate: Fraction | int = 24,
    ticks: list[int] | None = None,
    base: Fraction = Fraction(1, 1000),
    muxer: dict[str, str] | None = None,
    form: str | None = None,
    before: Callable[[Any], None] | None = None,
    each: Callable[[VideoFrame], None] | None = None,
    **options: str,
) -> Path:
    """With PyAV alone. `before` is told of the stream before its first frame, `each` of every frame."""
    shown = pictures() if shown is None else shown
    with av.open(str(path), "w", format=form, options=muxer or {}) as target:
        stream = target.add_stream(codec, rate, options)
        stream.height, stream.width = shown[0].shape[:2]
        stream.pix_fmt = pix_fmt
        stream.codec_context.thread_count = 1
        if ticks:
            stream.codec_context.time_base = stream.time_base = base
        if before is not None:
            before(stream)
        for index, picture in enumerate(shown):
            frame = VideoFrame.from_ndarray(picture, format="rgb24").reformat(format=pix_fmt)
            if ticks:
                frame.pts, frame.time_base = ticks[index], base
            if each is not None:
                each(frame)
            target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    return path


def maker(name: str, *args: Any, **kwargs: Any) -> Callable[[Path], Path]:
    return lambda folder: film(folder / name, *args, **kwargs)


def h264(name: str = "clip.mp4", **kwargs: Any) -> Callable[[Path], Path]:
    return maker(name, "libx264", kwargs.pop("pix_fmt", "yuv420p"), **kwargs)


def changed(make: Callable[[Path], Path], change: Callable[[bytes], bytes], name: str = "") -> Callable[[Path], Path]:
    """The same file with other bytes, perhaps under another name."""

    def made(folder: Path) -> Path:
        path = make(folder)
        data = change(path.read_bytes())
        path.unlink()
        path = folder / (name or path.name)
        path.write_bytes(data)
        return path

    return made


def content(name: str, data: bytes) -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        (folder / name).write_bytes(data)
        return folder / name

    return made


def cut_at(share: float) -> Callable[[bytes], bytes]:
    return lambda data: data[: int(len(data) * share)]


def same(data: bytes) -> bytes:
    return data


def overwritten(start: float, count: int, byte: int = 0) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        at = int(len(data) * start)
        return data[:at] + bytes([byte]) * min(count, len(data) - at) + data[at + count :]

    return change


def patched(mark: bytes, at: int, value: bytes) -> Callable[[bytes], bytes]:
    """The bytes that many places after the first such mark."""

    def change(data: bytes) -> bytes:
        place = data.index(mark) + at
        return data[:place] + value + data[place + len(value) :]

    return change


# ---------------------------------------------------------------- codecs in containers

FILES: dict[str, list[tuple[str, str]]] = {
    "mp4": [
        *(("libx264", "yuv420p"), ("libx264", "yuv422p"), ("libx264", "yuv444p"), ("libx264", "yuv420p10le")),
        *(("libx264", "gray"), ("libx264", "yuvj420p"), ("libx265", "yuv420p"), ("libx265", "yuv420p10le")),
        *(("libx265", "yuv444p12le"), ("libx265", "gray"), ("libsvtav1", "yuv420p"), ("libsvtav1", "yuv420p10le")),
        *(("mpeg4", "yuv420p"), ("libvpx-vp9", "yuv420p"), ("mjpeg", "yuvj420p"), ("png", "rgb24")),
    ],
    "mov": [
        *(("libx264", "yuv420p"), ("prores_ks", "yuv422p10le"), ("prores_ks", "yuva444p10le"), ("qtrle", "rgb24")),
        *(("qtrle", "argb"), ("png", "rgba"), ("mjpeg", "yuvj444p"), ("rawvideo", "uyvy422"), ("v210", "yuv422p10le")),
    ],
    "mkv": [
        *(("libx264", "yuv420p"), ("libx265", "yuv420p"), ("libvpx", "yuv420p"), ("libvpx-vp9", "yuv444p")),
        *(("libsvtav1", "yuv420p"), ("ffv1", "yuv420p"), ("ffv1", "gray"), ("ffv1", "gray16le"), ("ffv1", "bgra")),
        *(("ffv1", "yuv444p16le"), ("ffv1", "yuva420p"), ("mjpeg", "yuvj422p")),
        *(("rawvideo", "yuv420p"), ("mpeg2video", "yuv420p"), ("mpeg4", "yuv420p")),
        *(("msmpeg4", "yuv420p"), ("mpeg1video", "yuv420p")),
    ],
    "webm": [
        *(("libvpx", "yuv420p"), ("libvpx", "yuva420p"), ("libvpx-vp9", "yuv420p"), ("libvpx-vp9", "yuva420p")),
        *(("libvpx-vp9", "gbrp"), ("libsvtav1", "yuv420p")),
    ],
    "avi": [
        *(("mpeg4", "yuv420p"), ("mjpeg", "yuvj420p"), ("libx264", "yuv420p"), ("ffv1", "yuv420p")),
        *(("huffyuv", "bgra"), ("rawvideo", "bgr24"), ("utvideo", "yuv420p"), ("mpeg2video", "yuv420p")),
    ],
    "gif": [("gif", "rgb8"), ("gif", "gray"), ("gif", "bgr8")],
    "m4v": [("libx264", "yuv420p")],
}
WISHES = {  # of encoders, without which they refuse
    ("libvpx", "yuva420p"): {"auto-alt-ref": "0"},
    ("libvpx-vp9", "yuva420p"): {"auto-alt-ref": "0"},
}
GIF_FPS = 25.0  # its clock counts hundredths of a second: 24 a second become four each


def of_files() -> Iterator[OddKind]:
    for suffix, codecs in FILES.items():
        for codec, pix_fmt in codecs:
            fps = GIF_FPS if suffix == "gif" else FPS
            form = "mp4" if suffix == "m4v" else None
            wishes = WISHES.get((codec, pix_fmt), {})
            make = maker(f"clip.{suffix}", codec, pix_fmt, form=form, rate=25 if suffix == "gif" else 24, **wishes)
            yield OddKind(f"{suffix} {codec} {pix_fmt}", make, Right(fps=fps))


# ---------------------------------------------------------------- containers that are not read

CANNOT = r"cannot be read as video|expected mp4"
STRANGE = {
    "ts": ("libx264", "yuv420p", "mpegts"),
    "flv": ("flv", "yuv420p", "flv"),
    "ogv": ("libvpx", "yuv420p", "ogg"),
    "asf": ("wmv2", "yuv420p", "asf"),
    "nut": ("libx264", "yuv420p", "nut"),
    "ivf": ("libvpx-vp9", "yuv420p", "ivf"),
    "y4m": ("wrapped_avframe", "yuv420p", "yuv4mpegpipe"),
    "h264": ("libx264", "yuv420p", "h264"),
    "mjpeg": ("mjpeg", "yuvj420p", "mjpeg"),
    "apng": ("apng", "rgb24", "apng"),
    "webp": ("libwebp_anim", "yuv420p", "webp"),
    "mpg": ("mpeg2video", "yuv420p", "mpeg"),
}


def of_other_containers() -> Iterator[OddKind]:
    for suffix, (codec, pix_fmt, form) in STRANGE.items():
        yield OddKind(f"{form} file", maker(f"clip.{suffix}", codec, pix_fmt, form=form), Refused(CANNOT))
        renamed = changed(maker(f"clip.{suffix}", codec, pix_fmt, form=form), same, "clip.mp4")
        yield OddKind(f"{form} called mp4", renamed, Refused(CANNOT))


# ---------------------------------------------------------------- names and things that are no video


def picture_file(name: str, form: str, **more: Any) -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        Image.fromarray(pictures(1)[0]).save(folder / name, form, **more)
        return folder / name

    return made


def of_other_files() -> Iterator[OddKind]:
    for wrong, right in (("webm", "libvpx-vp9"), ("mkv", "libx264"), ("avi", "mpeg4"), ("mov", "libx264")):
        make = changed(maker(f"clip.{wrong}", right, "yuv420p"), same, "clip.mp4")
        yield OddKind(f"{wrong} called mp4", make, Right())
    gif = changed(maker("clip.gif", "gif", "rgb8", rate=25), same, "clip.mp4")
    yield OddKind("gif called mp4", gif, Right(fps=GIF_FPS))
    yield OddKind("mp4 without a suffix", changed(h264(), same, "clip"), Right())
    for form in ("PNG", "JPEG", "WEBP", "BMP", "TIFF"):
        yield OddKind(f"{form} called mp4", picture_file("clip.mp4", form), Refused(CANNOT))
    frames = [Image.fromarray(picture) for picture in pictures(3)]
    moving = picture_file("clip.webp", "WEBP", save_all=True, append_images=frames[1:], duration=40)
    yield OddKind("animated webp", moving, Refused(CANNOT))
    for name, data in {
        "empty": b"",
        "zeros": bytes(4096),
        "noise": np.random.default_rng(0).bytes(4096),
        "text": b"not a video\n" * 99,
        "html": b"<!DOCTYPE html><html><body>404 not found</body></html>",
        "zip": b"PK\x03\x04" + bytes(200),
        "pdf": b"%PDF-1.7\n" + bytes(200),
        "elf": b"\x7fELF" + bytes(200),
        "playlist": b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n",
        "ffconcat": b"ffconcat version 1.0\nfile '/etc/passwd'\n",
        "sdp": b"v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n",
        "a git lfs pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12345\n",
        "mp4 head alone": b"\0\0\0\x18ftypisom\0\0\2\0isomiso2",
        "riff alone": b"RIFF\xff\xff\xff\x7fAVI ",
        "matroska head alone": b"\x1a\x45\xdf\xa3\x80",
        "gif head alone": b"GIF89a",
    }.items():
        why = "empty" if name == "empty" else rf"{CANNOT}|truncated|damaged|no part of|neither"
        yield OddKind(f"{name} called mp4", content("clip.mp4", data), Refused(why))


# ---------------------------------------------------------------- time


def of_time() -> Iterator[OddKind]:
    uneven = [0, 40, 80, 200, 240, 280, 400, 440]
    right = Right(fps=FRAMES / 0.48, within=0.005)  # how long the last one is shown is the muxer's guess
    for suffix in ("mp4", "mkv", "webm"):
        codec = "libvpx-vp9" if suffix == "webm" else "libx264"
        yield OddKind(f"{suffix} variable rate", maker(f"a.{suffix}", codec, "yuv420p", ticks=uneven), right)
    late = [1000 * 60 + 40 * i for i in range(FRAMES)]
    for suffix in ("mp4", "mkv", "mov"):
        yield OddKind(f"{suffix} starts after a minute", h264(f"a.{suffix}", ticks=late), Right(fps=25))
    early = [-80 + 40 * i for i in range(FRAMES)]
    negative = {"avoid_negative_ts": "disabled", "movflags": "negative_cts_offsets", "use_editlist": "0"}
    yield OddKind("mp4 starts before zero", h264("a.mp4", ticks=early, muxer=negative, bf="0"), Right(fps=25))
    for rate in (Fraction(24000, 1001), Fraction(30000, 1001), Fraction(120000, 1001), 240, 1, Fraction(1, 2), 1000):
        yield OddKind(f"mp4 at {float(rate):.5g} fps", h264(rate=rate), Right(fps=float(rate)))
    yield OddKind("avi at 29.97 fps", maker("a.avi", "mpeg4", "yuv420p", rate=Fraction(30000, 1001)), Right(fps=29.97))
    wrong = Refused("its timestamps or its rate are wrong")
    hours = [0, 40, 80, 120, 160, 200, 240, 3 * 3600 * 1000]
    yield OddKind("mp4 whose last frame comes after three hours", h264(ticks=hours), wrong)
    claims = changed(h264(), patched(b"mdhd", 20, struct.pack(">I", 0x7FFFFFFF)))
    yield OddKind("mp4 that claims to last for days", claims, Right())
    tick = changed(h264(), patched(b"mdhd", 16, struct.pack(">I", 1)))
    yield OddKind("mp4 whose clock ticks once a second", tick, Refused("timestamps|damaged"))
    none = changed(h264(), patched(b"mdhd", 16, bytes(4)))
    yield OddKind("mp4 whose clock does not tick", none, Refused("timestamps|rate|damaged|cannot be read"))


# ---------------------------------------------------------------- pictures


def colours(**wanted: int) -> Callable[[Any], None]:
    def tell(stream: Any) -> None:
        for name, value in wanted.items():
            setattr(stream.codec_context, name, value)

    return tell


def turned(degrees: int) -> Callable[[Any], None]:
    return lambda stream: stream.set_display_rotation(degrees)


def wide_pixels(stream: Any) -> None:
    stream.codec_context.sample_aspect_ratio = Fraction(2, 1)


def of_pictures() -> Iterator[OddKind]:
    for width, height in ((63, 47), (1, 1), (2, 2), (65, 3), (3, 65)):
        frames = pictures(FRAMES, width, height)
        make = maker("a.mkv", "ffv1", "bgr0", frames)
        yield OddKind(f"ffv1 of {width}x{height}", make, Right(width=width, height=height))
    odd = h264(pix_fmt="yuv444p", shown=pictures(FRAMES, 63, 47))
    yield OddKind("h264 of odd sides", odd, Right(width=63, height=47))
    for degrees, size in ((90, (HEIGHT, WIDTH)), (180, (WIDTH, HEIGHT)), (270, (HEIGHT, WIDTH))):
        yield OddKind(f"mp4 turned by {degrees}", h264(before=turned(degrees)), Right(width=size[0], height=size[1]))
    slanted = Right(width=HEIGHT, height=WIDTH, note="degrees off a quarter turn")
    yield OddKind("mp4 turned by 70", h264(before=turned(70)), slanted)
    pq = Right(note="HDR transfer")
    hdr = colours(color_trc=16, color_primaries=9, colorspace=9)
    yield OddKind("h265 in HDR (PQ)", maker("a.mp4", "libx265", "yuv420p10le", before=hdr), pq)
    hlg = colours(color_trc=18, color_primaries=9, colorspace=9)
    yield OddKind("h265 in HDR (HLG)", maker("a.mp4", "libx265", "yuv420p10le", before=hlg), pq)
    yield OddKind("h264 in bt2020", h264(before=colours(color_primaries=9)), Right(note="wide gamut"))
    yield OddKind("h264 in full range", h264(before=colours(color_range=2)), Right())
    yield OddKind("pixels of 2:1", h264(before=wide_pixels), Right(note="pixels are 2:1"))
    yield OddKind("mpeg2 interlaced", maker("a.mkv", "mpeg2video", "yuv420p", flags="+ildct+ilme"), Right())
    yield OddKind("h264 interlaced", h264(**{"x264-params": "interlaced=1"}), Right())
    yield OddKind("h264 with many B-frames", h264(shown=pictures(24), bf="8", b_strategy="2"), Right(frames=24))
    open_gop = h264(shown=pictures(24), g="6", **{"x264-params": "open-gop=1"})
    yield OddKind("h264 with open groups", open_gop, Right(frames=24))
    yield OddKind("h264 lossless", h264(qp="0"), Right())
    yield OddKind("h264 all intra", h264(g="1"), Right())
    slow = h264("a.mp4", refs="16", shown=pictures(24))
    yield OddKind("h264 with sixteen references", slow, Right(frames=24))
    for suffix, codec in (("mp4", "libx264"), ("webm", "libvpx-vp9"), ("mkv", "ffv1"), ("avi", "mjpeg")):
        pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
        make = maker(f"a.{suffix}", codec, pix_fmt, pictures(1))
        yield OddKind(f"{suffix} of one frame", make, Right(frames=1))
    yield OddKind("gif of one frame", maker("a.gif", "gif", "rgb8", pictures(1), rate=25), Right(frames=1, fps=GIF_FPS))


# ---------------------------------------------------------------- sizes


def of_sizes() -> Iterator[OddKind]:
    for name, width, height in (("wide", 8192, 16), ("tall", 16, 8192)):
        make = maker("a.mkv", "ffv1", "yuv420p", pictures(2, width, height))
        yield OddKind(f"{name} {width}x{height}", make, Right(frames=2, width=width, height=height))
    eight = maker("a.mkv", "mjpeg", "yuvj420p", [np.zeros((4320, 7680, 3), np.uint8)] * 2)
    yield OddKind("8K", eight, Right(frames=2, width=7680, height=4320), large=True)
    wider = maker("a.mov", "qtrle", "rgb24", [np.zeros((4, 16400, 3), np.uint8)] * 2)
    yield OddKind("16400 pixels wide", wider, Refused("is too large"))
    bomb = maker("a.mov", "png", "gray", [np.zeros((8000, 8000, 3), np.uint8)])
    yield OddKind("64 megapixels in 70 kB", bomb, Refused("is too large"), large=True)
    largest = struct.pack(">HH", 65535, 65535)
    claim = changed(h264(), patched(b"avc1", 28, largest))
    yield OddKind("mp4 that claims 65535x65535 in its table", claim, Right())
    header = changed(h264(), patched(b"tkhd", 80, struct.pack(">II", 65535 << 16, 65535 << 16)))
    yield OddKind("mp4 that claims 65535x65535 in its track", header, Right())
    raw = changed(maker("a.mov", "qtrle", "rgb24"), patched(b"rle ", 28, struct.pack(">HH", 16000, 3000)))
    yield OddKind("mov that claims 16000x3000", raw, Right(width=16000, height=3000, note="pixels are"), large=True)
    counts = changed(h264(), patched(b"stsz", 12, struct.pack(">I", 0x0FFFFFFF)))
    yield OddKind("mp4 that claims 268 million frames", counts, Refused("damaged|cannot|truncated|more than"))


# ---------------------------------------------------------------- damage


def of_damage() -> Iterator[OddKind]:
    codecs = {"mp4": "libx264", "mkv": "libx264", "webm": "libvpx-vp9", "avi": "mpeg4", "mov": "mpeg4"}
    for suffix, codec in codecs.items():
        make = maker(f"a.{suffix}", codec, "yuv420p", pictures(24))
        for share in (0.3, 0.6, 0.95):
            yield OddKind(f"{suffix} cut at {share:.0%}", changed(make, cut_at(share)), Refused("truncated|damaged"))
    gif = maker("a.gif", "gif", "rgb8", rate=25)
    yield OddKind("gif cut at 60%", changed(gif, cut_at(0.6)), Refused("truncated|damaged"))
    yield OddKind("gif without its end mark", changed(gif, lambda data: data[:-1]), Refused("truncated"))
    extra = Right(fps=GIF_FPS, note="bytes follow its end mark")
    yield OddKind("gif with bytes after its end", changed(gif, lambda data: data + b"more"), extra)
    yield OddKind("mp4 with bytes after its end", changed(h264(), lambda data: data + b"\0\0\0\x0cfreemore"), Right())
    long = h264(shown=pictures(24), g="4")
    yield OddKind("mp4 with a hole in the middle", changed(long, overwritten(0.4, 200)), Refused("damaged"))
    yield OddKind(
        "mp4 without its index", changed(long, lambda data: data.replace(b"moov", b"mooo")), Refused("truncated")
    )
    empty = changed(h264(), lambda data: data.replace(b"avc1", b"zzzz"))
    yield OddKind("mp4 of an unknown codec", empty, Refused("codec is unknown|damaged|cannot"))
    fragments = {"movflags": "frag_keyframe+empty_moov+default_base_moof"}
    yield OddKind("mp4 in fragments", h264(muxer=fragments), Right())
    at_end = h264(muxer={"movflags": "-faststart"})
    yield OddKind("mp4 with its index at the end", at_end, Right())
    key = {"encryption_scheme": "cenc-aes-ctr", "encryption_key": "0" * 32, "encryption_kid": "1" * 32}
    yield OddKind("mp4 that is encrypted", h264(muxer=key), Refused("damaged|cannot|unknown"))
    live = {"live": "1"}
    open_end = maker("a.mkv", "libx264", "yuv420p", muxer=live)
    yield OddKind("mkv of a live recorder", open_end, Right())


# ---------------------------------------------------------------- streams


def sound(target: Any, seconds: float = 0.5) -> None:
    stream = target.add_stream("aac", 44100)
    for start in range(0, int(44100 * seconds), 1024):
        frame = AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.sample_rate, frame.pts = 44100, start
        target.mux(stream.encode(frame))
    target.mux(stream.encode(None))


def streams(name: str, parts: list[tuple[str, str, int]], audio: bool = False) -> Callable[[Path], Path]:
    """Several streams of pictures, each by codec, pixel format and width."""

    def made(folder: Path) -> Path:
        path = folder / name
        with av.open(str(path), "w") as target:
            added = []
            for codec, pix_fmt, width in parts:
                stream = target.add_stream(codec, 24)
                stream.width, stream.height, stream.pix_fmt = width, HEIGHT, pix_fmt
                added.append(stream)
            if audio:
                sound(target)
            for stream in added:
                for picture in pictures(FRAMES, stream.width):
                    frame = VideoFrame.from_ndarray(picture, format="rgb24").reformat(format=stream.pix_fmt)
                    target.mux(stream.encode(frame))
                target.mux(stream.encode(None))
        return path

    return made


def with_cover(video: bool) -> Callable[[Path], Path]:
    """A picture of the cover beside the sound, and perhaps beside a video."""

    def made(folder: Path) -> Path:
        path = folder / "clip.mp4"
        with av.open(str(path), "w") as target:
            stream = target.add_stream("libx264", 24) if video else None
            if stream is not None:
                stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
            cover = target.add_stream("mjpeg", 24)
            cover.width, cover.height, cover.pix_fmt = 320, 320, "yuvj420p"
            cover.disposition = av.stream.Disposition.attached_pic
            sound(target)
            if stream is not None:
                for picture in pictures():
                    target.mux(stream.encode(VideoFrame.from_ndarray(picture, format="rgb24")))
                target.mux(stream.encode(None))
            frame = VideoFrame.from_ndarray(pictures(1, 320, 320)[0], format="rgb24").reformat(format="yuvj420p")
            target.mux(cover.encode(frame))
            target.mux(cover.encode(None))
        return path

    return made


def of_streams() -> Iterator[OddKind]:
    yield OddKind("mp4 with sound", streams("a.mp4", [("libx264", "yuv420p", WIDTH)], audio=True), Right())
    yield OddKind("mkv with sound", streams("a.mkv", [("libx264", "yuv420p", WIDTH)], audio=True), Right())
    for name in ("a.mp4", "a.mkv", "a.mov"):
        yield OddKind(
            f"{name[2:]} of sound alone", streams(name, [], audio=True), Refused("has no video stream, only audio")
        )
    two = streams("a.mp4", [("libx264", "yuv420p", WIDTH), ("libx264", "yuv420p", 2 * WIDTH)])
    yield OddKind("mp4 of two videos", two, Right(note="2 videos"))
    mixed = streams("a.mkv", [("ffv1", "yuv420p", WIDTH), ("libx264", "yuv420p", WIDTH)])
    yield OddKind("mkv of two codecs", mixed, Right(note="2 videos"))
    yield OddKind("video with a cover", with_cover(True), Right())
    yield OddKind("sound with a cover", with_cover(False), Refused("picture of a cover"))
    nothing = changed(h264(shown=pictures(1)), lambda data: data)
    yield OddKind("mp4 that was closed after one frame", nothing, Right(frames=1))


# ---------------------------------------------------------------- folders of frames, links, pipes


def frame_folder(
    names: list[str], mode: str = "RGB", sizes: list[tuple[int, int]] | None = None, rate: str = "", **more: Any
) -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        inside = folder / "frames"
        inside.mkdir()
        for index, name in enumerate(names):
            width, height = (WIDTH, HEIGHT) if sizes is None else sizes[index]
            image = Image.fromarray(pictures(FRAMES, width, height)[index % FRAMES]).convert(mode)
            image.save(inside / name, **more)
        if rate:
            (inside / "fps.txt").write_text(rate)
        return inside

    return made


def sixteen_bits(folder: Path) -> Path:
    inside = folder / "frames"
    inside.mkdir()
    Image.fromarray(np.full((HEIGHT, WIDTH), 40_000, np.uint16)).save(inside / "0.png")
    return inside


def lying(folder: Path) -> Path:
    exif = Image.Exif()
    exif[0x0112] = 6
    return frame_folder([f"{i}.jpg" for i in range(FRAMES)], exif=exif)(folder)


def link_to(target: str) -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        (folder / "clip.mp4").symlink_to(target)
        return folder / "clip.mp4"

    return made


def link_to_clip(folder: Path) -> Path:
    h264("real.mp4")(folder)
    (folder / "clip.mp4").symlink_to("real.mp4")
    return folder / "clip.mp4"


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "clip.mp4")
    return folder / "clip.mp4"


def of_folders() -> Iterator[OddKind]:
    names = [f"{i:03d}.png" for i in range(FRAMES)]
    for mode in ("RGB", "L", "P", "RGBA", "1", "LA"):
        yield OddKind(f"folder of png in mode {mode}", frame_folder(names, mode, rate="12"), Right(fps=12))
    jpegs = [name.replace("png", "jpg") for name in names]
    for mode in ("RGB", "L", "CMYK"):
        yield OddKind(f"folder of jpg in mode {mode}", frame_folder(jpegs, mode), Right())
    yield OddKind("folder of frames that lie on their side", lying, Right(width=HEIGHT, height=WIDTH))
    yield OddKind("folder of png of 16 bits", sixteen_bits, Refused("more than 8 bits a channel"))
    mixed = frame_folder(names[:2], sizes=[(64, 48), (32, 24)])
    yield OddKind("folder of two sizes", mixed, Refused("size|x"))
    yield OddKind("folder with a gap", frame_folder([names[0], names[1], names[3]]), Refused("number 2 is missing"))
    yield OddKind("folder at no rate", frame_folder(names, rate="fast"), Refused("is not a frame rate"))
    yield OddKind("folder without frames", frame_folder([]), Refused("has no png or jpg frames"))
    yield OddKind("link to a clip", link_to_clip, Right())
    yield OddKind("link to nothing", link_to("nowhere"), Refused("no such file"))
    yield OddKind("link to itself", link_to("clip.mp4"), Refused("no such file|cannot be opened"))
    yield OddKind("link to a device", link_to("/dev/zero"), Refused("a device"))
    yield OddKind("pipe", pipe, Refused("is a pipe"))
    for name in ("a\nb.mp4", "-rf.mp4", "%d.mp4", "http:x.mp4", "clip;rm.mp4", "ü 漢字.mp4", "x" * 200 + ".mp4"):
        told = name.replace("\n", "a line break in its name")[:30]
        yield OddKind(f"called {told}", h264(name), Right())


KINDS = [
    kind
    for family in (
        *(of_files, of_other_containers, of_other_files, of_time, of_pictures, of_sizes, of_damage, of_streams),
        of_folders,
    )
    for kind in family()
]


def wrong_with(kind: OddKind, path: Path) -> tuple[str, str]:
    """What it came to, and what is wrong with that; empty where it is as it should be."""
    from lookaway.errors import VideoError
    from lookaway.video import decode, probe

    try:
        info = probe(path)
        counted = sum(1 for _ in decode(path, long_side=64))
    except VideoError as error:
        said = str(error).replace(str(path), path.name).replace(str(path.parent), "…").replace("\n", " ")
        fits = isinstance(kind.comes_to, Refused) and re.search(kind.comes_to.why, said) is not None
        return said, "" if fits else f"{said} instead of {kind.comes_to}"
    told = f"{info.frames} frames of {info.width}x{info.height} at {info.fps:.5g} fps, {info.codec}"
    told += "".join(f"; {note}" for note in info.notes)
    right = kind.comes_to
    if not isinstance(right, Right):
        return told, f"{told} instead of {right}"
    fits = (info.frames, info.width, info.height, counted) == (right.frames, right.width, right.height, right.frames)
    fits = fits and math.isclose(info.fps, right.fps, rel_tol=right.within)
    fits = fits and (not right.note or any(re.search(right.note, note) for note in info.notes))
    return told, "" if fits else f"{told}, {counted} decoded, instead of {right}"
