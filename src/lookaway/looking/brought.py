"""Videos that somebody brings become a suite as a folder: one task each, about which nothing is asked or known."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lookaway.errors import UnknownName, UsageError, VideoError
from lookaway.images import png_bytes
from lookaway.names import file_name
from lookaway.pipeline.file_names import VIDEO_SUFFIXES
from lookaway.pipeline.mapping import Mapping as VideoMapping
from lookaway.pipeline.mapping import find_videos
from lookaway.records import Box
from lookaway.video import decode_some
from lookaway.video.apart import looked_through

ASSUMED_HFOV_DEG = 60.0
SUITE = "looked-at"


@dataclass(frozen=True)
class BroughtVideo:
    id: str  # of its task
    path: Path
    scene: str = ""  # that it shares with others; empty: its own


@dataclass(frozen=True)
class Wishes:
    """What somebody says about the videos; nothing of it has to be said."""

    boxes: Mapping[str, Box] = field(default_factory=dict)  # of the subject in the first frame, by video; "" is for all
    subject: str = "the subject"  # unless `subjects` has a name for it, by video
    subjects: Mapping[str, str] = field(default_factory=dict)
    camera: str = ""  # script that was asked for
    hfov_deg: float | None = None


def brought_videos(places: Iterable[Path]) -> list[BroughtVideo]:
    """Every video among files and folders, each with a name of its own."""
    found: dict[Path, str] = {}
    for place in places:
        if place.is_dir():
            videos = {path: str(path.relative_to(place).with_suffix("")) for path in find_videos(place)}
        elif place.is_file() and place.suffix.lower() in VIDEO_SUFFIXES:
            videos = {place: place.stem}
        else:
            kinds = ", ".join(sorted(VIDEO_SUFFIXES))
            raise UsageError(f"{place}: neither a video ({kinds}) nor a folder of videos")
        if not videos:
            raise UsageError(f"{place}: holds no video")
        found |= {path.resolve(): name for path, name in videos.items() if path.resolve() not in found}
    return _named(found)


def _named(found: Mapping[Path, str]) -> list[BroughtVideo]:
    named: dict[str, Path] = {}
    for path, name in found.items():
        plain = file_name(name.replace("/", "-"))
        number = next(n for n in range(1, len(named) + 2) if (plain if n == 1 else f"{plain}-{n}") not in named)
        named[plain if number == 1 else f"{plain}-{number}"] = path
    return [BroughtVideo(name, path) for name, path in named.items()]


def write_suite(videos: Sequence[BroughtVideo], wishes: Wishes, folder: Path) -> dict[str, str]:
    """The folder of a suite with a task for each video that can be read; why the others cannot, by id.

    Tasks of videos that were looked at before stay.
    """
    check_boxes(videos, wishes)
    rows, unreadable = [], {}
    (folder / "first_frames").mkdir(parents=True, exist_ok=True)
    for video in videos:
        try:
            rows.append(_row(video, wishes, folder))
        except VideoError as error:
            unreadable[video.id] = str(error).replace(str(video.path), video.path.name)
    rows = [*_earlier(folder, {row["id"] for row in rows}), *rows]
    head = f'name = "{SUITE}"\nversion = 1\nsummary = "Videos as they were brought; nothing is known of their truth"\n'
    (folder / "suite.toml").write_text(head)
    (folder / "tasks.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return unreadable


def check_boxes(videos: Iterable[BroughtVideo], wishes: Wishes) -> None:
    """Refuse a box of a video that is not there."""
    known = {video.id for video in videos}
    for name in wishes.boxes:
        if name and name not in known:
            raise UnknownName("video to have a box", name, known)


def _earlier(folder: Path, now: set[str]) -> list[dict[str, Any]]:
    path = folder / "tasks.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return [row for row in map(json.loads, lines) if row["id"] not in now]


def _row(video: BroughtVideo, wishes: Wishes, folder: Path) -> dict[str, Any]:
    told = looked_through(video.path)
    (first,) = decode_some(video.path, [0])
    frame = Path("first_frames") / f"{video.id}.png"
    (folder / frame).write_bytes(png_bytes(first.rgb))
    box = wishes.boxes.get(video.id, wishes.boxes.get(""))
    name = wishes.subjects.get(video.id, wishes.subject)
    return {
        "id": video.id,
        "scene": video.scene or video.id,
        "category": "",
        "moves": True,
        "changes_in_place": True,
        "prompt": "",
        "expected_end": "",
        "first_frame": str(frame),
        "subjects": [] if box is None else [{"name": name, "box": box, "side": side_of(box)}],
        "camera": wishes.camera,
        "hfov_deg": wishes.hfov_deg or ASSUMED_HFOV_DEG,
        "hfov_declared": wishes.hfov_deg is not None,
        "width": told.width,
        "height": told.height,
        "fps": told.fps,
        "seconds": max((told.frames - 1) / told.fps, 1 / told.fps),
    }


def side_of(box: Box) -> str:
    """Left, centre or right third of the picture, by the middle of the box."""
    middle = (box[0] + box[2]) / 2
    return "left" if middle < 1 / 3 else "right" if middle > 2 / 3 else "centre"


def mapping_of(videos: Iterable[BroughtVideo], unreadable: Mapping[str, str], folder: Path) -> VideoMapping:
    """The videos as `ingest` takes them."""
    return VideoMapping(folder, {(v.id, 0): v.path for v in videos if v.id not in unreadable})


def parse_box(text: str) -> tuple[str, Box]:
    """`0.1,0.2,0.4,0.9` for all videos, `NAME=0.1,0.2,0.4,0.9` for one."""
    name, _, numbers = text.rpartition("=")
    try:
        left, top, right, bottom = map(float, numbers.split(","))
    except ValueError:
        raise UsageError(f"--box '{text}': give left,top,right,bottom as shares of the first frame, 0 to 1") from None
    if not is_box((left, top, right, bottom)):
        raise UsageError(f"--box '{text}': left < right and top < bottom, all from 0 to 1")
    return name, (left, top, right, bottom)


def is_box(box: Box) -> bool:
    """Whether these are shares of a picture: left, top, right, bottom."""
    left, top, right, bottom = box
    return 0 <= left < right <= 1 and 0 <= top < bottom <= 1
