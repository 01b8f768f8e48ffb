"""Videos that somebody brings: the map that says which is which, and files that tell their camera."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np

from lookaway.pipeline.mapping import Mapping, map_folder
from lookaway.pipeline.sidecars import read_sidecars
from tests.fuzz.driving import Attempt, FalseVerdict, Target
from tests.fuzz.mutation import spoilt_bytes, spoilt_json, spoilt_text

TASKS = ("lamp_left_60", "lamp_right_60", "ball", "tap_curtain")
FILES = ("a.mp4", "ball.mp4", "lamp_left_60_3.mp4", "sub/b c.webm")
MAP_WORDS = ("video,task,seed\n", "\n", ",", '"', "a.mp4", "ball", "sub/b c.webm", "lamp_left_60", "../a.mp4", "/", ";")
PATTERN_WORDS = (
    "{task}",
    "{seed}",
    "{any}",
    "_",
    ".mp4",
    "/",
    "{",
    "}",
    "{x}",
    "(",
    "*",
    "+",
    "\\",
    "sub",
    "[",
    "ball",
)
SIDECAR_WORDS = (
    "camera_script",
    "fov",
    "num_frames",
    "frame_mapping",
    "target_frame_indices",
    "rotation_gain",
    "hold@1s",
)


def _videos(folder: Path) -> Path:
    inside = folder / "videos"
    for name in FILES:
        (inside / name).parent.mkdir(parents=True, exist_ok=True)
        (inside / name).write_bytes(b"")
    (folder / "a.mp4").write_bytes(b"")  # that no map may reach
    return inside


def _checked(mapping: Mapping, folder: Path) -> Mapping:
    for (task, seed), path in mapping.matched.items():
        if task not in TASKS or seed < 0 or not path.resolve().is_relative_to(folder.resolve()):
            raise FalseVerdict(f"{path} is taken for {task} {seed}")
    return mapping


def _map_file(folder: Path) -> Attempt:
    videos, path = _videos(folder), folder / "map.csv"

    def attempt(data: bytes) -> bool:
        path.write_bytes(data)
        mapping = _checked(map_folder(videos, TASKS, path), videos)
        rows = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))
        told = {(row["task"], int(row.get("seed") or 0)) for row in rows}
        if set(mapping.matched) | set(mapping.ambiguous) != told:
            raise FalseVerdict(f"the map says {told}")
        return True

    return attempt


def _output_map(folder: Path) -> Attempt:
    videos = _videos(folder)

    def attempt(data: bytes) -> bool:
        (videos / "map.json").write_bytes(data)
        mapping = _checked(map_folder(videos, TASKS, layout="stevo"), videos)
        told = json.loads(data.decode("utf-8-sig"))
        reachable = [videos / name for name in FILES]
        for (task, seed), path in mapping.matched.items():
            named = told.get(task)
            if isinstance(named, str) and seed == 0 and (videos / named) in reachable and path != videos / named:
                raise FalseVerdict(f"{task} is {named}, not {path}")
        return not any("map.json" in note for note in mapping.notes)

    return attempt


def _pattern(folder: Path) -> Attempt:
    videos = _videos(folder)

    def attempt(data: bytes) -> bool:
        pattern = data.decode("utf-8", "replace")
        mapping = _checked(map_folder(videos, TASKS, pattern=pattern), videos)
        for (task, _), path in mapping.matched.items():
            if task not in path.relative_to(videos).as_posix():
                raise FalseVerdict(f"{pattern!r} takes {path} for {task}")
        return bool(mapping.matched)

    return attempt


def _names(folder: Path) -> Attempt:
    """The name of a file, as somebody may call it."""
    videos = folder / "videos"
    videos.mkdir()

    def attempt(data: bytes) -> bool:
        name = re.sub(rb"[\0/]", b"_", data)[:200].decode("utf-8", "surrogateescape")
        if name in ("", ".", ".."):
            return False
        path = videos / name
        path.write_bytes(b"")
        try:
            mapping = _checked(map_folder(videos, TASKS), videos)
            for slot in mapping.matched:
                if slot[0] not in name:
                    raise FalseVerdict(f"{name!r} is taken for {slot}")
            return bool(mapping.matched)
        finally:
            path.unlink()

    return attempt


def _camera_json(folder: Path) -> Attempt:
    video = folder / "a.mp4"

    def attempt(data: bytes) -> bool:
        (folder / "a.mp4.camera.json").write_bytes(data)
        found = read_sidecars(video)
        if found.told is None and not found.notes:
            raise FalseVerdict("a sidecar that is not used, and nobody says why")
        return found.told is not None

    return attempt


def _poses(folder: Path) -> Attempt:
    video = folder / "a.mp4"

    def attempt(data: bytes) -> bool:
        (folder / "a.mp4.target_c2w.npy").write_bytes(data)
        found = read_sidecars(video)
        if found.poses is None:
            if not found.notes:
                raise FalseVerdict("poses that are not used, and nobody says why")
            return False
        turns = found.poses[:, :3, :3]
        if not np.allclose(turns @ turns.transpose(0, 2, 1), np.eye(3), atol=1e-2):
            raise FalseVerdict("poses that are no rotations")
        return True

    return attempt


TARGETS = (
    Target("video_map", _map_file, spoilt_text(MAP_WORDS), share=2),
    Target("output_map", _output_map, spoilt_json([*TASKS, *FILES, "http://x/a.mp4"]), share=2),
    Target("name_pattern", _pattern, spoilt_text(PATTERN_WORDS), share=2),
    Target(
        "file_name", _names, spoilt_text([*TASKS, "seed", "_3", ".mp4", "-", " ", "832x480", "2026-05-01"]), share=2
    ),
    Target("camera_sidecar", _camera_json, spoilt_json(SIDECAR_WORDS), share=3),
    Target("pose_sidecar", _poses, spoilt_bytes, share=2),
)
