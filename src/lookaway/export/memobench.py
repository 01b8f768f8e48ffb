"""The truth once more in MemoBench's folder layout, as its released data shows it; prompts and pictures are ours."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from lookaway.export.shaping import Shaped
from lookaway.export.words import csv_bytes, words
from lookaway.geometry.trajectory import Floats
from lookaway.names import file_name
from lookaway.records import Interval, Record, Task
from lookaway.store import Blobs
from lookaway.suites import Draft
from lookaway.video import SharedFrames

ROOT = "memobench"
CLIPS = "data/Synthetic_processed"
METADATA = "data/sam3_metadata/synthetic_metadata.csv"
KEYFRAMES = f"{CLIPS}/Synthetic_ExitReenter.csv"
JPEG_QUALITY = 95


class Place(Record):
    """Where a task's clip goes: clips are numbered within their scene."""

    scene: str
    number: int

    @property
    def clip(self) -> str:
        return f"{file_name(self.scene)}_{self.number:03d}"

    @property
    def folder(self) -> str:
        return f"{CLIPS}/{file_name(self.scene)}/{self.clip}"

    def frame(self, index: int) -> str:
        return f"{self.folder}/RGB{self.number}/NewLevelSequence{self.number}.{index:04d}.jpg"


class Listing(Record):
    """A clip as the tables name it. `exits` and `reenters` count frames of the true clip."""

    place: Place
    exits: int
    reenters: int


def places(drafts: Iterable[Draft]) -> dict[str, Place]:
    """Every task of a suite has its place, whichever of them are exported."""
    count: Counter[str] = Counter()
    found = {}
    for draft in drafts:
        count[draft.scene] += 1
        found[draft.id] = Place(scene=draft.scene, number=count[draft.scene])
    return found


def clip_files(made: Shaped, place: Place, blobs: Blobs) -> tuple[Listing, dict[str, bytes | Path]] | None:
    """The task's clip; None where there is no true one, or its subject does not go out of view and come back."""
    if made.reference is None or made.reference.video is None:
        return None
    video = blobs.path(made.reference.video)
    with SharedFrames.load(video, long_side=None) as frames:
        listing = _listing(place, frames.seconds, made.reference.phases)
        if listing is None:
            return None
        files: dict[str, bytes | Path] = {place.frame(index): _jpeg(rgb) for index, rgb in enumerate(frames.rgb)}
        marks = {"d_start": listing.exits, "r_start": listing.reenters, "frames": len(frames), "task": made.task.id}
        fps = f"{frames.info.fps:g}\n"
    files[f"{place.folder}/RGB{place.number}/fps.txt"] = fps.encode()
    files[f"{place.folder}/keyframes.json"] = f"{json.dumps(marks)}\n".encode()
    files[f"{place.folder}/prompt.txt"] = f"{words(made.task)}\n".encode()
    if not video.is_dir():
        files[f"{place.folder}/{place.clip}{video.suffix}"] = video
    if made.reference.arrays is not None:
        with np.load(blobs.path(made.reference.arrays)) as arrays:
            if "camera_to_world" in arrays:
                focal_and_centre = arrays["intrinsics"][:, [0, 1, 0, 1], [0, 1, 2, 2]]
                files[f"{place.folder}/{place.number}/poses.npy"] = _npy(arrays["camera_to_world"])
                files[f"{place.folder}/{place.number}/intrinsics.npy"] = _npy(focal_and_centre)
    if made.reference.depth is not None:
        files |= _depth_files(place, blobs.path(made.reference.depth))
    return listing, {f"{ROOT}/{name}": content for name, content in files.items()}


def _depth_files(place: Place, path: Path) -> dict[str, bytes]:
    """One file a frame, in metres; the release does not say how it stores them."""
    with np.load(path) as arrays:
        frames = arrays["depth"]
    return {f"{place.folder}/Depth{place.number}/depth.{i:04d}.npz": _npz(frame) for i, frame in enumerate(frames)}


def _listing(place: Place, seconds: Floats, phases: Sequence[Interval]) -> Listing | None:
    """The first frame in which the subject is gone, and the first in which some of it is back."""
    starts = {phase.phase: phase.start_s - 1e-6 for phase in reversed(phases)}
    if not {"hidden", "returned"} <= starts.keys():
        return None
    exits, reenters = np.searchsorted(seconds, [starts["hidden"], starts["returned"]]).tolist()
    return Listing(place=place, exits=exits, reenters=reenters)


def tables(clips: Sequence[tuple[Listing, Task]]) -> dict[str, bytes]:
    """Metadata and keyframes in the columns of the released tables."""
    metadata: list[tuple[object, ...]] = [("scene", "video_id", "subject", "exr_path", "prompt")]
    keyframes: list[tuple[object, ...]] = [("video_folder", "exits", "re-enter", "prompt", "task")]
    for listing, task in clips:
        place = listing.place
        metadata.append((place.scene, place.number, task.subjects[0].name, place.frame(0), words(task)))
        keyframes.append((place.clip, listing.exits, listing.reenters, words(task), task.id))
    return {f"{ROOT}/{METADATA}": csv_bytes(metadata), f"{ROOT}/{KEYFRAMES}": csv_bytes(keyframes)}


def _jpeg(rgb: NDArray[np.uint8]) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(rgb).save(buffer, "JPEG", quality=JPEG_QUALITY)
    return buffer.getvalue()


def _npy(array: Floats) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def _npz(depth: NDArray[np.float32]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, depth=depth)
    return buffer.getvalue()
