"""Clips of a subject in a far-away world: exact turns of a camera, and a disc that does what a test wants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np

from lookaway.geometry.trajectory import pinhole, yaw_matrix
from lookaway.observers import Look
from lookaway.records import Subject, Task
from lookaway.video import SharedFrames, VideoInfo
from tests.builders import task

SIZE, FPS, HFOV_DEG = (320, 180), 16.0, 60.0
PER_DEG = 8  # pixels of the world's picture
RADIUS_DEG = 4.0
RED, BLUE = (205, 45, 40), (40, 70, 210)
PLACE = (-8.0, 0.0)  # degrees to the right and down

Disc = tuple[float, float, tuple[int, int, int]]  # degrees to the right and down, and its colour


def room() -> np.ndarray:
    """All around, in greys and greens: blots of all sizes, so that every view has features."""
    rng = np.random.default_rng(3)
    picture = np.full((60 * PER_DEG, 360 * PER_DEG, 3), 120, np.uint8)
    for _ in range(2500):
        at = rng.integers(0, (picture.shape[1], picture.shape[0]))
        grey, green = rng.integers(60, 190), rng.integers(0, 25)
        colour = (int(grey - green), int(grey), int(grey - green))
        cv2.circle(picture, tuple(map(int, at)), int(rng.integers(3, 24)), colour, -1)
    return picture


ROOM = room()


def filmed(yaws_deg: Sequence[float], discs: Callable[[int], list[Disc]]) -> np.ndarray:
    """A frame per turn; the discs are in the world, and lie in the direction that they are given."""
    focal = pinhole(*SIZE, HFOV_DEG)[0, 0]
    x, y = np.meshgrid(np.arange(SIZE[0]) + 0.5 - SIZE[0] / 2, np.arange(SIZE[1]) + 0.5 - SIZE[1] / 2)
    rays = np.stack([x, y, np.full_like(x, focal)], axis=-1)
    frames = []
    for i, yaw in enumerate(yaws_deg):
        across, down, ahead = np.moveaxis(rays @ yaw_matrix(yaw).T, -1, 0)
        azimuth = np.rad2deg(np.arctan2(across, ahead))
        below = np.rad2deg(np.arctan2(down, np.hypot(across, ahead)))
        at = ((azimuth + 180) * PER_DEG).astype(np.float32), ((below + 30) * PER_DEG).astype(np.float32)
        frame = cv2.remap(ROOM, *at, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
        for right, low, colour in discs(i):
            frame[np.hypot(azimuth - right, below - low) < RADIUS_DEG] = colour
            stripe = (np.hypot(azimuth - right, below - low) < RADIUS_DEG) & (np.abs(below - low) < 0.8)
            frame[stripe] = np.array(colour) // 2 + 100
        frames.append(frame)
    noise = np.random.default_rng(0).normal(0, 2, (len(frames), *frames[0].shape))
    return np.clip(np.stack(frames) + noise, 0, 255).astype(np.uint8)


def away_and_back(peak_deg: float = 50.0) -> list[float]:
    """Half a second still, a second out, one away, one back, half a second still."""
    out = np.linspace(0, peak_deg, 16)
    return [*np.zeros(8), *out, *np.full(14, peak_deg), *out[::-1], *np.zeros(10)]


def box_of(right: float, low: float) -> tuple[float, float, float, float]:
    """Around a disc in the first frame, a little larger than it."""
    focal = pinhole(*SIZE, HFOV_DEG)[0, 0]
    x, y = SIZE[0] / 2 + focal * np.tan(np.deg2rad(right)), SIZE[1] / 2 + focal * np.tan(np.deg2rad(low))
    reach = 1.1 * focal * np.tan(np.deg2rad(RADIUS_DEG))
    return (x - reach) / SIZE[0], (y - reach) / SIZE[1], (x + reach) / SIZE[0], (y + reach) / SIZE[1]


def look_at(frames: np.ndarray, **changes: object) -> Look:
    """What an observer gets; the subject is the disc at PLACE."""
    subject = Subject(name="a red disc", box=box_of(*PLACE), side="left")
    asked: Task = task(**({"subjects": (subject,), "seconds": (len(frames) - 1) / FPS} | changes))
    info = VideoInfo(Path("made.mp4"), *SIZE, len(frames), FPS, len(frames) / FPS, False, "none")
    return Look(SharedFrames(info, np.arange(len(frames)) / FPS, frames), asked, frames[0], None)
