"""Camera and cover scripts."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from lookaway.geometry.cover import cover_in_words, cover_moves, is_cover, parse_cover
from lookaway.geometry.script import duration, frame_count, in_seconds, in_words, parse, trajectory
from tests.fuzz.driving import Attempt, FalseVerdict, Target
from tests.fuzz.mutation import spoilt_text

FPS = 16.0
MOST_FRAMES = 200  # of a path that is laid out here; a script may last for hours
CAMERA_WORDS = (
    *("hold@1s", "yaw:left:60@2s", "pitch:up:10@1s", "roll:right:5@1s", "dolly:forward:0.5@1s", "truck:left:1@1s"),
    *("crane:up:1@1s", "orbit:left:60:1.5@2s", "look-at:-1:0:3@1s", "preset:yaw-lr:60@5s", "preset:", "pan:left:60deg"),
    *(", ", "+", "@", "s", "~smooth", "~slow-end", ":", "@40", "deg", "hold", "yaw", "left", "@1s", "@0.5s"),
)
COVER_WORDS = (
    *("hold@1s", "curtain:close@0.4s", "curtain:open@0.4s", "cardboard:lower@1s", "cardboard:lift@1s", "lights:off@1s"),
    *("lights:on@1s", ":40", "curtain:close:40@0.4s", ", ", "@", "s", ":", "curtain", "close", "open", "%"),
)


def _camera(folder: Path) -> Attempt:
    def attempt(data: bytes) -> bool:
        script = data.decode("utf-8", "replace")
        moves = parse(script, FPS)
        seconds = duration(script, FPS)
        if not moves or not 0 < seconds < math.inf or not all(0 < move.seconds < math.inf for move in moves):
            raise FalseVerdict(f"{script!r} lasts {seconds} s")
        again = parse(in_seconds(script, FPS))
        if [(m.yaw_deg, m.pitch_deg, m.orbit_deg, m.look_at) for m in again] != [
            (m.yaw_deg, m.pitch_deg, m.orbit_deg, m.look_at) for m in moves
        ]:
            raise FalseVerdict(f"{script!r} makes other moves in seconds")
        frames = min(frame_count(script, FPS), MOST_FRAMES)
        path = trajectory(script, frames, FPS, (64, 36), 60.0)
        if not np.isfinite(path.camera_to_world).all():
            raise FalseVerdict(f"{script!r} leads nowhere")
        return bool(in_words(script, FPS))

    return attempt


def _cover(folder: Path) -> Attempt:
    def attempt(data: bytes) -> bool:
        script = data.decode("utf-8", "replace")
        plan = parse_cover(script)
        within = all(0 <= share <= 1 for share in plan.shares)
        if not within or not math.isfinite(plan.duration) or list(plan.seconds) != sorted(set(plan.seconds)):
            raise FalseVerdict(f"{script!r}: {plan}")
        if not is_cover(script):
            raise FalseVerdict(f"{script!r} covers, and is said to cover nothing")
        return bool(cover_in_words(script)) and isinstance(cover_moves(script), list)

    return attempt


TARGETS = (
    Target("camera_script", _camera, spoilt_text(CAMERA_WORDS), share=8),
    Target("cover_script", _cover, spoilt_text(COVER_WORDS), share=8),
)
