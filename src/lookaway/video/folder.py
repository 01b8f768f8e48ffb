"""A folder of numbered frames read as a video."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from lookaway.errors import VideoError
from lookaway.images import BadImage, image_size, upright_image

DEFAULT_FPS = 24.0
_SUFFIXES = {".png", ".jpg", ".jpeg"}


def frame_files(folder: Path) -> list[Path]:
    """The frames in natural order: frame_2 comes before frame_10."""
    try:
        found = [file for file in folder.iterdir() if file.suffix.lower() in _SUFFIXES and file.name[0] != "."]
    except OSError as error:
        raise VideoError(f"{folder}: cannot be listed ({error.strerror}); check its permissions") from error
    if not found:
        raise VideoError(f"{folder}: has no png or jpg frames; put one image per frame directly inside")
    return sorted(found, key=lambda file: _natural(file.name))


def folder_rate(folder: Path, folder_fps: float | None) -> tuple[float, bool]:
    """Frames per second and whether they are assumed: `fps.txt` speaks first, then the caller."""
    note = folder / "fps.txt"
    try:
        fps = float(note.read_text(encoding="utf-8"))
    except FileNotFoundError:
        fps = DEFAULT_FPS if folder_fps is None else folder_fps
        return fps, folder_fps is None
    except (OSError, ValueError):
        fps = math.nan
    if not 0 < fps < math.inf:
        raise VideoError(f"{note}: is not a frame rate; write one positive number, such as 24")
    return fps, False


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
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"([0-9]+)", name)]
