"""The page: title, frames, depth, things, map, curves, words."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from lookaway.contact.content import SheetContent
from lookaway.contact.curves import curves
from lookaway.contact.paper import (
    LARGE,
    NORMAL,
    QUIET,
    SMALL,
    beside,
    blank,
    headed,
    paragraph,
    stacked,
    write,
)
from lookaway.contact.pictures import depth_picture, things_picture
from lookaway.contact.top_view import top_view
from lookaway.video import Frame, filmstrip

WIDTH, MARGIN, GAP = 1600, 40, 22
INNER = WIDTH - 2 * MARGIN
LEAST_A_ROW, MOST_A_ROW = 5, 6  # frames
STRIP_GAP = 4  # between the frames of a filmstrip
PANEL = (492, 277)
MAP = (492, 345)


def contact_sheet(content: SheetContent) -> NDArray[np.uint8]:
    """One task on a page, (H, 1600, 3) RGB."""
    parts = [head(content), frames(content), panels(content), curves_part(content), words(content)]
    body = stacked(parts, GAP)
    page = blank(WIDTH, body.height + 2 * MARGIN)
    page.paste(body, (MARGIN, MARGIN))
    return np.array(page)


def head(content: SheetContent) -> Image.Image:
    title = paragraph(content.title, INNER, LARGE)
    return stacked([title, *(paragraph(fact, INNER, NORMAL, QUIET) for fact in content.facts)], 2)


def frames(content: SheetContent) -> Image.Image:
    """The frames that tell the story, with second and phase, each under a letter."""
    count = len(content.shown)
    a_row = math.ceil(count / math.ceil(count / MOST_A_ROW))
    most = max(LEAST_A_ROW, a_row)
    shape = content.pictures[0].shape
    height = (INNER - (most - 1) * STRIP_GAP) // most * shape[0] // shape[1]
    rows = []
    for start in range(0, count, a_row):
        row = content.shown[start : start + a_row]
        shots = [
            Frame(moment.frame, float(content.seconds[moment.frame]), rgb)
            for moment, rgb in zip(row, content.pictures[start : start + a_row], strict=True)
        ]
        strip = Image.fromarray(filmstrip(shots, height, len(row), [moment.phase for moment in row]))
        below = blank(strip.width, SMALL + 6)
        for place, moment in enumerate(row):
            middle = (strip.width + STRIP_GAP) / len(row) * (place + 0.5) - STRIP_GAP / 2
            write(below, (middle, SMALL / 2), f"{moment.letter}   {moment.name}".rstrip(), anchor="mm")
        rows.append(stacked([strip, below], 0))
    return stacked(rows, 8)


def panels(content: SheetContent) -> Image.Image:
    gap = (INNER - 3 * PANEL[0]) // 2
    things = things_picture(content.first.instances, content.names, content.subject_ids, PANEL)
    return beside(
        [
            headed("Depth", depth_picture(content.first.depth, PANEL), "first frame"),
            headed("Things", things, "first frame"),
            headed("From above", top_view(content.ground, content.shown, MAP), "views A, B, ... and the subject's way"),
        ],
        gap,
    )


def curves_part(content: SheetContent) -> Image.Image:
    return headed("Over time", curves(content, INNER), "letters mark the frames above")


def words(content: SheetContent) -> Image.Image:
    return stacked(
        [
            headed("Prompt", paragraph(content.prompt, INNER)),
            headed("Expected end", paragraph(content.end, INNER), "the prompt does not tell it"),
        ],
        12,
    )
