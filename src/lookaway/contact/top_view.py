"""The world from above: the camera's way and its views, the subject's way, and what stands around."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from lookaway.contact.content import Ground
from lookaway.contact.moments import Moment
from lookaway.contact.paper import INK, PAPER, QUIET, RGB, RULE, SMALL, SUBJECT, picture, wide, write

Floats = NDArray[np.float64]

AROUND_M = 0.25
LEAST_M, MOST_M = 4.0, 14.0
REACH_M = 1.5  # of a drawn view
THING: RGB = (150, 157, 168)
VIEW: RGB = (0, 90, 160)
FINE = 4  # bits of a pixel's fraction that OpenCV understands
SAME_M, SAME_DEG = 0.05, 7.0
LETTERS_AWAY, LETTERS_APART = 11, 18  # pixels


class Map:
    """Places in metres as pixels, drawn with smooth edges."""

    def __init__(self, low: Floats, high: Floats, size: tuple[int, int]) -> None:
        self.pixels = np.full((size[1], size[0], 3), PAPER, np.uint8)
        self.scale = float(min(np.array(size) / (high - low)))
        self._corner = (low + high) / 2 - np.array(size) / self.scale / 2
        self.low, self.high = self._corner, self._corner + np.array(size) / self.scale

    def at(self, places: Floats) -> Floats:
        """Columns and rows of places."""
        moved = (np.atleast_2d(places) - self._corner) * self.scale
        return np.stack([moved[:, 0], len(self.pixels) - moved[:, 1]], axis=1)

    def line(self, places: Floats, ink: RGB, thick: int = 2, closed: bool = False) -> None:
        cv2.polylines(self.pixels, [self._fine(places)], closed, ink, thick, cv2.LINE_AA, FINE)

    def fill(self, places: Floats, ink: RGB, cover: float) -> None:
        layer = self.pixels.copy()
        cv2.fillPoly(layer, [self._fine(places)], ink, cv2.LINE_AA, FINE)
        self.pixels[:] = cv2.addWeighted(layer, cover, self.pixels, 1 - cover, 0)

    def dot(self, place: Floats, ink: RGB, radius: float) -> None:
        (centre,) = self._fine(place)
        cv2.circle(self.pixels, centre.tolist(), round(radius * 2**FINE), ink, -1, cv2.LINE_AA, FINE)

    def dust(self, places: Floats, ink: RGB) -> None:
        """A speck for every place."""
        height, width = self.pixels.shape[:2]
        columns, rows = np.floor(self.at(places)).astype(int).T
        inside = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
        marked = np.zeros((height, width), np.uint8)
        marked[rows[inside], columns[inside]] = 1
        self.pixels[cv2.dilate(marked, np.ones((2, 2), np.uint8)) > 0] = ink

    def _fine(self, places: Floats) -> NDArray[np.int32]:
        return np.asarray(np.round(self.at(places) * 2**FINE), np.int32)


def top_view(ground: Ground, shown: Sequence[Moment], size: tuple[int, int]) -> Image.Image:
    """Ahead of the first camera is up; wedges are the views of the frames shown, under their letters."""
    drawn = Map(*extent(ground), size)
    for metre in range(int(np.floor(drawn.low[0])), int(np.ceil(drawn.high[0])) + 1):
        drawn.line(np.array([[metre, drawn.low[1]], [metre, drawn.high[1]]]), RULE, 1)
    for metre in range(int(np.floor(drawn.low[1])), int(np.ceil(drawn.high[1])) + 1):
        drawn.line(np.array([[drawn.low[0], metre], [drawn.high[0], metre]]), RULE, 1)
    drawn.dust(ground.things, THING)

    views = together(ground, shown)
    for frame, _ in views:
        drawn.fill(wedge(ground.cameras[frame], ground.hfov_deg), VIEW, 0.12)
    for frame, _ in views:
        drawn.line(wedge(ground.cameras[frame], ground.hfov_deg), VIEW, 1, closed=True)
    drawn.line(ground.cameras[:, :2, 3], INK, 2)
    known = ground.subject[~np.isnan(ground.subject).any(axis=1)]
    drawn.line(known, SUBJECT, 3)
    for frame, _ in views:
        drawn.dot(ground.cameras[frame, :2, 3], INK, 5)
    for moment in shown:
        if not np.isnan(place := ground.subject[moment.frame]).any():
            drawn.dot(place, SUBJECT, 5)

    image = picture(drawn.pixels)
    for (x, y), letters in letter_places(drawn, [(ground.cameras[frame], letters) for frame, letters in views]):
        write(image, (x, y), letters, ink=VIEW, anchor="mm", halo=True)
    if len(known):
        ((x, y),) = drawn.at(known[known[:, 0].argmax()])
        write(image, (x + 11, y), "subject", ink=SUBJECT, anchor="lm", halo=True)
    write(image, (size[0] - 6, size[1] - 5), "1 m squares", SMALL, QUIET, "rd", halo=True)
    return image


def extent(ground: Ground) -> tuple[Floats, Floats]:
    """Lower left and upper right corner of what is worth showing: the ways, the views, near things."""
    ways = np.concatenate([ground.cameras[:, :2, 3], ground.subject[~np.isnan(ground.subject).any(axis=1)]])
    middle = ways.mean(axis=0)
    near = ground.things[np.abs(ground.things - middle).max(axis=1) < MOST_M / 2]
    around = np.concatenate([ways - LEAST_M / 4, ways + LEAST_M / 4, near])
    return around.min(axis=0) - AROUND_M, around.max(axis=0) + AROUND_M


def together(ground: Ground, shown: Sequence[Moment]) -> list[tuple[int, str]]:
    """Frame and letters of each different view; frames with nearly the same view share it."""
    views: list[tuple[int, str]] = []
    for moment in shown:
        for number, (frame, letters) in enumerate(views):
            if alike(ground.cameras[frame], ground.cameras[moment.frame]):
                views[number] = frame, f"{letters} {moment.letter}"
                break
        else:
            views.append((moment.frame, moment.letter))
    return views


def alike(one: Floats, other: Floats) -> bool:
    turned = abs((heading_deg(one) - heading_deg(other) + 180) % 360 - 180)
    return bool(np.linalg.norm(one[:2, 3] - other[:2, 3]) < SAME_M and turned < SAME_DEG)


def heading_deg(camera: Floats) -> float:
    """Counter-clockwise from x, seen from above; a camera that looks straight up or down goes by its upper edge."""
    ahead = camera[:2, 2] if np.hypot(*camera[:2, 2]) > 0.05 else -camera[:2, 1]
    return float(np.rad2deg(np.arctan2(ahead[1], ahead[0])))


def wedge(camera: Floats, hfov_deg: float) -> Floats:
    """A view as a slice of cake."""
    angles = np.deg2rad(heading_deg(camera) + np.linspace(-hfov_deg / 2, hfov_deg / 2, 17))
    rim = camera[:2, 3] + REACH_M * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.concatenate([camera[None, :2, 3], rim])


def letter_places(drawn: Map, views: Sequence[tuple[Floats, str]]) -> list[tuple[tuple[float, float], str]]:
    """Column and row of each view's letters: before its rim, and farther out where others stand already."""
    places: list[tuple[tuple[float, float], str]] = []
    for camera, letters in views:
        angle = np.deg2rad(heading_deg(camera))
        ahead = np.array([np.cos(angle), np.sin(angle)])
        for away in range(len(views)):
            reach_m = REACH_M + (LETTERS_AWAY + away * LETTERS_APART) / drawn.scale
            ((x, y),) = drawn.at(camera[:2, 3] + reach_m * ahead)
            free = all(
                abs(x - other_x) > (wide(letters, SMALL) + wide(others, SMALL)) / 2 + 4 or abs(y - other_y) > SMALL
                for (other_x, other_y), others in places
            )
            if free:
                break
        places.append(((float(x), float(y)), letters))
    return places
