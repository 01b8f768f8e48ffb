"""Views that the clip shows twice: out and back, paired by where the camera looks and not by time.

A frame on the way out is paired with the later frame whose recovered view direction is nearest, at least two seconds
apart and with the view left in between, so that neither a held camera nor a slow one makes pairs. What is left between
the two directions is turned away before the pictures are compared.

Only what lies beyond the first view is compared: the model was given the rest, and the subject, whose process may have
gone on, lives there. Its grown box and the busiest tenth of the area, where it may have gone, do not count either.
Brightness is not fitted: both pictures are of one clip, so its exposure cancels, and a fit would lower the error most
where the two have nothing in common.
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.asked import asked_poses
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.visibility import longest_s
from lookaway.geometry.warp import homography
from lookaway.observers import Flags, Floats, Look, ObservedArrays, observer
from lookaway.observers.fidelity import PSNR_CAP_DB, ssim
from lookaway.observers.following import Follow, follow, turn_of_pair
from lookaway.outcomes import Abstain
from lookaway.records import Task
from lookaway.video import resize
from lookaway.video.resize import fitted_size

LONG_SIDE = 320
APART_S = 2.0
AWAY_DEG = 3.0  # nearer than this it is the first view, which the model was given
LEFT_DEG = 5.0  # how far the view must have gone elsewhere in between
NEAR_DEG = 5.0  # half a frame's step of a quick turn at 16 frames a second
ANGLE_STEP_DEG = 1.0  # views nearer than this to the last one paired are the same view
MOST_PAIRS = 8
TURN_DEG = 15.0  # a real turn
HUNG_HOME_DEG = 10.0  # from the first view: a path hung on where it was lost is pieced together, and drifts
SAME_PLACE_M = 0.05
BLUR = 1.0  # pixels at LONG_SIDE: what turning a picture costs in sharpness is then lost on both sides
GROWN = 1 / 3  # of the subject's box, on each side
RIM = 0.02  # of the first view, on each side
BUSIEST = 0.1  # of the pixels, left out
TEXTURE_GREY = 3.0  # local contrast, of 255

Image = NDArray[np.uint8]


class Likeness(NamedTuple):
    psnr: float
    ssim: float
    shared: float  # share of the frame that was compared
    told: float  # share of that, in the earlier picture, that has any texture to recognise


class Revisit(ObservedArrays):
    """Three columns have a row per frame, those from `seconds_out` to `told` one per pair."""

    seconds: Floats
    turned_deg: Floats  # from the first view
    placed: Flags
    seconds_out: Floats
    seconds_back: Floats
    angle_deg: Floats  # from the first view, on the way out
    residual_deg: Floats  # between the two views
    psnr: Floats
    ssim: Floats
    shared: Floats  # share of the frame that was compared
    told: Floats  # share of that which has any texture to recognise
    peak_deg: float  # furthest from the first view
    back_deg: float  # turned back from there
    direction: float  # cosine between the asked and the made turn
    lost_s: float  # longest time in which no frame could be placed


@observer(version=3, saw=Revisit, seconds_per_frame=0.004)
def revisit(look: Look) -> Revisit | Abstain:
    """Per pair: seconds out and back, angle from the first view, PSNR and SSIM; beside it how the camera turned."""
    found = follow(look)
    if isinstance(found, Abstain):
        return found
    rotations, trusted = _hung(found)
    seconds = look.frames.seconds
    pairs = some_pairs(pair_views(seconds, rotations, trusted))
    size = fitted_size(look.frames.rgb.shape[2], look.frames.rgb.shape[1], LONG_SIDE)
    residuals = [_residual(found, look, rotations, i, j) for i, j in pairs]
    likes = [alike(look, rotations[i], turn, size, i, j) for (i, j), turn in zip(pairs, residuals, strict=True)]
    angles = turn_deg(rotations)
    peak = int(np.where(trusted, angles, 0.0).argmax())
    out, back = pairs[:, 0], pairs[:, 1]
    return Revisit(
        seconds=seconds,
        turned_deg=angles,
        placed=trusted,
        seconds_out=seconds[out],
        seconds_back=seconds[back],
        angle_deg=angles[out],
        residual_deg=turn_deg(np.array(residuals).reshape(-1, 3, 3)),
        psnr=np.array([a.psnr for a in likes]),
        ssim=np.array([a.ssim for a in likes]),
        shared=np.array([a.shared for a in likes]),
        told=np.array([a.told for a in likes]),
        peak_deg=float(angles[peak]),
        back_deg=float(angles[peak] - angles[peak:][trusted[peak:]].min()),
        direction=_direction(look.task, seconds, rotations, trusted),
        lost_s=float(longest_s(seconds, ~trusted)),
    )


def some_pairs(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Evenly chosen where several rounds give more than it takes."""
    chosen = np.linspace(0, max(0, len(pairs) - 1), min(len(pairs), MOST_PAIRS)).round().astype(int)
    return np.asarray(pairs[chosen])


def _hung(found: Follow) -> tuple[Floats, Flags]:
    """A clip whose end looks like nothing before is followed by its own frames: a cut changes the room, not the camera.

    Believed only when the camera, hung on where it was lost, comes home by itself.
    """
    lost = int(np.flatnonzero(found.trusted)[-1]) + 1
    if len(found.trusted) - lost < 2:
        return found.rotations, found.trusted
    own = found.stretch[lost:] == found.stretch[lost]
    hung = found.rotations[lost - 1] @ found.own_rotations[lost:]
    if not own[-1] or turn_deg(hung[-1]) > HUNG_HOME_DEG:
        return found.rotations, found.trusted
    return np.concatenate([found.rotations[:lost], hung]), np.concatenate([found.trusted[:lost], own])


def pair_views(seconds: Floats, rotations: Floats, trusted: Flags, places: Floats | None = None) -> NDArray[np.int64]:
    """Frames (K, 2) that look the same way with the view left in between, each with the nearest such later frame.

    `places`, where known, must be the same too.
    """
    away = trusted & (turn_deg(rotations) >= AWAY_DEG)
    pairs: list[tuple[int, int]] = []
    for i in np.flatnonzero(away):
        if pairs and turn_deg(rotations[i], rotations[pairs[-1][0]]) < ANGLE_STEP_DEG:
            continue
        off = turn_deg(rotations, rotations[i])
        gone = np.maximum.accumulate(np.where(trusted & (seconds > seconds[i]), off, 0.0)) >= LEFT_DEG
        again = away & gone & (seconds >= seconds[i] + APART_S - 1e-6) & (off <= NEAR_DEG)
        if places is not None:
            again &= np.linalg.norm(places - places[i], axis=1) <= SAME_PLACE_M
        if again.any():
            pairs.append((int(i), int(np.where(again, off, np.inf).argmin())))
    return np.array(pairs, np.int64).reshape(-1, 2)


def asked_pairs(task: Task) -> int:
    """How many pairs of frames the asked camera gives: the same view from the same place."""
    seconds = np.arange(task.frames) / task.fps
    poses = asked_poses(task, seconds)
    return len(pair_views(seconds, poses[:, :3, :3], np.ones(len(seconds), bool), poses[:, :3, 3]))


def _direction(task: Task, seconds: Floats, rotations: Floats, trusted: Flags) -> float:
    """Cosine between the axes of the first real turn, asked and made; 0 when either never makes one, NaN unasked."""
    if not task.camera_asked:
        return float("nan")
    fine = np.linspace(0, task.seconds, 200)
    asked = asked_poses(task, fine)[:, :3, :3]
    axes = [_axis(asked, np.ones(len(fine), bool)), _axis(rotations, trusted)]
    return 0.0 if axes[0] is None or axes[1] is None else float(axes[0] @ axes[1])


def _axis(rotations: Floats, trusted: Flags) -> Floats | None:
    turned = np.flatnonzero(trusted & (turn_deg(rotations) >= TURN_DEG))
    if not len(turned):
        return None
    r = rotations[turned[0]]
    axis = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    return np.asarray(axis / max(1e-9, float(np.linalg.norm(axis))))


def _residual(found: Follow, look: Look, rotations: Floats, i: int, j: int) -> Floats:
    """What turns the later view onto the earlier: seen in the two themselves, or else as both were placed.

    Placing adds up small errors, and larger ones where the camera also moves.
    """
    placed = rotations[i].T @ rotations[j]
    seen = turn_of_pair(found, look.frames.rgb, j, i)
    return placed if seen is None or turn_deg(placed, seen.rotation) > NEAR_DEG else seen.rotation


def alike(look: Look, to_home: Floats, residual: Floats, size: tuple[int, int], i: int, j: int) -> Likeness:
    """The later picture, turned onto the earlier one, against it; `to_home` places the earlier."""
    width, height = size
    before, after = (_soft(look.frames.rgb[k], size) for k in (i, j))
    onto = homography(residual, size, look.task.hfov_deg)
    turned = cv2.warpPerspective(after, onto, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    inside = cv2.warpPerspective(np.ones((height, width), np.uint8), onto, size, flags=cv2.INTER_NEAREST)
    counted = cv2.erode(inside, np.ones((5, 5), np.uint8), borderValue=1).astype(bool)
    counted &= _beyond_home(homography(to_home, size, look.task.hfov_deg), size, look.task)
    if not counted.any():
        return Likeness(0.0, 0.0, 0.0, 0.0)
    same = np.where(counted[..., None], turned, before).astype(np.uint8)
    shared = float(counted.mean())
    similar = 1 - (1 - ssim(before, same)) / shared  # outside of what counts the two are equal
    return Likeness(_psnr(before[counted], turned[counted]), similar, shared, _texture(before, counted))


def _soft(rgb: Image, size: tuple[int, int]) -> Image:
    return np.asarray(cv2.GaussianBlur(resize(rgb, size), (0, 0), BLUR), np.uint8)


def _beyond_home(to_home: Floats, size: tuple[int, int], task: Task) -> Flags:
    """Pixels whose direction lies neither in the first view nor in the subject's grown box."""
    width, height = size
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    home = to_home @ np.stack([x.ravel(), y.ravel(), np.ones(x.size)])
    across, down = (home[:2] / np.where(home[2] > 0, home[2], np.nan) + 0.5) / [[width], [height]]
    given = _in_box(across, down, (0.0, 0.0, 1.0, 1.0), RIM)
    if task.subject is not None:
        given |= _in_box(across, down, task.subject.box, GROWN)
    return ~given.reshape(height, width)


def _psnr(a: Image, b: Image) -> float:
    """Over all but the busiest pixels; 99 when they are equal."""
    errors = ((a.astype(np.float32) - b) ** 2).mean(-1)
    kept = max(1, round(len(errors) * (1 - BUSIEST)))
    error = float(np.partition(errors, kept - 1)[:kept].mean())
    return PSNR_CAP_DB if error == 0 else min(PSNR_CAP_DB, float(10 * np.log10(255.0**2 / error)))


def _in_box(across: Floats, down: Floats, box: tuple[float, float, float, float], grown: float) -> Flags:
    left, top, right, bottom = box
    wider, higher = grown * (right - left), grown * (bottom - top)
    return np.asarray(
        (across >= left - wider) & (across <= right + wider) & (down >= top - higher) & (down <= bottom + higher)
    )


def _texture(rgb: Image, where: Flags) -> float:
    """Share of the area with local contrast."""
    grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY).astype(np.float32)
    mean = cv2.blur(grey, (9, 9))
    contrast = np.sqrt(np.maximum(cv2.blur(grey * grey, (9, 9)) - mean**2, 0))
    return float((contrast[where] >= TEXTURE_GREY).mean())
