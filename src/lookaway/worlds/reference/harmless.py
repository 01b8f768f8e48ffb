"""Harmless variations of the truth: what must not alarm any metric."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np
from scipy.spatial.transform import Rotation

from lookaway.geometry.cover import parse_cover
from lookaway.geometry.script import parse, poses_at
from lookaway.records import Task
from lookaway.worlds.arrays import Bytes, FloatArray
from lookaway.worlds.parts import SHELL
from lookaway.worlds.reference import ClipShape, variation
from lookaway.worlds.reference.conditions import camera_moves, happens, opengl_is_here, way_out_is_free
from lookaway.worlds.reference.story import Paint, PaintableFrame, Setting, Story
from lookaway.worlds.world import Staging

BLUR_PX, NOISE = 0.8, 4.0
EXPOSURE, CAST = 0.15, 0.06
OFFSET_DEG, WOBBLE_DEG, WOBBLE_S, RAMP_S, STEP_DEG = 1.5, 0.4, 1.6, 0.5, 0.25
SHIFT_FRAMES = 2
RATE, CAMERA_RATE = 0.2, 0.15
LAMP_SHIFT_M, LAMP_GAIN, TINT = 0.25, 0.92, 0.06
AT_HOME = 1e-6


def always(story: Story) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.ones(len(story.seconds), bool)


def display(picture: FloatArray) -> Bytes:
    return np.clip(np.round(picture), 0, 255).astype(np.uint8)


def moves_or_covers(task: Task) -> str:
    return "" if task.cover or not camera_moves(task) else "neither camera nor cover moves"


# ---------------------------------------------------------------- the picture


@variation("compressed")
def compressed(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth, compressed as on the web (crf 30)."""
    return replace(story, crf=30)


@variation("blurred")
def blurred(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth, a little out of focus."""
    return story.with_paint(always(story), blur(BLUR_PX))


@variation("noisy")
def noisy(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth with the noise of a sensor."""
    return story.with_paint(always(story), noise(NOISE, int(rng.integers(1 << 31))))


@variation("brighter")
def brighter(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth, exposed 15 % brighter."""
    return story.with_paint(always(story), gains((1 + EXPOSURE,) * 3))


@variation("darker")
def darker(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth, exposed 15 % darker."""
    return story.with_paint(always(story), gains((1 - EXPOSURE,) * 3))


@variation("colour-cast")
def colour_cast(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth in warmer or colder light."""
    warm = CAST if rng.random() < 0.5 else -CAST
    return story.with_paint(always(story), gains((1 + warm, 1.0, 1 - warm)))


def blur(sigma_px: float) -> Paint:
    """Sigma in pixels of a picture 320 pixels wide."""

    def paint(shown: PaintableFrame) -> Bytes:
        return np.asarray(cv2.GaussianBlur(shown.rgb, (0, 0), sigma_px * shown.rgb.shape[1] / 320), np.uint8)

    return paint


def noise(sigma: float, seed: int) -> Paint:
    """Sigma in display values up to 255."""

    def paint(shown: PaintableFrame) -> Bytes:
        grain = np.random.default_rng([seed, shown.index]).normal(0, sigma, shown.rgb.shape)
        return display(shown.rgb + grain)

    return paint


def gains(factors: tuple[float, float, float]) -> Paint:
    def paint(shown: PaintableFrame) -> Bytes:
        return display(shown.rgb * np.array(factors))

    return paint


# ---------------------------------------------------------------- size and rate


@variation("other-size", shape=ClipShape(480, 270))
def other_size(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth, scaled to 480 x 270."""
    return story


@variation("small-size", shape=ClipShape(256, 144))
def small_size(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth, scaled to 256 x 144."""
    return story


@variation("fewer-frames", shape=ClipShape(fps=12.0))
def fewer_frames(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth at 12 frames per second."""
    return story


@variation("more-frames", shape=ClipShape(fps=24.0))
def more_frames(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth at 24 frames per second."""
    return story


# ---------------------------------------------------------------- the camera


@variation("jitter")
def jitter(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth from a hand-held camera, off by one or two degrees."""
    way = rng.uniform(0, 2 * np.pi)
    phases = rng.uniform(0, 2 * np.pi, 2)
    ramp = np.clip(story.seconds / RAMP_S, 0, 1)
    offset = OFFSET_DEG * np.array([np.cos(way), np.sin(way)])
    swing = np.sin(2 * np.pi * story.seconds[:, None] / WOBBLE_S * np.array([1.0, 0.7]) + phases)
    off_deg = ramp[:, None] * (offset + WOBBLE_DEG * swing)
    off_deg = np.round(off_deg / STEP_DEG) * STEP_DEG  # few different poses, so that still views are kept
    turns = np.tile(np.eye(4), (len(off_deg), 1, 1))
    turns[:, :3, :3] = Rotation.from_euler("yx", off_deg, degrees=True).as_matrix()
    return story.with_poses(story.poses @ turns)


@variation("early", where=(moves_or_covers, way_out_is_free))
def early(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth, the look-away two frames early."""
    return story.with_camera_time(story.seconds + np.minimum(story.seconds, SHIFT_FRAMES / story.task.fps))


@variation("late", where=(moves_or_covers, way_out_is_free))
def late(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth, the look-away two frames late."""
    return story.with_camera_time(story.seconds - SHIFT_FRAMES / story.task.fps)


@variation("quick-camera", where=(moves_or_covers, way_out_is_free))
def quick_camera(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth, moves of camera or cover 15 % shorter and the wait between them longer."""
    return story.with_camera_time(retimed(story, 1 - CAMERA_RATE))


@variation("slow-camera", where=(moves_or_covers, way_out_is_free))
def slow_camera(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth, moves of camera or cover 15 % longer and the wait between them shorter."""
    return story.with_camera_time(retimed(story, 1 + CAMERA_RATE))


def retimed(story: Story, factor: float) -> FloatArray:
    """Camera seconds at each frame: the first and last move of each look last so much longer, the rest makes room."""
    told, asked = [0.0], [0.0]
    for start, first_end, last_start, end in looks(story.task):
        out, back = first_end - start, end - last_start
        told += [start, start + factor * out, end - factor * back, end]
        asked += [start, first_end, last_start, end]
    told.append(max(story.task.seconds, told[-1]) + 1)
    asked.append(max(story.task.seconds, asked[-1]) + 1)
    return np.asarray(np.interp(story.seconds, told, asked))


def looks(task: Task) -> list[tuple[float, float, float, float]]:
    """Start and end of the first and of the last move of each look; a look lies between two rests."""
    if task.cover:
        plan = parse_cover(task.cover)
        knots, away = np.array(plan.seconds), np.array(plan.shares)
    else:
        knots = np.cumsum([0.0, *(move.seconds for move in parse(task.camera))])
        away = np.abs(poses_at(task.camera, knots, task.pitch_deg) - np.eye(4)).max(axis=(1, 2))
    rests = [
        number
        for number, (before, after) in enumerate(pairwise(away))
        if number == len(away) - 2 or max(before, after) <= AT_HOME
    ]
    found = []
    for rest, following in pairwise(rests):
        if following > rest + 1:
            found.append((knots[rest + 1], knots[rest + 2], knots[following - 1], knots[following]))
    return [(float(a), float(b), float(c), float(d)) for a, b, c, d in found]


# ---------------------------------------------------------------- the world


@variation("faster", where=(happens,))
def faster(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth, its process 20 % faster from the start."""
    return story.with_process(story.process_s * (1 + RATE))


@variation("slower", where=(happens,))
def slower(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth, its process 20 % slower from the start."""
    return story.with_process(story.process_s * (1 - RATE))


@variation("other-renderer", where=(opengl_is_here,))
def other_renderer(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth, drawn by OpenGL instead of traced."""
    return story.with_setting(always(story), Setting(renderer="mujoco-gl"))


@variation("relit")
def relit(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth with its lamp a little dimmed and moved, and furniture in mildly other colours."""
    way = rng.uniform(0, 2 * np.pi)
    shift = (LAMP_SHIFT_M * float(np.cos(way)), LAMP_SHIFT_M * float(np.sin(way)), 0.0)
    staging = Staging(lamp_shift_m=shift, lamp_gain=LAMP_GAIN, tint_seed=int(rng.integers(1 << 31)), tint=TINT)
    return story.with_setting(always(story), Setting(staging))


@variation("other-offscreen", where=(camera_moves,))
def other_offscreen(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The truth, without the furniture that neither the first nor the last view shows."""
    rests = {0: story.camera(0), len(story.seconds) - 1: story.camera(-1)}
    shown = {name for pose in rests.values() for name in story.world.names_in(pose)}
    removed = frozenset(story.world.room_parts - shown - {SHELL})
    away = np.array([not any(np.allclose(pose, story.poses[i], atol=1e-6) for i in rests) for pose in story.poses])
    return story.with_setting(away, Setting(Staging(removed=removed)))
