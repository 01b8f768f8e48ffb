"""Pictures from outside: named formats only, upright, and of a size that is checked before anything is decoded."""

from __future__ import annotations

import base64
import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import EpsImagePlugin, Image

from lookaway.errors import SuiteError, VideoError
from lookaway.images import read_image
from lookaway.sessions.messages import unpacked
from lookaway.video import decode, decode_some, probe

POSTSCRIPT = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 8 6\n%%EndComments\nshowpage\n%%EOF\n"
READERS: dict[str, tuple[Callable[[Path], object], type[Exception]]] = {
    "suite": (read_image, SuiteError),
    "probe": (lambda path: probe(path.parent), VideoError),
    "decode": (lambda path: list(decode(path.parent)), VideoError),
    "message": (lambda path: unpacked(base64.b64encode(path.read_bytes()).decode()), ValueError),
}


@pytest.fixture(params=READERS)
def reader(request: pytest.FixtureRequest) -> tuple[Callable[[Path], object], type[Exception]]:
    return READERS[request.param]


def flat_png(width: int, height: int) -> bytes:
    """A whole PNG of zeros, small on disk and as large as it says when decoded."""
    packed = zlib.compressobj(9)
    row, rows = bytes(1 + (width + 7) // 8), 64
    data = b"".join(packed.compress(row * min(rows, height - done)) for done in range(0, height, rows)) + packed.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", data), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks
    )


def marked(format: str, orientation: int) -> bytes:
    """A lying picture of 48x32, red at its left end, whose tag says how it stands."""
    rgb = np.zeros((32, 48, 3), np.uint8)
    rgb[:, :16, 0] = 255
    exif = Image.Exif()
    exif[0x0112] = orientation
    buffer = io.BytesIO()
    Image.fromarray(rgb).save(buffer, format, exif=exif)
    return buffer.getvalue()


def test_a_postscript_file_is_no_picture_whatever_its_name(
    reader: tuple[Callable[[Path], object], type[Exception]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, ran = tmp_path / "bin" / "gs", tmp_path / "ran"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {ran}\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    monkeypatch.setattr(EpsImagePlugin, "gs_binary", None)
    path = tmp_path / "folder" / "0.png"
    path.parent.mkdir()
    path.write_bytes(POSTSCRIPT)
    read, error = reader
    with pytest.raises(error):
        read(path)
    assert not ran.exists(), "Ghostscript was started"


def test_a_small_file_of_a_huge_picture_is_refused_by_its_header(
    reader: tuple[Callable[[Path], object], type[Exception]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """80 megapixels: below the size at which Pillow warns."""
    path = tmp_path / "0.png"
    path.write_bytes(flat_png(10_000, 8_000))
    loaded = []
    monkeypatch.setattr(Image.Image, "convert", lambda image, *rest: loaded.append(image))
    read, error = reader
    with pytest.raises(error, match=r"10000x8000 is too large; scale it to at most (50|17) megapixels"):
        read(path)
    assert not loaded


@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_stands_as_its_tag_says(format: str, orientation: int, tmp_path: Path) -> None:
    path = tmp_path / "0.jpg"
    path.write_bytes(marked(format, orientation))
    rgb = read_image(path)
    width, height = (48, 32) if orientation < 5 else (32, 48)
    assert rgb.shape == (height, width, 3)
    corners = {(y, x) for y in (0, -1) for x in (0, -1) if rgb[y, x, 0] > 200}
    left, right, top, bottom = {(0, 0), (-1, 0)}, {(0, -1), (-1, -1)}, {(0, 0), (0, -1)}, {(-1, 0), (-1, -1)}
    assert corners == [left, right, right, left, top, top, bottom, bottom][orientation - 1]
    info, frames = probe(tmp_path), [frame.rgb for frame in decode(tmp_path)]
    assert (info.width, info.height) == (width, height)
    assert np.array_equal(frames[0], rgb)


def test_a_spoilt_orientation_tag_does_not_spoil_the_picture(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 6)).save(buffer, "JPEG", exif=b"Exif\0\0no such thing")
    (tmp_path / "0.jpg").write_bytes(buffer.getvalue())
    assert read_image(tmp_path / "0.jpg").shape == (6, 8, 3)


def test_frames_that_cannot_be_held_at_once_are_not_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookaway.video.source.HELD_BYTES", 3 * 48 * 32 * 3, raising=False)
    for number in range(4):
        (tmp_path / f"{number}.png").write_bytes(marked("PNG", 1))
    assert len(decode_some(tmp_path, [0, 1, 2])) == 3
    with pytest.raises(VideoError, match="4 frames of 48x32 at once are more than"):
        decode_some(tmp_path, [0, 1, 2, 3])
