"""What can be seen of the subject, and its state, over time: one small chart each, phases as shades."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from lookaway.contact.content import SheetContent
from lookaway.contact.moments import Moment
from lookaway.contact.paper import (
    INK,
    PAPER,
    PHASE_TINT,
    QUIET,
    RGB,
    RULE,
    SEEN,
    SMALL,
    SUBJECT,
    beside,
    picture,
    stacked,
    wide,
    write,
)

Floats = NDArray[np.float64]

LEFT, RIGHT, TOP, BOTTOM = 74, 66, 50, 48
BAND = 22  # above the curves, for the names of the phases
TALL = 96
GAP = 20
FINE = 4
AIR = 0.1  # of the height, above and below a curve
LEAST_RANGE = 1e-6
NEGLIGIBLE = 1e-4  # of a curve's range
FEW_PHASES = 3
SECOND_APART = 48
SEEN_NAME = "seen of the subject, first frame = 1"


def curves(content: SheetContent, width: int) -> Image.Image:
    """First how much of the subject is seen, from none, then each state variable on an axis of its own."""
    count = 1 + len(content.states)
    columns = 2 if count in (2, 4) or len(content.phases) > FEW_PHASES else 3
    each = (width - (columns - 1) * GAP) // columns
    charts = [chart(content, SEEN_NAME, content.visible, SEEN, each, low=0.0)]
    charts += [chart(content, name, values, SUBJECT, each) for name, values in content.states.items()]
    return stacked([beside(charts[at : at + columns], GAP) for at in range(0, count, columns)], 10)


def chart(
    content: SheetContent, name: str, values: Floats, ink: RGB, width: int, low: float | None = None
) -> Image.Image:
    """One curve over the phases; letters below are the frames shown."""
    frame = PlotArea(content.seconds, values if low is None else np.append(values, low), width)
    for phase in content.phases:
        frame.shade(phase.start_s, phase.end_s, PHASE_TINT[phase.phase])
    frame.rule()
    frame.curve(content.seconds, values, ink)
    image = picture(frame.pixels)
    write(image, (LEFT, (TOP - BAND) / 2 - 2), name, ink=ink, anchor="lm")
    for phase in content.phases:
        left, right = frame.columns(np.array([phase.start_s, phase.end_s])).clip(LEFT, width - RIGHT)
        if wide(phase.phase, SMALL) + 6 < right - left:
            write(image, ((left + right) / 2, TOP - BAND / 2), phase.phase, ink=INK, anchor="mm")
    for value in frame.ends:
        write(image, (LEFT - 8, frame.rows(np.array([value]))[0]), frame.said(value), ink=QUIET, anchor="rm")
    end = frame.rows(values[-1:])[0]
    write(image, (width - RIGHT + 9, end), frame.said(float(values[-1])), ink=ink, anchor="lm")
    mark_time(image, frame, content.seconds, content.shown)
    return image


def mark_time(image: Image.Image, frame: PlotArea, seconds: Floats, shown: Sequence[Moment]) -> None:
    """Whole seconds, and the letters of the frames shown above them."""
    base = TOP + TALL
    apart = float(np.diff(frame.columns(np.array([0.0, 1.0])))[0])
    for second in range(0, int(seconds[-1]) + 1, max(1, round(SECOND_APART / apart))):
        (column,) = frame.columns(np.array([float(second)]))
        write(image, (column, base + 26), f"{second} s", ink=QUIET, anchor="ma")
    said_at = -99.0
    for moment in shown:
        (column,) = frame.columns(seconds[moment.frame : moment.frame + 1])
        ImageDraw.Draw(image).line((column, base, column, base + 6), INK, 2)
        if column - said_at > SMALL:
            write(image, (column, base + 7), moment.letter, anchor="ma")
            said_at = column


class PlotArea:
    """The plot area: seconds as columns, values as rows."""

    def __init__(self, seconds: Floats, values: Floats, width: int) -> None:
        self.pixels = np.full((TOP + TALL + BOTTOM, width, 3), PAPER, np.uint8)
        self._last_s = float(seconds[-1])
        self._low, self._high = float(values.min()), float(values.max())
        self.ends = list(dict.fromkeys((self._low, self._high)))
        if self._high - self._low < LEAST_RANGE:
            self._low, self._high = self._low - 1, self._high + 1

    def columns(self, seconds: Floats) -> Floats:
        return LEFT + seconds / self._last_s * (self.pixels.shape[1] - LEFT - RIGHT)

    def rows(self, values: Floats) -> Floats:
        share = (values - self._low) / (self._high - self._low)
        return TOP + TALL * (1 - AIR - (1 - 2 * AIR) * share)

    def said(self, value: float) -> str:
        """A value with three digits; noise around zero is zero."""
        return f"{value:.3g}" if abs(value) > NEGLIGIBLE * (self._high - self._low) else "0"

    def shade(self, start_s: float, end_s: float, tint: RGB) -> None:
        left, right = self.columns(np.array([start_s, min(end_s, self._last_s)])).round().astype(int)
        self.pixels[TOP - BAND : TOP + TALL, left:right] = tint

    def rule(self) -> None:
        self.pixels[[TOP + TALL], LEFT : self.pixels.shape[1] - RIGHT] = RULE

    def curve(self, seconds: Floats, values: Floats, ink: RGB) -> None:
        points = np.stack([self.columns(seconds), self.rows(values)], axis=1)
        fine = np.round(points * 2**FINE).astype(np.int32)
        cv2.polylines(self.pixels, [fine], False, ink, 3, cv2.LINE_AA, FINE)
        cv2.circle(self.pixels, fine[-1].tolist(), 5 * 2**FINE, ink, -1, cv2.LINE_AA, FINE)
