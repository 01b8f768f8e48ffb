"""Where is the subject in each frame, when nobody knows the truth? From the video and its box in the first frame.

Its colours, told from those of all else in the clip, are carried from frame to frame by optical flow; what places
looked like without it, and where the camera looked, tell it from its surroundings. No weights. See docs/subject.md.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TypeVar
from weakref import WeakKeyDictionary

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.framing import WHOLE
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.sight import share_in_view
from lookaway.geometry.trajectory import Trajectory
from lookaway.geometry.visibility import MIN_HIDDEN_S
from lookaway.observers import Flags, Floats, Indices, Look, ObservedArrays, observer
from lookaway.observers.following import follow as follow_camera
from lookaway.observers.tracking.colours import ColourOdds, alike, colour_precision, colours
from lookaway.observers.tracking.examining import due_frames, examined
from lookaway.observers.tracking.first_mask import first_mask
from lookaway.observers.tracking.following import Followed, MaskTrack, follow
from lookaway.observers.tracking.pictures import Mask, Pictures, touches_border
from lookaway.outcomes import Abstain
from lookaway.records import Box
from lookaway.video import SharedFrames

NO_BOX = "no subject was named: give its box"
LEAST_RUN = 3  # frames: shorter sights and gaps are flicker
LEAST_PX = 6
THUMBNAIL = 24  # pixels on each side
HOME_POINTS = 60

Thumbnails = NDArray[np.uint8]


class SubjectTrack(ObservedArrays):
    """The subject, one row per frame; what is said of its look is 0 where it is hidden."""

    seconds: Floats
    visible: Flags
    sureness: Floats  # that this is the subject, 0 to 1
    masks: NDArray[np.uint8]  # eight pixels of a row in each number; see `unpacked`
    mask_width: int  # pixels
    share: Floats  # its area over that in the first frame
    azimuth_deg: Floats  # of its middle, in the first camera's axes, right is positive; where hidden, of its last sight
    elevation_deg: Floats  # the same, up is positive
    touches_border: Flags
    likeness: Floats  # of its colours to those in the first frame; 1 the same
    colour: Floats  # (N, 3) median CIE L*, a*, b*
    upright: Floats  # log of its height over its width, by spread; 0 as high as wide
    thumbnails: Thumbnails  # (N, THUMBNAIL, THUMBNAIL, 3) its bounding box, RGB, its median colour around it
    home_in_view: Floats  # share of its first place, by the camera's turn
    turned_deg: Floats  # of the camera, from the first frame
    trusted: Flags  # could the camera be placed?
    examined: Indices  # (E,) frames after look-aways; the arrays below have a row for each
    another_share: Floats  # area of a second thing that looks like it, in first areas; 0 none
    another_likeness: Floats
    new_share: Floats  # area of the largest new thing where it is due and is not seen, in first areas
    precision: float  # of its colours in the first frame: 1 nothing else has them, or it was not followed by colours;
    # 0 they do not stand out

    def unpacked(self, frames: Indices) -> Flags:
        """The masks (K, height, width) of these frames."""
        return np.unpackbits(self.masks[frames], axis=-1, count=self.mask_width).astype(bool)


T = TypeVar("T", bound=SubjectTrack)


@observer(version=3, saw=SubjectTrack, seconds_per_frame=0.035)
def subject_track(look: Look) -> SubjectTrack | Abstain:
    """Per frame, from the box in the first one: is the subject seen, where, how surely, and what it looks like."""
    asked = (look.task.hfov_deg, len(look.frames), look.first_frame.tobytes(), str(look.task.subject))
    if look.frames not in _KNOWN or _KNOWN[look.frames][0] != asked:
        _KNOWN[look.frames] = asked, _tracked(look)
    return _KNOWN[look.frames][1]


Asked = tuple[float, int, bytes, str]
# As long as the frames are kept, so that observers that look at the subject share the work.
_KNOWN: WeakKeyDictionary[SharedFrames, tuple[Asked, SubjectTrack | Abstain]] = WeakKeyDictionary()


def _tracked(look: Look) -> SubjectTrack | Abstain:
    begun = subject_pictures(look)
    if isinstance(begun, Abstain):
        return begun
    pictures, box = begun
    first = first_mask(look.frames.rgb[0], box, pictures.size)
    if first.sum() < LEAST_PX:
        return Abstain(f"the subject is too small to follow: {first.sum()} pixels of a picture {pictures.size[0]} wide")
    return described(pictures, follow(pictures, first), SubjectTrack)


def subject_pictures(look: Look) -> tuple[Pictures, Box] | Abstain:
    """The frames, with where the camera looked, and the box in the first one: what whoever follows starts from."""
    subject = look.task.subject
    if subject is None or subject.box == WHOLE:
        return Abstain(NO_BOX)
    turned = follow_camera(look)
    if isinstance(turned, Abstain):
        return turned
    rgb, seconds = look.frames.rgb, look.frames.seconds
    return Pictures(rgb, seconds, turned.rotations, turned.trusted, look.task.hfov_deg), subject.box


def described(pictures: Pictures, followed: Followed, kind: type[T], precision: float | None = None) -> T:
    """All that is read of a track, whoever followed it; `precision` of one that does not go by colours."""
    track, first = followed.track, followed.track.masks[0]
    visible = settle(track)
    home, hidden = home_in_view(pictures, first), hidden_runs(visible, pictures.fps)
    first_hidden = hidden[0][0] if hidden else len(visible)
    frames = due_frames(hidden, visible, home, pictures.trusted)
    beside = examined(followed, frames, visible, first_hidden)
    places, looks = (
        _places(pictures, track, visible),
        [_look(pictures, track, i, followed.odds) for i in range(len(pictures))],
    )
    if precision is None:
        precision = colour_precision(followed.odds, pictures.bins(0), first)
    return kind(
        seconds=pictures.seconds,
        visible=visible,
        sureness=track.sureness,
        masks=np.packbits(track.masks, axis=-1),
        mask_width=pictures.size[0],
        share=track.masks.sum((1, 2)) / first.sum(),
        azimuth_deg=places[:, 0],
        elevation_deg=places[:, 1],
        touches_border=np.array([touches_border(mask) for mask in track.masks]),
        likeness=np.array([likeness for likeness, *_ in looks]),
        colour=np.array([colour for _, colour, *_ in looks]),
        upright=np.array([upright for *_, upright, _ in looks]),
        thumbnails=np.stack([thumbnail for *_, thumbnail in looks]),
        home_in_view=home,
        turned_deg=turn_deg(pictures.rotations),
        trusted=pictures.trusted,
        examined=beside.frames,
        another_share=beside.another_share,
        another_likeness=beside.another_likeness,
        new_share=beside.new_share,
        precision=precision,
    )


def steady(flags: Flags, least: int) -> Flags:
    """Without gaps, and then without runs, shorter than so many frames; the first run counts whatever its length.

    >>> steady(np.array([1, 1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0], bool), 3).astype(int).tolist()
    [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    """
    flags = flags.copy()
    for value in (False, True):
        edges = [0, *(np.flatnonzero(np.diff(flags)) + 1).tolist(), len(flags)]
        for start, end in pairwise(edges):
            if start > 0 and flags[start] == value and end - start < least and end < len(flags) + value:
                flags[start:end] = not value
    return flags


def settle(track: MaskTrack) -> Flags:
    """When it is visible, without flicker; the track's masks are made to agree."""
    seen = track.seen & (track.masks.sum((1, 2)) >= LEAST_PX)
    visible = steady(seen, LEAST_RUN)
    for i in np.flatnonzero(visible & ~seen):
        track.masks[i], track.sureness[i] = track.masks[i - 1], track.sureness[i - 1]
    track.masks[~visible], track.sureness[~visible] = False, 0.0
    return visible


def hidden_runs(visible: Flags, fps: float) -> list[tuple[int, int]]:
    """Frames from and up to which it is hidden, for MIN_HIDDEN_S or longer."""
    edges = [0, *(np.flatnonzero(np.diff(visible)) + 1).tolist(), len(visible)]
    runs = [(start, end) for start, end in pairwise(edges) if not visible[start]]
    return [(start, end) for start, end in runs if (end - start) / fps >= MIN_HIDDEN_S]


def home_in_view(pictures: Pictures, first: Mask) -> Floats:
    """Per frame: the share of the first mask's directions that lies in the picture."""
    rows, columns = np.nonzero(first)
    pick = np.linspace(0, len(rows) - 1, min(HOME_POINTS, len(rows))).astype(int)
    pixels = np.stack([columns[pick] + 0.5, rows[pick] + 0.5, np.ones(len(pick))], axis=1)
    directions = np.column_stack([pixels @ np.linalg.inv(pictures.lens).T, np.zeros(len(pick))])
    poses = np.tile(np.eye(4), (len(pictures), 1, 1))
    poses[:, :3, :3] = pictures.rotations
    path = Trajectory(poses, np.tile(pictures.lens, (len(poses), 1, 1)), pictures.seconds)
    return share_in_view(directions, path, pictures.size)


def _places(pictures: Pictures, track: MaskTrack, visible: Flags) -> Floats:
    """Azimuth and elevation per frame, kept while it is hidden."""
    places = np.zeros((len(pictures), 2))
    for i in range(len(pictures)):
        if visible[i]:
            x, y, z = pictures.direction(track.masks[i], i)
            places[i] = np.rad2deg([np.arctan2(x, z), np.arctan2(-y, np.hypot(x, z))])
        elif i:
            places[i] = places[i - 1]
    return places


def _look(pictures: Pictures, track: MaskTrack, i: int, odds: ColourOdds) -> tuple[float, Floats, float, Thumbnails]:
    """Likeness, median colour, uprightness and thumbnail in a frame; nothing of one that is hidden."""
    mask = track.masks[i]
    if not mask.any():
        return 0.0, np.zeros(3), 0.0, np.zeros((THUMBNAIL, THUMBNAIL, 3), np.uint8)
    rows, columns = np.nonzero(mask)
    lab = np.median(pictures.lab(i)[mask].astype(float), axis=0)
    alone = np.where(mask[..., None], pictures.small(i), np.median(pictures.small(i)[mask], axis=0).astype(np.uint8))
    box = alone[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    thumbnail = cv2.resize(box, (THUMBNAIL, THUMBNAIL), interpolation=cv2.INTER_AREA)
    return (
        alike(colours(pictures.bins(i), mask), odds.own),
        lab * [100 / 255, 1, 1] - [0, 128, 128],
        float(0.5 * np.log((rows.var() + 0.3) / (columns.var() + 0.3))),
        np.asarray(thumbnail, np.uint8),
    )
