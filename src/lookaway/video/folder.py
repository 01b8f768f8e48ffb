"""A folder of numbered frames read as a video."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from lookaway.errors import VideoError
from lookaway.images import BadImage, image_size, upright_image
from lookaway.video.timing import DEFAULT_FPS, FASTEST_FPS, SLOWEST_FPS, is_rate

_SUFFIXES = {".png", ".jpg", ".jpeg"}


def frame_files(folder: Path) -> list[Path]:
    """The frames in natural order: frame_2 comes before frame_10; a number left out is an error."""
    try:
        found = [file for file in folder.iterdir() if file.suffix.lower() in _SUFFIXES and file.name[0] != "."]
        for file in found:
            _check_frame(file)
    except OSError as error:
        raise VideoError(f"{folder}: cannot be listed ({error.strerror}); check its permissions") from error
    if not found:
        raise VideoError(f"{folder}: has no png or jpg frames; put one image per frame directly inside")
    files = sorted(found, key=lambda file: _natural(file.name))
    _check_gaps(folder, frame_numbers(files))
    return files


def frame_numbers(files: list[Path]) -> list[int]:
    """The numbers that count the frames: the only ones that differ between names alike otherwise; else nothing.

    ["cam2_007.png", "cam2_008.jpg"] -> [7, 8]
    """
    names = [_natural(file.stem) for file in files]
    if len({tuple(text for _, text in name) for name in names}) != 1:
        return []
    columns = [[number for number, _ in column] for column in zip(*names, strict=True)]
    counting = [column for column in columns if len(set(column)) > 1]
    return counting[0] if len(counting) == 1 else []


def numbering_note(files: list[Path]) -> str:
    """Said of a folder whose frames are not simply counted from 0 or 1."""
    numbers = frame_numbers(files)
    if not numbers:
        return (
            "" if len(files) == 1 else "frames are not numbered in one row; they are taken in the order of their names"
        )
    step = numbers[1] - numbers[0]
    parts = [f"start at {numbers[0]}" if numbers[0] > 1 else "", f"go in steps of {step}" if step > 1 else ""]
    told = " and ".join(filter(None, parts))
    return f"frame numbers {told}; frames are taken one after the other" if told else ""


def folder_rate(folder: Path, folder_fps: float | None) -> tuple[float, bool]:
    """Frames per second and whether they are assumed: `fps.txt` speaks first, then the caller."""
    note = folder / "fps.txt"
    fps = _written_rate(note) if note.exists() else folder_fps
    if fps is not None and not is_rate(fps):
        raise VideoError(
            f"{note}: {fps:g} is not a frame rate; write one number from {SLOWEST_FPS:g} to {FASTEST_FPS:g}, such as 24"
        )
    return DEFAULT_FPS if fps is None else fps, fps is None


def _written_rate(note: Path) -> float:
    try:
        return float(note.read_text(encoding="utf-8")) if note.is_file() else math.nan
    except (OSError, ValueError):
        return math.nan


def common_size(files: list[Path]) -> tuple[int, int]:
    """Upright width and height shared by all frames, read from their headers."""
    first = _header_size(files[0])
    for file in files[1:]:
        size = _header_size(file)
        if size != first:
            raise VideoError(
                f"{file}: is {size[0]}x{size[1]} but {files[0].name} is {first[0]}x{first[1]}; "
                "give all frames of a folder one size"
            )
    return first


def read_image(file: Path) -> NDArray[np.uint8]:
    """8-bit RGB, upright; what is transparent turns black."""
    try:
        image = upright_image(file)
    except BadImage as error:
        raise _unreadable(file, error) from error
    if image.mode.startswith(("I", "F")):
        raise VideoError(f"{file}: has more than 8 bits a channel; save it as an 8-bit image")
    if not image.has_transparency_data:
        return np.asarray(image.convert("RGB"))
    opaque = Image.new("RGBA", image.size, (0, 0, 0, 255))
    opaque.alpha_composite(image.convert("RGBA"))
    return np.asarray(opaque.convert("RGB"))


def _header_size(file: Path) -> tuple[int, int]:
    try:
        return image_size(file)
    except BadImage as error:
        raise _unreadable(file, error) from error


def _unreadable(file: Path, error: Exception) -> VideoError:
    return VideoError(f"{file}: cannot be read as an image ({error}); write this frame again")


def _natural(name: str) -> list[tuple[int, str]]:
    """Every second part of the split is a number: "a2" -> [(-1, "a"), (2, ""), (-1, "")]"""
    parts = re.split(r"([0-9]+)", name)
    return [(int(part), "") if place % 2 else (-1, part) for place, part in enumerate(parts)]


def _check_frame(file: Path) -> None:
    if not file.is_file():
        raise VideoError(f"{file}: is no file, or a link that leads to none; take it out of the folder of frames")


def _check_gaps(folder: Path, numbers: list[int]) -> None:
    if len(numbers) < 2:
        return
    number, times = Counter(numbers).most_common(1)[0]
    if times > 1:
        raise VideoError(f"{folder}: {times} images have the frame number {number}; keep one of them")
    step = math.gcd(*(after - before for before, after in pairwise(numbers)))
    missing = [before + step for before, after in pairwise(numbers) if after - before > step]
    if missing:
        count = (numbers[-1] - numbers[0]) // step + 1 - len(numbers)
        raise VideoError(
            f"{folder}: frame number {missing[0]} is missing, {count} in all; "
            "write them, or number the frames without gaps and say their rate in fps.txt"
        )
