"""Rendered clips of a camera that is known exactly, made to look generated: warps, noise, flicker, compression.

A camera turns out and most of the way back, tilts and rolls a little, and may shift as well. The true turn stays what
it was: warps wander about the first frame, which is given, and leave it alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway import suites
from lookaway.geometry.trajectory import pitch_matrix, roll_matrix, yaw_matrix
from lookaway.records import WorldSpec
from lookaway.suites.known_world import Shot
from lookaway.worlds import World

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

SIZE, FRAMES, FPS = (480, 272), 49, 16.0
DECLARED_DEG = 60.0
HALVES = {
    "tune": ("beach", "classroom", "kitchen", "parlour", "workshop"),
    "test": ("bedroom", "garden", "market", "street"),
}
SEEDS = {"tune": 7_000, "test": 9_000}
SHIFTS_CM = (0, 1, 3, 10, 20, 30)
WAYS = ("truck with the turn", "truck against it", "dolly", "crane", "orbit")
LENSES = (1.0, 1.0, 0.8, 1.0, 1.0, 1.2)  # of the declared field of view


class Level(NamedTuple):
    warp_px: float  # standard deviation, of SIZE
    noise_grey: float
    flicker: float  # of the brightness
    jpeg: int  # quality


LEVELS = {1: Level(0.8, 3, 0.03, 70), 2: Level(2.0, 5, 0.06, 50), 3: Level(4.0, 7, 0.10, 40)}  # 0: as rendered
WARP_FRAMES, FLICKER_FRAMES, NOISE_FRAMES = 10.0, 3.0, 4.0  # in which a disturbance forgets itself


@dataclass(frozen=True)
class Course:
    """One camera in one world, and how its clip is disturbed, twice."""

    number: int
    layout: str
    process: str
    seed: int
    yaw_deg: float
    back: float  # share of the yaw
    pitch_deg: float
    roll_deg: float
    shift_cm: int
    way: str
    hfov_deg: float
    levels: tuple[int, int]

    def facts(self) -> dict[str, object]:
        return asdict(self)


def courses(half: str, count: int) -> Iterator[Course]:
    """Shifts, lenses and levels dealt out evenly; the rest by chance."""
    worlds = [Shot.of(draft).world for draft in suites.find("diorama").drafts()]
    for number in range(count):
        chance = np.random.default_rng((SEEDS[half], number))
        layout = HALVES[half][number % len(HALVES[half])]
        processes = sorted({world.process for world in worlds if world.layout == layout})
        block = number // len(SHIFTS_CM)
        yield Course(
            number=number,
            layout=layout,
            process=str(chance.choice(processes)),
            seed=SEEDS[half] + number,
            yaw_deg=float(chance.uniform(15, 70) * chance.choice([-1, 1])),
            back=float(chance.uniform(0.6, 1.05)),
            pitch_deg=float(chance.uniform(-4, 4)),
            roll_deg=float(chance.uniform(-1, 1)),
            shift_cm=SHIFTS_CM[number % len(SHIFTS_CM)],
            way=WAYS[(number + block) % len(WAYS)],
            hfov_deg=DECLARED_DEG * LENSES[(number + block) % len(LENSES)],
            levels=((0, 2), (1, 3))[(number % len(SHIFTS_CM) // 3 + block) % 2],
        )


def poses(course: Course) -> Floats:
    """Camera-to-first-camera (FRAMES, 4, 4): out, a short rest, and back."""
    t = np.linspace(0, 1, FRAMES)
    out, home = _eased(t / 0.45), _eased((t - 0.55) / 0.45)
    made = np.tile(np.eye(4), (FRAMES, 1, 1))
    for k in range(FRAMES):
        gone, swing = out[k] - course.back * home[k], np.sin(np.pi * t[k])
        turn = yaw_matrix(course.yaw_deg * gone) @ pitch_matrix(course.pitch_deg * swing)
        made[k, :3, :3] = turn @ roll_matrix(course.roll_deg * swing)
        made[k, :3, 3] = course.shift_cm / 100 * _place(course.way, gone, float(np.sign(course.yaw_deg)))
    return made


def filmed(course: Course) -> Image:
    """The undisturbed clip."""
    return filmed_along(course, poses(course))[0]


def filmed_along(course: Course, path: Floats) -> tuple[Image, NDArray[np.bool_]]:
    """A course's world from poses in its first camera's axes, and which pixels show the subject."""
    spec = WorldSpec(layout=course.layout, process=course.process, seed=course.seed)
    world = World(spec, SIZE, hfov_deg=course.hfov_deg)
    level = np.eye(4)
    level[:3, :3] = pitch_matrix(world.pitch_deg)
    # turns are about the vertical of the room, as a person's head turns; the first camera may look down a little
    views = [world.render(pose, k / FPS) for k, pose in enumerate(world.home @ np.linalg.inv(level) @ path @ level)]
    return np.stack([view.rgb for view in views]), np.stack([world.subject_mask(view.instances) for view in views])


def true_rotations(course: Course) -> Floats:
    """As `filmed` turns, in the axes of the first camera."""
    spec = WorldSpec(layout=course.layout, process=course.process, seed=course.seed)
    level = pitch_matrix(World(spec, SIZE).pitch_deg)
    return np.asarray(level.T @ poses(course)[:, :3, :3] @ level)


def disturbed(frames: Image, level: int, seed: int) -> Image:
    """The clip with all disturbances of a level but in its first frame, which is only coded."""
    if level == 0:
        return frames
    strength, chance = LEVELS[level], np.random.default_rng((seed, level))
    count, height, width, _ = frames.shape
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
    warps = zip(*(_warp(chance, frames.shape, strength.warp_px) for _ in range(2)), strict=True)
    gains = _wandering(chance, (height, width), 6, FLICKER_FRAMES)
    bands = _wandering(chance, (height, width), width // 4, NOISE_FRAMES)
    made = np.empty_like(frames)
    for k, (dx, dy) in enumerate(warps):
        bent = cv2.remap(frames[k], columns + dx, rows + dy, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
        picture, gain, band = bent.astype(np.float32), next(gains), next(bands)
        if k:
            picture = picture * (1 + strength.flicker * gain)[..., None] + strength.noise_grey * band[..., None]
            picture += chance.normal(0, 0.4 * strength.noise_grey, picture.shape)
        coded = cv2.imencode(".jpg", _bytes(picture), [cv2.IMWRITE_JPEG_QUALITY, strength.jpeg])[1]
        made[k] = cv2.imdecode(coded, cv2.IMREAD_COLOR)
    assert count == k + 1
    return made


def _bytes(picture: NDArray[np.float32]) -> Image:
    return np.asarray(np.clip(picture, 0, 255), np.uint8)


def _warp(chance: np.random.Generator, shape: tuple[int, ...], size_px: float) -> Iterator[NDArray[np.float32]]:
    """One coordinate of a smooth warp per frame, counted from the first frame's."""
    coarse, fine = (_wandering(chance, shape[1:3], across, WARP_FRAMES) for across in (4, 8))
    first: NDArray[np.float32] | None = None
    for _ in range(shape[0]):
        bend = size_px * (next(coarse) + 0.7 * next(fine))
        first = bend if first is None else first
        yield bend - first


def _wandering(
    chance: np.random.Generator, size: tuple[int, ...], across: int, memory: float
) -> Iterator[NDArray[np.float32]]:
    """Smooth random fields (height, width) without end, `across` bumps wide, each much like the one before."""
    height, width = size
    bumps = chance.normal(size=(max(2, round(across * height / width)), across))
    kept = float(np.exp(-1 / memory))
    while True:
        yield np.asarray(cv2.resize(bumps.astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC))
        bumps = kept * bumps + np.sqrt(1 - kept**2) * chance.normal(size=bumps.shape)


def _eased(t: Floats) -> Floats:
    return np.asarray((1 - np.cos(np.pi * np.clip(t, 0, 1))) / 2)


def _place(way: str, gone: float, side: float) -> Floats:
    """Where the camera is in units of the shift: right, down, ahead."""
    match way:
        case "truck with the turn":
            return np.array([side * gone, 0, 0])
        case "truck against it":
            return np.array([-side * gone, 0, 0])
        case "dolly":
            return np.array([0, 0, gone])
        case "crane":
            return np.array([0, -gone, 0])
    return np.array([-side * np.sin(gone * np.pi / 2), 0, 1 - np.cos(gone * np.pi / 2)])  # about a thing ahead
