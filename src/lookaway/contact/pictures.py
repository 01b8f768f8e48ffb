"""The first view as depth and as named things."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from lookaway.contact.paper import INK, PAPER, QUIET, RGB, SMALL, SUBJECT, blank, picture, stacked, wide, write

Floats = NDArray[np.float64]

FARTHEST_M = 40.0
BEYOND: RGB = (225, 228, 233)
TICKS_M = (0.5, 0.7, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 10, 15, 20, 30, 40)
TICK_APART = 60
BAR = 14

ROOM: RGB = (233, 234, 237)
THINGS: tuple[RGB, ...] = (
    (119, 170, 221),
    (238, 221, 136),
    (68, 187, 153),
    (255, 170, 187),
    (170, 170, 0),
    (153, 221, 255),
    (187, 204, 51),
)
LEAST_SHARE = 0.002
CHIP = 14


def depth_picture(depth: NDArray[np.float32], size: tuple[int, int]) -> Image.Image:
    """Near is bright, far is dark, in equal steps for equal ratios; the scale below is in metres."""
    width = size[0]
    near = float(np.percentile(depth, 0.5))
    far = max(min(float(np.percentile(depth, 99.5)), FARTHEST_M), near * 1.5)
    large = cv2.resize(depth, size, interpolation=cv2.INTER_NEAREST).astype(np.float64)
    seen = tinted(np.log(large / near) / np.log(far / near))
    seen[large > FARTHEST_M] = BEYOND
    below = blank(width, BAR + SMALL + 12)
    below.paste(picture(tinted(np.tile(np.linspace(0, 1, width), (BAR, 1)))), (0, 6))
    said_at = -float(TICK_APART)
    for tick in (tick for tick in TICKS_M if near <= tick <= far):
        at = (width - 1) * np.log(tick / near) / np.log(far / near)
        label = f"{tick:g} m"
        if at - said_at < TICK_APART or at + wide(label, SMALL) / 2 > width:
            continue
        said_at = at
        ImageDraw.Draw(below).line((at, 6, at, BAR + 9), INK)
        write(below, (max(at, wide(label, SMALL) / 2), BAR + 10), label, ink=QUIET, anchor="ma")
    return stacked([picture(seen), below], 0)


def tinted(share: Floats) -> NDArray[np.uint8]:
    """Shares from 0 to 1 in a map whose brightness falls evenly."""
    level = (255 * (1 - np.clip(share, 0, 1))).astype(np.uint8)
    return np.asarray(cv2.cvtColor(cv2.applyColorMap(level, cv2.COLORMAP_VIRIDIS), cv2.COLOR_BGR2RGB), np.uint8)


def things_picture(
    instances: NDArray[np.int16], names: Mapping[int, str], subject_ids: Sequence[int], size: tuple[int, int]
) -> Image.Image:
    """Every thing in a colour with a number, the subject in the one strong colour; names below.

    Whatever belongs to the subject counts as its first part.
    """
    subject = subject_ids[0]
    large = np.array(cv2.resize(instances, size, interpolation=cv2.INTER_NEAREST), np.int16)
    large[np.isin(large, subject_ids)] = subject
    listed = by_size(large, subject)
    inks = {number: THINGS[place % len(THINGS)] for place, number in enumerate(listed)}
    inks |= {number: ROOM for number in listed if names[number] == "room"} | {subject: SUBJECT}
    flat = np.full((*large.shape, 3), ROOM, np.uint8)
    for number in listed:
        flat[large == number] = inks[number]
    flat[edges(large)] = PAPER
    image = picture(flat)
    for place, number in enumerate(listed, start=1):
        row, column = np.clip(inside(large == number), SMALL // 2, np.array(large.shape) - SMALL // 2)
        write(image, (column, row), str(place), anchor="mm", ink=PAPER if number == subject else INK)
    labels = [(f"{place} {names[number]}", inks[number]) for place, number in enumerate(listed, start=1)]
    return stacked([image, legend(labels, size[0])], 6)


def by_size(instances: NDArray[np.int16], subject: int) -> list[int]:
    """Ids that cover enough to be seen: the subject's, then the others, large ones first."""
    ids, counts = np.unique(instances, return_counts=True)
    shares = {int(number): count / instances.size for number, count in zip(ids, counts, strict=True)}
    shown = [number for number, share in shares.items() if share >= LEAST_SHARE or number == subject]
    return sorted(shown, key=lambda number: (number != subject, -shares[number]))


def edges(instances: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Pixels whose right or lower neighbour is another thing."""
    found = np.zeros(instances.shape, bool)
    found[:, :-1] |= instances[:, :-1] != instances[:, 1:]
    found[:-1] |= instances[:-1] != instances[1:]
    return found


def inside(mask: NDArray[np.bool_]) -> tuple[int, int]:
    """Row and column of the pixel farthest from the mask's edge."""
    padded = np.pad(mask, 1).astype(np.uint8)
    away = cv2.distanceTransform(padded, cv2.DIST_L2, 3)[1:-1, 1:-1]
    row, column = np.unravel_index(int(away.argmax()), away.shape)
    return int(row), int(column)


def legend(labels: Sequence[tuple[str, RGB]], width: int) -> Image.Image:
    """Names beside their colours, in as many lines as they need."""
    step = SMALL + 7
    places, x, line = [], 0.0, 0
    for text, _ in labels:
        needed = CHIP + 6 + wide(text, SMALL)
        if x and x + needed > width:
            x, line = 0.0, line + 1
        places.append((x, line))
        x += needed + 16
    image = blank(width, step * (line + 1))
    for (text, ink), (left, number) in zip(labels, places, strict=True):
        top = step * number + (step - CHIP) // 2
        ImageDraw.Draw(image).rectangle((left, top, left + CHIP, top + CHIP), ink)
        write(image, (left + CHIP + 6, top + CHIP / 2), text, anchor="lm")
    return image
