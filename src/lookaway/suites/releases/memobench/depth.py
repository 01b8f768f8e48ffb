"""True depth of a clip, one file a frame."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lookaway.suites.releases.memobench.listing import ListedClip
from lookaway.suites.releases.memobench.media import clip_folder

SUFFIXES = (".npy", ".npz")  # in metres as they are; what a picture's levels mean in metres is not told
LONG_SIDE = 640  # pixels kept: 300 frames of full HD are 2.5 GB
_UNREADABLE = (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile)


def depth_files(folder: Path, clip: ListedClip) -> list[Path]:
    """In the order of their names."""
    own = clip_folder(folder, clip) / (f"Depth{clip.number}" if clip.split == "synthetic" else "depth")
    return sorted(path for path in own.iterdir() if path.is_file() and path.name[0] != ".") if own.is_dir() else []


def depth_problem(files: list[Path], frames: int) -> str:
    """Why depth cannot be taken, from the names of its files alone; empty where it can."""
    if not files:
        return "no depth"
    strange = sorted({path.suffix.lower() for path in files} - set(SUFFIXES))
    if strange:
        return f"depth as {', '.join(strange)}, whose unit is not told; npy and npz are read, in metres"
    return "" if len(files) == frames else f"{len(files)} depth files for {frames} frames"


def true_depth(files: list[Path]) -> NDArray[np.float32]:
    """(N, H, W) in metres, every n-th pixel where pictures are large; ValueError says which file cannot be used."""
    frames = [_frame(path) for path in files]
    if len({frame.shape for frame in frames}) != 1:
        raise ValueError(f"{files[0].parent.name}: depth files of different sizes")
    return np.stack(frames)


def _frame(path: Path) -> NDArray[np.float32]:
    try:
        loaded = np.load(path, allow_pickle=False)
        if not isinstance(loaded, np.ndarray):
            with loaded as arrays:
                loaded = arrays["depth"] if "depth" in arrays else arrays[arrays.files[0]]
        frame = np.squeeze(np.asarray(loaded, np.float32))
    except (*_UNREADABLE, IndexError) as error:
        raise ValueError(f"{path.parent.name}/{path.name}: not depth ({error})") from error
    if frame.ndim != 2 or not frame.size:
        raise ValueError(f"{path.parent.name}/{path.name}: {frame.shape}, not one depth a pixel")
    step = -(-max(frame.shape) // LONG_SIDE)
    return np.ascontiguousarray(frame[step // 2 :: step, step // 2 :: step])
