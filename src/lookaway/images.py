"""Still images in and out, as (height, width, 3) RGB."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image

from lookaway.errors import SuiteError
from lookaway.limits import PICTURE_PIXELS, PICTURE_SIDE

FORMATS = ("PNG", "JPEG", "WEBP")  # read by plain decoders; others, such as PostScript, start programs
_UNREADABLE = (OSError, SyntaxError, ValueError, Image.DecompressionBombError, Image.DecompressionBombWarning)
_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_LYING = {5, 6, 7, 8}


class BadImage(Exception):
    """What is wrong with a picture; whoever opened it says where it is and what to do."""


def image_size(source: Path | bytes, most_pixels: int = PICTURE_PIXELS) -> tuple[int, int]:
    """Width and height of the picture once upright, from its header alone."""
    with _opened(source, most_pixels) as image:
        width, height = image.size
        return (height, width) if _orientation(image) in _LYING else (width, height)


def upright_image(source: Path | bytes, most_pixels: int = PICTURE_PIXELS) -> Image.Image:
    """The picture as its EXIF tag says it stands, decoded; a size over the limit is an error before any decoding."""
    with _opened(source, most_pixels) as image:
        turn = _UPRIGHT.get(_orientation(image))
        image.load()
        return image if turn is None else image.transpose(turn)


def rgb_image(source: Path | bytes, most_pixels: int = PICTURE_PIXELS) -> NDArray[np.uint8]:
    return np.asarray(upright_image(source, most_pixels).convert("RGB"), np.uint8)


def read_image(path: Path) -> NDArray[np.uint8]:
    """A suite's picture."""
    try:
        return rgb_image(path)
    except BadImage as error:
        raise SuiteError(f"{path}: not a readable image ({error}); give a png, jpg or webp") from error


def png_bytes(rgb: NDArray[np.uint8], level: int = -1) -> bytes:
    """`level` 1 takes a fifth of the time for a file a fifth larger."""
    buffer = io.BytesIO()
    Image.fromarray(rgb).save(buffer, "PNG", compress_level=level)
    return buffer.getvalue()


@contextmanager
def _opened(source: Path | bytes, most_pixels: int) -> Iterator[Image.Image]:
    try:
        with Image.open(io.BytesIO(source) if isinstance(source, bytes) else source, formats=FORMATS) as image:
            width, height = image.size
            if max(width, height) > PICTURE_SIDE:
                raise BadImage(f"{width}x{height} is too large; scale it to at most {PICTURE_SIDE} a side")
            if width * height > most_pixels:
                raise BadImage(f"{width}x{height} is too large; scale it to at most {most_pixels / 1e6:.0f} megapixels")
            yield image
    except _UNREADABLE as error:
        raise BadImage(str(error)) from error


def _orientation(image: Image.Image) -> int:
    """1 to 8, as told before the pixels: what a PNG tells after them would need decoding to be found."""
    exif = Image.Exif()
    try:
        exif.load(image.info.get("exif") or b"")
        told = exif.get(ExifTags.Base.Orientation, 1)
    except (struct.error, *_UNREADABLE):  # a spoilt tag does not spoil the picture
        return 1
    return told if isinstance(told, int) else 1
