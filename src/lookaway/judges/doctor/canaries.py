"""Pictures with known answers: nobody who sees them says otherwise, and nobody who does not can tell."""

from __future__ import annotations

import math

import numpy as np
from PIL import Image, ImageDraw

from lookaway.judges.frames import Encoding, Pixels, SentFrame, sent_frames
from lookaway.video import Frame

SIDE = 384
GROUND = (200, 200, 200)
COLOURS = {
    "red": (215, 25, 30), "blue": (25, 60, 210), "green": (20, 140, 50), "orange": (250, 140, 20),
    "purple": (130, 40, 160), "black": (10, 10, 10), "yellow": (250, 220, 30), "brown": (120, 70, 30),
}  # fmt: skip
SHAPES = ("circle", "square", "triangle", "cross")
NAMES = tuple(f"{colour} {SHAPES[i % len(SHAPES)]}" for i, colour in enumerate(COLOURS))
NEVER_SHOWN = ("white star", "pink heart")


def canaries(count: int, encoding: Encoding) -> tuple[SentFrame, ...]:
    """The first so many pictures, one a second."""
    return sent_frames([Frame(i, float(i), picture(name)) for i, name in enumerate(NAMES[:count])], encoding)


def blanks(count: int, encoding: Encoding) -> tuple[SentFrame, ...]:
    ground = np.full((SIDE, SIDE, 3), GROUND, np.uint8)
    return sent_frames([Frame(i, float(i), ground) for i in range(count)], encoding)


def question(name: str) -> str:
    article = "an" if name[0] in "aeiou" else "a"
    return f"Is there {article} {name} in any of these pictures?"


def picture(name: str) -> Pixels:
    """A large shape in the middle."""
    colour, shape = name.split()
    image = Image.new("RGB", (SIDE, SIDE), GROUND)
    draw, fill = ImageDraw.Draw(image), COLOURS[colour]
    low, middle, high = SIDE // 4, SIDE // 2, 3 * SIDE // 4
    match shape:
        case "circle":
            draw.ellipse((low, low, high, high), fill)
        case "square":
            draw.rectangle((low, low, high, high), fill)
        case "triangle":
            top = high - round((high - low) * math.sqrt(3) / 2)
            draw.polygon([(low, high), (high, high), (middle, top)], fill)
        case "cross":
            arm = SIDE // 14
            draw.rectangle((middle - arm, low, middle + arm, high), fill)
            draw.rectangle((low, middle - arm, high, middle + arm), fill)
    return np.asarray(image, np.uint8)
