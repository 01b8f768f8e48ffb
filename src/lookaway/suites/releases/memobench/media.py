"""The true clip of a listed clip: frames or mp4, its size, length and clock."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lookaway.errors import LookawayError
from lookaway.geometry.trajectory import Floats
from lookaway.suites.releases.memobench.listing import ListedClip, Split, data_folder
from lookaway.video import probe
from lookaway.video.folder import common_size, folder_rate, frame_files
from lookaway.video.timing import read_clock

ASSUMED_FPS: dict[Split, float] = {"synthetic": 60.0, "real": 30.0}  # the paper's, and what telephones film at
PICTURES = (".jpg", ".jpeg", ".png")


@dataclass(frozen=True)
class TrueClip:
    """The video of a clip; `first` is the picture that a model is given, or the video whose first frame that is."""

    video: Path | None  # mp4, or folder of frames
    first: Path
    width: int
    height: int
    fps: float
    fps_known: bool
    seconds: Floats

    def __len__(self) -> int:
        return len(self.seconds)


def clip_folder(folder: Path, clip: ListedClip) -> Path:
    return data_folder(folder) / clip.folder


def true_clip(folder: Path, clip: ListedClip) -> tuple[TrueClip | None, list[str]]:
    """The true clip where there is one that can be read, and what is wrong with the files."""
    notes: list[str] = []
    for video in _candidates(folder, clip):
        try:
            return _probed(folder, clip, video), notes
        except (LookawayError, OSError) as error:
            notes.append(f"not readable: {clip.id}: {error}")
    first = _told_picture(folder, clip)
    if first is not None:
        from lookaway.images import BadImage, image_size

        try:
            return TrueClip(None, first, *image_size(first), ASSUMED_FPS[clip.split], False, np.zeros(0)), notes
        except BadImage as error:
            notes.append(f"not readable: {clip.id}: {first.name}: {error}")
    return None, notes


def _candidates(folder: Path, clip: ListedClip) -> list[Path]:
    """The release's own first: frames of a rendered clip, the mp4 of a real one."""
    own = clip_folder(folder, clip)
    frames = own / (f"RGB{clip.number}" if clip.split == "synthetic" else "FRAMES")
    files = own / f"{own.name}.mp4"
    wanted = (frames, files) if clip.split == "synthetic" else (files, frames)
    return [path for path in wanted if path.exists() and _is_inside(folder, path)]


def _probed(folder: Path, clip: ListedClip, video: Path) -> TrueClip:
    """From headers alone: whether every frame decodes is seen when the task is built."""
    if video.is_dir():
        files = frame_files(video)
        told, assumed = folder_rate(video, None)
        fps = ASSUMED_FPS[clip.split] if assumed else told
        seconds = np.arange(len(files)) / fps
        return TrueClip(video, files[0], *common_size(files[:1]), fps, not assumed, seconds)
    info, clock = probe(video), read_clock(video)
    first = _told_picture(folder, clip) or video
    return TrueClip(video, first, info.width, info.height, info.fps, True, np.asarray(clock.seconds, float))


def _told_picture(folder: Path, clip: ListedClip) -> Path | None:
    """The first frame that the metadata name, where it lies in the release."""
    told = clip.first_frame.replace("\\", "/").removeprefix("data/")
    path = data_folder(folder) / told
    wanted = bool(told) and path.suffix.lower() in PICTURES
    return path if wanted and _is_inside(folder, path) and path.is_file() else None


def _is_inside(folder: Path, path: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):  # the last of a loop of links
        return False
