"""Pictures of a clip with its subject painted out, moved or in another colour. What is behind it, other frames show.

The plate is the clip itself: frames turned by the camera's own turns, without the subject. What no frame shows is
filled in from around.
"""

from __future__ import annotations

from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.calibration.own_clips.seen_clip import NEAR_FRAMES, Image, SeenClip
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.warp import homography
from lookaway.observers import Floats, Indices
from lookaway.observers.tracking.pictures import Mask, grown, touches_border
from lookaway.observers.tracking.plate import EVERY, FREE
from lookaway.worlds.reference.looks import recoloured

AROUND = 13  # pixels of the mask: its outline is not exact, and its edges are smoothed
NEARBY = 0.6  # of the lens: views further apart share too little
MOST_FRAMES = 12  # of the plate, for one picture
MOST_TONE = 25.0  # grey levels by which a plate may be lighter or darker
SAME_PLACE = 25.0  # grey levels around the hole, in the mean: beyond, a cover or something else is there
FILL_PX = 4
TRIED = 5  # frames, to see how much is never seen
FEATHER = 0.004  # of the picture's width
HUE = 0.5  # of the way round to the opposite hue, as the known world's middle rung
COLOURFUL = 15.0  # of CIELAB, from grey: a subject with less has no hue to turn
TINT, DARKEST = 50.0, 60.0  # of CIELAB, and of 255: what a colourless subject gets

Alpha = NDArray[np.float32]


class Painter:
    """Changes of one clip's subject, picture by picture."""

    def __init__(self, clip: SeenClip) -> None:
        self.clip = clip
        self.seen = np.flatnonzero(clip.masks.any((1, 2)))

    # ------------------------------------------------------------ where it is

    def mask(self, i: int) -> Mask:
        """The subject's mask; where it comes into the picture unnoticed, the nearest one, turned with the camera."""
        own = np.asarray(self.clip.masks[i])
        if own.any() or not len(self.seen):
            return own
        near = int(self.seen[np.abs(self.seen - i).argmin()])
        enters = abs(near - i) <= NEAR_FRAMES and touches_border(self.clip.masks[near])
        return self._mask_from(near, i) if enters else own

    def _mask_from(self, there: int, here: int) -> Mask:
        rows, columns = self.clip.masks.shape[1:]
        turn = self._turn(there, here, (columns, rows))
        return np.asarray(cv2.warpPerspective(self.clip.masks[there].astype(np.uint8), turn, (columns, rows)) > 0)

    def _turn(self, there: int, here: int, size: tuple[int, int]) -> Floats:
        between = self.clip.rotations[here].T @ self.clip.rotations[there]
        return homography(between, size, self.clip.hfov_deg)

    def _large(self, mask: Mask) -> Alpha:
        return np.asarray(cv2.resize(mask.astype(np.float32), self.clip.size, interpolation=cv2.INTER_LINEAR))

    # ------------------------------------------------------------ what is behind it

    @cached_property
    def plate(self) -> Indices:
        """Frames whose camera is placed; one of a few is enough."""
        return np.flatnonzero(self.clip.trusted)[::EVERY]

    def near(self, i: int) -> Indices:
        """Frames of the plate that look where this one does, the nearest first."""
        apart = turn_deg(self.clip.rotations[self.plate], self.clip.rotations[i])
        order = np.argsort(apart, kind="stable")
        return self.plate[order[apart[order] <= NEARBY * self.clip.hfov_deg]]

    def gone(self, i: int) -> Image:
        """The picture without its subject."""
        behind, hole, left = self._behind(i)
        if left.any():
            behind = np.asarray(cv2.inpaint(behind, left.astype(np.uint8), FILL_PX, cv2.INPAINT_TELEA), np.uint8)
        return self._mixed(self.clip.rgb[i], behind, hole.astype(np.float32)) if hole.any() else behind

    def made_up_share(self) -> float:
        """Of the picture, what no frame shows of what is behind the subject: the most over some returned frames."""
        after = self.seen[self.seen >= self.clip.looks_away.end]
        some = after[np.linspace(0, len(after) - 1, min(len(after), TRIED)).astype(int)]
        return max((float(self._behind(int(i))[2].mean()) for i in some), default=0.0)

    def _behind(self, i: int) -> tuple[Image, Mask, Mask]:
        """The picture with what the plate shows behind the subject; the hole; and what is left of it."""
        mask = self.mask(i)
        hole = np.asarray(self._large(grown(mask, AROUND)) > 0)
        behind, left = np.asarray(self.clip.rgb[i]).copy(), hole.copy()
        for k in self.near(i)[:MOST_FRAMES]:
            if not left.any():
                break
            left = self._filled(behind, left, hole, int(k), i)
        return behind, hole, left

    def _filled(self, behind: Image, left: Mask, hole: Mask, there: int, here: int) -> Mask:
        """Paints what a frame of the plate shows of the hole; returns what is left of it."""
        free = 255 * (~(self._large(grown(self.mask(there), AROUND)) > 0)).astype(np.uint8)
        turn = self._turn(there, here, self.clip.size)
        shows = np.asarray(cv2.warpPerspective(free, turn, self.clip.size) > FREE)
        if not (shows & left).any():
            return left
        picture = np.asarray(cv2.warpPerspective(self.clip.rgb[there], turn, self.clip.size), np.float32)
        ring = grown(hole, AROUND) & ~hole & shows
        if not ring.any():
            return left
        apart = self.clip.rgb[here][ring].astype(np.float32) - picture[ring]
        tone = np.clip(np.median(apart, axis=0), -MOST_TONE, MOST_TONE)
        if np.abs(apart - tone).mean() > SAME_PLACE:
            return left
        use = shows & left
        behind[use] = np.clip(picture[use] + tone, 0, 255).astype(np.uint8)
        return left & ~use

    def _mixed(self, picture: Image, other: Image, alpha: Alpha) -> Image:
        soft = cv2.GaussianBlur(alpha, (0, 0), max(0.7, FEATHER * self.clip.size[0]))[..., None]
        return np.asarray(np.round((1 - soft) * picture + soft * other), np.uint8)

    # ------------------------------------------------------------ otherwise

    def moved(self, i: int, across_px: int) -> Image:
        """The picture with its subject so many pixels to the right."""
        behind = self.gone(i)
        if not self.mask(i).any():
            return behind
        whole = self._whole(i)
        turn = self._turn(whole, i, self.clip.size)
        turn = np.array([[1, 0, across_px], [0, 1, 0], [0, 0, 1.0]]) @ turn
        alpha = np.asarray(cv2.warpPerspective(self._large(self.clip.masks[whole]), turn, self.clip.size), np.float32)
        subject = np.asarray(cv2.warpPerspective(self.clip.rgb[whole], turn, self.clip.size), np.uint8)
        return self._mixed(behind, subject, alpha)

    def _whole(self, i: int) -> int:
        """The nearest frame that shows the subject whole, after the look-away if this one is."""
        turn = self.clip.looks_away.turn
        seen = self.seen[(self.seen >= turn) == (i >= turn)]
        whole = [k for k in seen if not touches_border(self.clip.masks[k])]
        choice = np.array(whole if whole else seen)
        return int(choice[np.abs(choice - i).argmin()])

    def coloured(self, i: int) -> Image:
        """The picture with its subject in another colour."""
        mask = self.mask(i)
        if not mask.any():
            return np.asarray(self.clip.rgb[i])
        picture = np.asarray(self.clip.rgb[i])
        other = recoloured(picture, HUE, grey=False) if self.tint is None else tinted(picture, self.tint)
        return self._mixed(picture, other, self._large(grown(mask, 3)))

    @cached_property
    def tint(self) -> Floats | None:
        """For a subject without a hue that could be turned: the colour that is least its own, as a* and b*."""
        first = int(self.seen[0])
        own = self.clip.rgb[first][self._large(self.clip.masks[first]) > 0].reshape(1, -1, 3)
        a, b = np.median(cv2.cvtColor(own, cv2.COLOR_RGB2LAB)[0, :, 1:].astype(float), axis=0) - 128
        if (chroma := float(np.hypot(a, b))) >= COLOURFUL:
            return None
        return -TINT * np.array([a, b]) / chroma if chroma > 1 else np.array([0.0, -TINT])

    def room_aside(self, share: float) -> int:
        """Pixels by which the subject can be moved aside and stay in the picture whole, right positive; 0: nowhere."""
        after = [k for k in self.seen if k >= self.clip.looks_away.end and not touches_border(self.clip.masks[k])]
        if not after:
            return 0
        columns = self.clip.masks.shape[2]
        spans = np.array([np.flatnonzero(self.clip.masks[k].any(0))[[0, -1]] for k in after])
        left, right = np.quantile(spans[:, 0], 0.1), columns - 1 - np.quantile(spans[:, 1], 0.9)
        if max(left, right) < share * columns:
            return 0
        return round((1 if right >= left else -1) * share * self.clip.size[0])


def tinted(picture: Image, tint: Floats) -> Image:
    """The picture lighter and in one more colour: what is black would show none."""
    lab = cv2.cvtColor(picture, cv2.COLOR_RGB2LAB).astype(np.float32)
    lab[..., 0] = DARKEST + (1 - DARKEST / 255) * lab[..., 0]
    lab[..., 1:] += tint
    return np.asarray(cv2.cvtColor(np.clip(np.round(lab), 0, 255).astype(np.uint8), cv2.COLOR_LAB2RGB), np.uint8)
