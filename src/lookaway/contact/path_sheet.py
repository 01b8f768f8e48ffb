"""Camera paths above the frames that they lead to: the truth and several systems on one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from lookaway.contact.paper import (
    INK,
    PAPER,
    PHASE_TINT,
    QUIET,
    RGB,
    RULE,
    beside,
    blank,
    paragraph,
    picture,
    stacked,
    wide,
    write,
)
from lookaway.contact.top_view import FINE, REACH_M, Map, heading_deg, wedge
from lookaway.records import Interval, Phase

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

WIDTH, MARGIN, GAP = 1000, 24, 12
INNER = WIDTH - 2 * MARGIN
TITLE, LABEL, TEXT = 34, 27, 23  # large enough to be read on a telephone, where the page is 390 pixels wide
MAP = 290
CHART = (INNER - MAP - GAP, 330)
LEFT, RIGHT, TOP, BOTTOM = 78, 10, 44, 34
DASH = 16  # pixels
ASKED: RGB = (140, 146, 156)
STEPS_DEG = (5, 10, 15, 30, 45, 60, 90, 180)
INKS: tuple[RGB, ...] = ((0, 90, 160), (204, 102, 0), (0, 128, 96), (136, 46, 114), (190, 30, 45), (110, 110, 20))


class PathLine(NamedTuple):
    """One angle over time; not a number where the camera could not be placed."""

    seconds: Floats
    degrees: Floats


class PathMoment(NamedTuple):
    """When frames are shown."""

    letter: str
    phase: Phase
    second: float


@dataclass(frozen=True, eq=False)
class PathRow:
    """A clip: its frames at the moments, and its camera where one was recovered."""

    title: str
    shots: Sequence[Pixels]  # one per moment; none where there is no video
    line: PathLine | None = None
    note: str = ""


@dataclass(frozen=True, eq=False)
class PathSheet:
    """A task with the clips of it."""

    title: str
    facts: str
    angle: str  # such as yaw, to the right
    asked: PathLine
    ground: Floats  # (moments, 4, 4) cameras seen from above: x to the right, y ahead of the first camera
    hfov_deg: float
    phases: tuple[Interval, ...]
    moments: Sequence[PathMoment]
    rows: Sequence[PathRow]


def path_sheet(sheet: PathSheet) -> Pixels:
    """One page, (H, 1000, 3) RGB: the path from above and over time, below it a row of frames for every clip."""
    inks = dict(zip([number for number, row in enumerate(sheet.rows) if row.line], _repeated(INKS), strict=False))
    head = [paragraph(sheet.title, INNER, TITLE), paragraph(sheet.facts, INNER, TEXT, QUIET)]
    paths = beside([_from_above(sheet), _over_time(sheet, inks)], GAP)
    rows = [_row(row, inks.get(number, INK), sheet.moments) for number, row in enumerate(sheet.rows)]
    body = stacked([*head, paths, *rows], GAP)
    page = blank(WIDTH, body.height + 2 * MARGIN)
    page.paste(body, (MARGIN, MARGIN))
    return np.array(page)


def _repeated(inks: Sequence[RGB]) -> list[RGB]:
    return list(inks) * 8


def ground_pose(pose: Floats) -> Floats:
    """A camera of OpenCV's axes (4, 4), x right, y down, z ahead, as seen from above."""
    return np.asarray(pose[np.ix_([0, 2, 1, 3], [0, 1, 2, 3])], np.float64)


def _from_above(sheet: PathSheet) -> Image.Image:
    """The asked views at the moments, under their letters; ahead of the first camera is up."""
    cameras = sheet.ground
    places = cameras[:, :2, 3]
    around = np.concatenate([places - REACH_M, places + REACH_M])
    drawn = Map(around.min(axis=0) - 0.3, around.max(axis=0) + 0.3, (MAP, CHART[1]))
    tints = [tuple(max(0, part - 60) for part in PHASE_TINT[moment.phase]) for moment in sheet.moments]
    for camera, tint in zip(cameras, tints, strict=True):
        drawn.fill(wedge(camera, sheet.hfov_deg), (tint[0], tint[1], tint[2]), 0.55)
    for camera in cameras:
        drawn.line(wedge(camera, sheet.hfov_deg), QUIET, 1, closed=True)
    drawn.line(places, INK, 3)
    for place in places:
        drawn.dot(place, INK, 5)
    image = picture(drawn.pixels)
    for letters, camera in _together(sheet.moments, cameras):
        angle = np.deg2rad(heading_deg(camera))
        ((x, y),) = drawn.at(camera[:2, 3] + 0.72 * REACH_M * np.array([np.cos(angle), np.sin(angle)]))
        write(image, (x, y), letters, LABEL, INK, "mm", halo=True)
    write(image, (0, 0), "from above", TEXT, QUIET)
    return image


def _together(moments: Sequence[PathMoment], cameras: Floats) -> list[tuple[str, Floats]]:
    """Letters of each different view: `V R` where the camera comes home."""
    views: list[tuple[str, Floats]] = []
    for moment, camera in zip(moments, cameras, strict=True):
        for number, (letters, other) in enumerate(views):
            turned = abs((heading_deg(camera) - heading_deg(other) + 180) % 360 - 180)
            if turned < 12 and np.linalg.norm(camera[:2, 3] - other[:2, 3]) < 0.3:
                views[number] = f"{letters} {moment.letter}", other
                break
        else:
            views.append((moment.letter, camera))
    return views


def _over_time(sheet: PathSheet, inks: dict[int, RGB]) -> Image.Image:
    """The asked angle in grey, what was recovered of each clip in its colour, phases as shades."""
    lines = [(sheet.rows[number].line, ink) for number, ink in inks.items()]
    known = np.concatenate([sheet.asked.degrees, *(line.degrees for line, _ in lines if line is not None)])
    ticks = degree_ticks(float(np.nanmin(known)), float(np.nanmax(known)))
    last_s = float(sheet.asked.seconds[-1])
    pixels = np.full((CHART[1], CHART[0], 3), PAPER, np.uint8)
    low, high = ticks[0], ticks[-1]

    def columns(seconds: Floats) -> Floats:
        return LEFT + np.clip(seconds, 0, last_s) / last_s * (CHART[0] - LEFT - RIGHT)

    def rows(degrees: Floats) -> Floats:
        return TOP + 12 + (high - degrees) / (high - low) * (CHART[1] - TOP - BOTTOM - 24)

    for phase in sheet.phases:
        start, end = columns(np.array([phase.start_s, phase.end_s])).round().astype(int)
        pixels[TOP : CHART[1] - BOTTOM, start:end] = PHASE_TINT[phase.phase]
    for tick in ticks:
        pixels[round(float(rows(np.array(tick)))), LEFT : CHART[0] - RIGHT] = QUIET if tick == 0 else RULE
    _draw(pixels, columns(sheet.asked.seconds), rows(sheet.asked.degrees), ASKED, 11)
    drawn = [(_fine(columns(line.seconds), rows(line.degrees)), ink) for line, ink in lines if line is not None]
    for (x, y), ink in drawn:
        _draw(pixels, x, y, ink, 5)
    for turn, ((x, y), ink) in enumerate(drawn):  # those that lie upon each other show by turns
        _draw(pixels, x, np.where(x // DASH % len(drawn) == turn, y, np.nan), ink, 5)
    image = picture(pixels)
    for tick in ticks:
        write(image, (LEFT - 8, float(rows(np.array(tick)))), f"{tick:g}°", TEXT, QUIET, "rm")
    write(image, (LEFT, 0), f"{sheet.angle}; grey: asked", TEXT, QUIET)
    for moment in sheet.moments:
        at = float(columns(np.array(moment.second)))
        ImageDraw.Draw(image).line((at, TOP, at, CHART[1] - BOTTOM), INK, 2)
        write(image, (at, CHART[1] - BOTTOM + 4), moment.letter, LABEL, INK, "ma")
    return image


def degree_ticks(low: float, high: float) -> list[float]:
    """Round degrees around all that is drawn, at most six: -60 to 2 -> -60, -30, 0, 30."""
    for step in STEPS_DEG:
        first, last = np.floor(min(low, 0) / step), np.ceil(max(high, 0) / step)
        if last - first <= 5:
            break
    last = max(last, first + 1)
    return [float(step * number) for number in np.arange(first, last + 1)]


def _fine(columns: Floats, rows: Floats) -> tuple[Floats, Floats]:
    """A line at every second column."""
    x = np.arange(columns[0], columns[-1] + 1, 2.0)
    return x, np.asarray(np.interp(x, columns, rows))


def _draw(pixels: Pixels, columns: Floats, rows: Floats, ink: RGB, thick: int) -> None:
    """A line, broken where it is not known."""
    known = ~np.isnan(rows)
    for part in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(known)) + 1):
        if known[part[0]]:
            points = np.stack([columns[part], rows[part]], axis=1)
            cv2.polylines(pixels, [np.round(points * 2**FINE).astype(np.int32)], False, ink, thick, cv2.LINE_AA, FINE)


def _row(row: PathRow, ink: RGB, moments: Sequence[PathMoment]) -> Image.Image:
    """Its name in the colour of its line, and its frames with their letters."""
    label = blank(INNER, LABEL + 14)
    if row.line is not None:
        ImageDraw.Draw(label).rectangle((0, 8, 22, 30), ink)
    left = 32 if row.line is not None else 0
    write(label, (left, LABEL / 2 + 5), row.title, LABEL, INK, "lm")
    write(label, (left + wide(row.title, LABEL) + 16, LABEL / 2 + 6), row.note, TEXT, QUIET, "lm")
    if not row.shots:
        return label
    width = (INNER - GAP * (len(moments) - 1)) // len(moments)
    shots = [_shot(rgb, width, moment) for rgb, moment in zip(row.shots, moments, strict=True)]
    return stacked([label, beside(shots, GAP)], 0)


def _shot(rgb: Pixels, width: int, moment: PathMoment) -> Image.Image:
    height = round(width * rgb.shape[0] / rgb.shape[1])
    image = picture(np.asarray(cv2.resize(rgb, (width, height), interpolation=cv2.INTER_AREA), np.uint8))
    text = f"{moment.letter}  {moment.phase}"
    ImageDraw.Draw(image).rectangle((0, 0, wide(text, TEXT) + 18, TEXT + 12), PHASE_TINT[moment.phase])
    write(image, (9, 5), text, TEXT)
    return image
