"""True depth of a clip, one file a frame: arrays in metres, or pictures whose unit is declared in `metres.txt`."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from lookaway.arrays import BadArrays, read_arrays
from lookaway.images import BadImage, upright_image
from lookaway.suites.releases.memobench.listing import ListedClip
from lookaway.suites.releases.memobench.media import clip_folder

ARRAYS = (".npy", ".npz")  # in metres as they are
PICTURES = (".png", ".exr")  # in units that only somebody who knows can tell
UNIT_FILE = "metres.txt"  # how many metres a unit is, beside the pictures or in a folder above them
EXR_MAGIC = b"\x76\x2f\x31\x01"
LONG_SIDE = 640  # pixels kept: 300 frames of full HD are 2.5 GB


@dataclass(frozen=True)
class DepthFiles:
    """The files of a clip in the order of their names, and how many metres a unit is where they are pictures."""

    files: tuple[Path, ...] = ()
    metres: float | None = None  # None where nothing tells it
    unit_file: Path | None = None

    def problem(self, frames: int) -> str:
        """Why depth cannot be taken, from the names of its files alone; empty where it can."""
        if not self.files:
            return "no depth"
        kinds = sorted({path.suffix.lower() for path in self.files})
        if strange := [kind for kind in kinds if kind not in (*ARRAYS, *PICTURES)]:
            return f"depth as {', '.join(strange)}; {', '.join((*ARRAYS, *PICTURES))} are read"
        if pictures := [kind for kind in kinds if kind in PICTURES]:
            if self.unit_file is None:
                told = f"write how many metres one unit is to {UNIT_FILE} beside it"
                return f"depth as {', '.join(pictures)}, whose unit is not told; {told}"
            if self.metres is None:
                return f"{self.unit_file.parent.name}/{UNIT_FILE} is not a number of metres above 0, such as 0.001"
        return "" if len(self.files) == frames else f"{len(self.files)} depth files for {frames} frames"


def depth_files(folder: Path, clip: ListedClip) -> DepthFiles:
    own = clip_folder(folder, clip) / (f"Depth{clip.number}" if clip.split == "synthetic" else "depth")
    if not own.is_dir():
        return DepthFiles()
    files = sorted(path for path in own.iterdir() if path.is_file() and path.name[0] != ".")
    places = [own, *(above for above in own.parents if above.is_relative_to(folder))]
    unit = next((place / UNIT_FILE for place in places if (place / UNIT_FILE).is_file()), None)
    files = [path for path in files if path.name != UNIT_FILE]
    return DepthFiles(tuple(files), None if unit is None else _metres(unit), unit)


def _metres(path: Path) -> float | None:
    try:
        metres = float(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return metres if math.isfinite(metres) and metres > 0 else None


def true_depth(found: DepthFiles) -> NDArray[np.float32]:
    """(N, H, W) in metres, every n-th pixel where pictures are large; ValueError says which file cannot be used."""
    frames = [_frame(path, found.metres) for path in found.files]
    if len({frame.shape for frame in frames}) != 1:
        raise ValueError(f"{found.files[0].parent.name}: depth files of different sizes")
    return np.stack(frames)


def _frame(path: Path, metres: float | None) -> NDArray[np.float32]:
    try:
        frame = _array(path) if path.suffix.lower() in ARRAYS else _picture(path) * np.float32(metres)
    except (OSError, ValueError, TypeError, BadArrays, BadImage, av.FFmpegError) as error:
        raise ValueError(f"{path.parent.name}/{path.name}: not depth ({error})") from error
    if frame.ndim != 2 or not frame.size:
        raise ValueError(f"{path.parent.name}/{path.name}: {frame.shape}, not one depth a pixel")
    step = -(-max(frame.shape) // LONG_SIDE)
    return np.ascontiguousarray(frame[step // 2 :: step, step // 2 :: step])


def _array(path: Path) -> NDArray[np.float32]:
    held = read_arrays(path)
    if not held:
        raise ValueError("an npz file without arrays")
    return np.squeeze(np.asarray(held.get("depth", next(iter(held.values()))), np.float32))


def _picture(path: Path) -> NDArray[np.float32]:
    """In the picture's own units."""
    return _png(path) if path.suffix.lower() == ".png" else _exr(path)


def _png(path: Path) -> NDArray[np.float32]:
    image = upright_image(path)
    if image.mode not in ("I;16", "I"):
        raise ValueError(f"a picture of mode {image.mode}; depth has one channel of 16 bits")
    return np.asarray(image, np.float32)


def _exr(path: Path) -> NDArray[np.float32]:
    """By FFmpeg, which reads Y alone or R, G and B; OpenCV's wheels are built without OpenEXR."""
    content = path.read_bytes()
    if content[:4] != EXR_MAGIC:
        raise ValueError("not an EXR")
    try:
        with av.open(io.BytesIO(content), format="exr_pipe") as container:  # nothing else that FFmpeg knows
            frame = next(container.decode(video=0))
    except (av.FFmpegError, StopIteration) as error:
        raise ValueError(
            "an EXR that is not read here: its channels must be Y alone, or R, G and B alike; "
            "another program can write it so, or as npy in metres"
        ) from error
    values = frame.to_ndarray()
    if values.dtype != np.float32:
        raise ValueError(f"an EXR of {frame.format.name}; depth has floating-point channels")
    if values.ndim == 3:
        if not (values[..., :3] == values[..., :1]).all():
            raise ValueError("an EXR whose red, green and blue differ: a picture and no depth")
        values = values[..., 0]
    return np.asarray(values, np.float32)
