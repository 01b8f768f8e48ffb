"""A clip of MemoBench's release as media of a folder suite."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np

from lookaway.errors import SuiteError, VideoError
from lookaway.geometry.trajectory import Floats, pinhole
from lookaway.images import png_bytes
from lookaway.suites.releases.memobench.camera import TrueCamera, true_camera
from lookaway.suites.releases.memobench.depth import depth_files, true_depth
from lookaway.suites.releases.memobench.listing import ListedClip
from lookaway.suites.releases.memobench.media import TrueClip, true_clip
from lookaway.video import decode_some
from lookaway.video.folder import common_size, frame_files

Row = dict[str, Any]


def settle(folder: Path, row: Row, out: Path) -> tuple[Row, list[str]]:
    """Write the media of a release's row to a folder, and give the row that names them there, with what went wrong."""
    facts = row["released"]
    clip = ListedClip(facts["split"], facts["scene"], facts["number"], "", "", facts["first_frame"])
    truth, _ = true_clip(folder, clip)
    if truth is None:
        raise SuiteError(f"{folder}: {clip.id} is no longer there")
    settled = {name: value for name, value in row.items() if name != "released"}
    settled["first_frame"] = _first_frame(truth, clip.id, out)
    if truth.video is None:
        return settled, []
    try:
        video = _video(truth, clip.id, out)
    except VideoError as error:
        return {name: value for name, value in settled.items() if name != "reference"}, [
            f"not readable: {clip.id}: {error}; it is posed without truth"
        ]
    camera = true_camera(folder, clip, len(truth), (truth.width, truth.height))
    files = {"video": video, "arrays": _arrays(truth, camera, row, clip.id, out)}
    files["depth"], notes = _depth(folder, clip, len(truth), out)
    settled["reference"] = row["reference"] | {part: name for part, name in files.items() if name is not None}
    return settled, notes


def _first_frame(truth: TrueClip, name: str, out: Path) -> str:
    if truth.first.suffix.lower() == ".mp4":
        path = _ready(out / "first_frames" / f"{name}.png")
        (frame,) = decode_some(truth.first, [0])
        path.write_bytes(png_bytes(frame.rgb))
    else:
        path = _ready(out / "first_frames" / f"{name}{truth.first.suffix.lower()}")
        shutil.copyfile(truth.first, path)
    return path.relative_to(out).as_posix()


def _video(truth: TrueClip, name: str, out: Path) -> str:
    assert truth.video is not None
    if not truth.video.is_dir():
        shutil.copyfile(truth.video, _ready(out / "truth" / f"{name}.mp4"))
        return f"truth/{name}.mp4"
    common_size(frame_files(truth.video))
    frames = out / "truth" / f"{name}.frames"
    frames.mkdir(parents=True, exist_ok=True)
    for file in frame_files(truth.video):
        shutil.copyfile(file, frames / file.name)
    (frames / "fps.txt").write_text(f"{truth.fps:g}\n")
    return f"truth/{name}.frames"


def _arrays(truth: TrueClip, camera: TrueCamera, row: Row, name: str, out: Path) -> str | None:
    if camera.poses is None:
        return None
    one: Floats = pinhole(truth.width, truth.height, row["hfov_deg"])
    lens = np.tile(one, (len(truth), 1, 1)) if camera.intrinsics is None else camera.intrinsics
    arrays = {"seconds": truth.seconds, "camera_to_world": camera.poses, "intrinsics": lens}
    if camera.raw is not None:
        arrays["camera_to_world_raw"] = camera.raw
    path = _ready(out / "truth" / f"{name}.npz")
    np.savez_compressed(path, allow_pickle=False, **arrays)
    return path.relative_to(out).as_posix()


def _depth(folder: Path, clip: ListedClip, frames: int, out: Path) -> tuple[str | None, list[str]]:
    files = depth_files(folder, clip)
    if files.problem(frames):
        return None, []
    try:
        depth = true_depth(files)
    except ValueError as error:
        return None, [f"not readable: {clip.id}: {error}"]
    path = _ready(out / "truth" / f"{clip.id}.depth.npz")
    np.savez_compressed(path, depth=depth)
    return path.relative_to(out).as_posix(), []


def _ready(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
