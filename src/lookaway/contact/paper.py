"""Paper, type and colours of a contact sheet; colours stay apart for colour-blind readers and in grey."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from lookaway.records import Phase

RGB = tuple[int, int, int]

PAPER: RGB = (255, 255, 255)
INK: RGB = (32, 36, 44)
QUIET: RGB = (92, 98, 110)
RULE: RGB = (216, 220, 227)
SUBJECT: RGB = (204, 51, 17)
SEEN: RGB = (0, 90, 160)
PHASE_TINT: dict[Phase, RGB] = {"visible": (226, 241, 232), "hidden": (212, 214, 222), "returned": (222, 234, 248)}

LARGE, NORMAL, SMALL = 34, 19, 16
_UNPRINTABLE = str.maketrans({"–": "-", "—": "-", "−": "-", "×": "x", "→": ">", "≥": ">", "≤": "<"})


def font(size: int) -> ImageFont.FreeTypeFont:
    """Pillow's own typeface, so that a sheet looks the same everywhere."""
    found = ImageFont.load_default(size)
    assert isinstance(found, ImageFont.FreeTypeFont)
    return found


def blank(width: int, height: int) -> Image.Image:
    return Image.new("RGB", (width, height), PAPER)


def picture(rgb: NDArray[np.uint8]) -> Image.Image:
    return Image.fromarray(np.ascontiguousarray(rgb))


def wide(text: str, size: int) -> float:
    """Width of a line of text."""
    return font(size).getlength(printable(text))


def printable(text: str) -> str:
    """The text in signs that the typeface has."""
    return text.translate(_UNPRINTABLE)


def write(
    image: Image.Image,
    at: tuple[float, float],
    text: str,
    size: int = SMALL,
    ink: RGB = INK,
    anchor: str = "la",
    halo: bool = False,
) -> None:
    """One line of text; a halo of paper keeps it apart from what lies below."""
    around = 3 if halo else 0
    draw = ImageDraw.Draw(image)
    draw.text(at, printable(text), ink, font(size), anchor=anchor, stroke_width=around, stroke_fill=PAPER)


def wrapped(text: str, size: int, width: float) -> list[str]:
    """Lines no wider than `width`, broken between words."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and wide(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def paragraph(text: str, width: int, size: int = NORMAL, ink: RGB = INK) -> Image.Image:
    """Text broken into lines."""
    lines, step = wrapped(text, size, width), round(size * 1.4)
    image = blank(width, step * len(lines))
    for number, line in enumerate(lines):
        write(image, (0, step * number + step / 2), line, size, ink, "lm")
    return image


def headed(heading: str, body: Image.Image, note: str = "") -> Image.Image:
    """A body under its heading, with a quiet note beside the heading."""
    head = blank(body.width, NORMAL + 13)
    write(head, (0, NORMAL / 2 + 3), heading, NORMAL, INK, "lm")
    write(head, (wide(heading, NORMAL) + 12, NORMAL / 2 + 4), note, SMALL, QUIET, "lm")
    return stacked([head, body], 0)


def stacked(images: Sequence[Image.Image], gap: int) -> Image.Image:
    """One above the other."""
    return _joined(images, gap, "down")


def beside(images: Sequence[Image.Image], gap: int) -> Image.Image:
    """Left to right."""
    return _joined(images, gap, "across")


def _joined(images: Sequence[Image.Image], gap: int, way: Literal["down", "across"]) -> Image.Image:
    across = way == "across"
    lengths = [image.width if across else image.height for image in images]
    breadth = max(image.height if across else image.width for image in images)
    total = sum(lengths) + gap * (len(images) - 1)
    whole = blank(total, breadth) if across else blank(breadth, total)
    place = 0
    for image, length in zip(images, lengths, strict=True):
        whole.paste(image, (place, 0) if across else (0, place))
        place += length + gap
    return whole
